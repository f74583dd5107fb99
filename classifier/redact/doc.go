// Package redact decides what may leave the database, and in which form.
//
// People publish URLs with passwords and live tokens in them. The database keeps them as declared, since raw is
// sacred; whatever is printed, exported or published goes through this package first.
package redact
