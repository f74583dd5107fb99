// Package testdb gives tests a real Postgres database each.
//
// The server is the one that MCPCENSUS_TEST_DATABASE_URL names (its role must be allowed to create databases), else a
// throwaway server of package embedded, one for each user of the machine, which the first test starts and the last one
// stops. A package with many such tests keeps it running from one to the next with
//
//	func TestMain(m *testing.M) { os.Exit(testdb.Main(m)) }
//
// Databases are copied from a template that is migrated once, which takes some 50 ms. A database rather than a schema
// each, because River keeps its tables in a schema with a fixed name. Databases of killed tests are dropped by the next.
//
// Where no Postgres is installed, tests are skipped, or fail if MCPCENSUS_REQUIRE_POSTGRES is set.
package testdb
