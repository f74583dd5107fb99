// Package target turns what a registry declares into what the census visits.
//
// [Canonical] says when two URLs are one endpoint. [Framer] reads the rows of a registry, one by one, and makes the
// frame of a run: every declared endpoint once, with all its declared transport types and names, and whether it may be
// visited. Endpoints that may not stay in the frame with a [Reason]. [Operators] says which publishers are the same
// operator, since servers of one operator fail together and must not count as independent.
package target
