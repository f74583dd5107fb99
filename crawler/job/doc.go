// Package job runs the stages of a census: walk, frame, probe, classify, estimate.
//
// Every stage is a River job or a chain of them, so that the same work can be done by one process or by many, and
// survives the death of any of them. Results and completion commit in one transaction. One job is one host of one run,
// so a host has exactly one owner anywhere and pacing stays local to the process; a session advisory lock makes sure.
// Work is cut by time: after a slice a job takes nothing new and enqueues its continuation in the transaction that
// completes it.
//
// This package is the only importer of River, and the only one that may choose targets from findings.
package job
