// Package migrations holds the schema of the census as numbered SQL files, and applies them.
//
// Files are named NNNN_name.sql and applied in order, each in a transaction of its own. What has been applied is
// recorded with its checksum: an applied file never changes again, a correction is a new file. The resulting schema is
// dumped to schema.sql for readers, and compared in CI.
package migrations
