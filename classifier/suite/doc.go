// Package suite is the list of all classifiers.
package suite
