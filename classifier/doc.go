// Package classifier defines what a classifier is: a pure function from a transcript to findings.
//
// Each classifier lives in a folder of its own with its definition (def.yml), code, tests and golden transcripts. The
// list of all of them is in package suite. A classifier never touches the network, the database or the clock, so the
// same bytes always give the same findings; [EvidenceHash] says which bytes, [Run] guards against our own faults.
//
// What several classifiers must agree on is read here, once: what a response amounts to ([ReadReply]), whether an era is
// spoken ([ReadHandshake], [Completed]), the tools of an endpoint ([ListOfRecord]), and whether a tool writes
// ([ReadWrites]). A response that was kept back or never came is missing, by a shared reason (see missing.go); it is never false.
package classifier
