// Package polite keeps the census from being a burden: the pace of the requests to one host ([Host]), how much of the
// pause that a server asks for is kept ([Pause]), the number of requests that one endpoint may cost ([Budget]), and the
// wishes of those who do not want to be counted ([Robots], [OptOut]).
//
// Nothing here sends a request or keeps a record. The clock is injected, so tests need not wait.
package polite
