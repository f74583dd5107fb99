package wire

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestHeaderIsStoredAndReadBack(t *testing.T) {
	t.Parallel()
	for _, h := range []Header{nil, {{"A", "b"}}, {{"Set-Cookie", "a: b; c"}, {"X", ""}, {"X", "\xff"}}} {
		stored := h.Encode()
		if stored == nil {
			t.Errorf("%v is stored as nil, which a database takes for missing", h)
		}
		if diff := cmp.Diff(h, DecodeHeader(stored)); diff != "" {
			t.Error(diff)
		}
	}
}
