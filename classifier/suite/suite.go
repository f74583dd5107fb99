package suite

import (
	"slices"
	"sync"

	"github.com/mcpcensus/mcpcensus/classifier"
	"github.com/mcpcensus/mcpcensus/classifier/conformance"
	"github.com/mcpcensus/mcpcensus/classifier/era"
	"github.com/mcpcensus/mcpcensus/classifier/handshake"
	"github.com/mcpcensus/mcpcensus/classifier/outputschema"
	"github.com/mcpcensus/mcpcensus/classifier/toollist"
	"github.com/mcpcensus/mcpcensus/classifier/unknowntool"
	"github.com/mcpcensus/mcpcensus/classifier/writetool"
)

// All returns every classifier, in the order of a report.
func All() []classifier.Classifier { return slices.Clone(all()) }

// all reads the definitions once; they do not change while the program runs.
var all = sync.OnceValue(func() []classifier.Classifier {
	return []classifier.Classifier{
		handshake.New(), era.New(), toollist.New(), outputschema.New(), writetool.New(), unknowntool.New(), conformance.New(),
	}
})
