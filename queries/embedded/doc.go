// Package embedded runs the machine's own Postgres programs as a private server of the census.
//
// [Find] looks for the programs, [Start] gives a running server, [Server.Release] lets go of it. Within the data
// directory of the census it keeps:
//
//	postgres/            the Postgres cluster
//	postgres.log         what the server wrote (postgres.log.1: before that)
//	postgres.users.lock  held shared by every command that uses the server
//	postgres.start.lock  held exclusively by the one command that starts, adopts or stops it
//	postgres.partial-*/  a cluster that is being made; it is renamed to postgres/ when it is complete
//	socket/              the unix socket, the only way in; where its path would be too long, a private directory
//	                     under the directory for temporary files
//
// Commands that run side by side share one server. Both locks are flock(2) locks, which the kernel releases however a
// process ends. Starting and stopping happen under the start lock only, so no command ever meets a server on its way
// down: whoever leaves takes the start lock, asks for the users lock exclusively, and stops the server only if it gets
// it. A server whose users were all killed runs on; the next command adopts it.
//
// Nothing is ever wiped or given to another owner: a directory that does not fit is refused with the reason.
//
// Postgres refuses to run as root. When the caller is root, the server runs under the account postgres or, where there
// is none, nobody; the data directory must be one that this account can enter.
package embedded
