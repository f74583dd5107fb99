// Package golden is for tests of classifiers. It writes transcripts by hand ([Session]) and keeps them as readable JSON
// with the findings beside them ([Run]): testdata/NAME.transcript.json goes in, testdata/NAME.findings.json comes out.
// Run the tests with -update to write the findings anew, and read the difference before you commit it.
package golden
