package wire

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// coder returns a writer of the coding; deflate-raw stands for deflate without its wrapper.
func coder(t testing.TB, coding string, to io.Writer) interface {
	io.WriteCloser
	Flush() error
} {
	t.Helper()
	switch coding {
	case "gzip", "x-gzip":
		return gzip.NewWriter(to)
	case "deflate":
		return zlib.NewWriter(to)
	case "deflate-raw":
		w, err := flate.NewWriter(to, flate.DefaultCompression)
		if err != nil {
			t.Fatal(err)
		}
		return w
	case "br":
		return brotli.NewWriter(to)
	case "zstd":
		w, err := zstd.NewWriter(to, zstd.WithEncoderConcurrency(1))
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	t.Fatalf("no coder for %q", coding)
	return nil
}

func encode(t testing.TB, coding string, plain []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := coder(t, coding, &b)
	if _, err := w.Write(plain); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func encoded(label string, body []byte) *Exchange {
	e := &Exchange{Status: 200, Body: body, RequestHeader: Header{{"Accept-Encoding", "identity"}}}
	if label != "" {
		e.ResponseHeader = Header{{"content-encoding", label}}
	}
	return e
}

func TestDecoded(t *testing.T) {
	t.Parallel()
	small := []byte(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	large := []byte(`{"jsonrpc":"2.0","id":1,"result":{"pad":"` + strings.Repeat("pad ", 100_000) + `"}}`)
	for _, plain := range [][]byte{small, large, {}} {
		for coding, label := range map[string]string{
			"gzip": "gzip", "x-gzip": " X-GZIP ", "deflate": "deflate", "deflate-raw": "deflate", "br": "br", "zstd": "zstd",
		} {
			got, flaws, err := encoded(label, encode(t, coding, plain)).Decoded(MaxBody)
			if err != nil || !bytes.Equal(got, plain) || !slices.Equal(flaws, []Flaw{ContentEncodingUnsolicited}) {
				t.Errorf("%s of %d bytes: %d bytes, flaws %v, error %v", coding, len(plain), len(got), flaws, err)
			}
		}
	}
	double := encode(t, "br", encode(t, "gzip", large))
	triple := encode(t, "zstd", double)
	for name, c := range map[string]struct {
		label string
		body  []byte
		want  []byte
		flaws []Flaw
		err   error
	}{
		"plain":              {body: small, want: small},
		"identity":           {label: "identity", body: small, want: small},
		"double":             {label: "gzip, br", body: double, want: large, flaws: []Flaw{ContentEncodingUnsolicited}},
		"triple":             {label: "gzip,br,identity,zstd", body: triple, want: large, flaws: []Flaw{ContentEncodingUnsolicited}},
		"five":               {label: "gzip,gzip,gzip,gzip,gzip", body: small, flaws: []Flaw{ContentEncodingUnsolicited, EncodingUnsupported}, err: ErrEncodingUnsupported},
		"gzip without label": {body: encode(t, "gzip", small), want: small, flaws: []Flaw{EncodingMismatch}},
		"zstd without label": {body: encode(t, "zstd", small), want: small, flaws: []Flaw{EncodingMismatch}},
		"not gzip":           {label: "gzip", body: small, want: small, flaws: []Flaw{ContentEncodingUnsolicited, EncodingMismatch}},
		"not br":             {label: "br", body: small, want: small, flaws: []Flaw{ContentEncodingUnsolicited, EncodingMismatch}},
		"not br, a stream":   {label: "br", body: []byte("event: message\ndata: 1\n\n"), want: []byte("event: message\ndata: 1\n\n"), flaws: []Flaw{ContentEncodingUnsolicited, EncodingMismatch}},
		"not deflate":        {label: "deflate", body: []byte("{\n  \"a\": 1}"), want: []byte("{\n  \"a\": 1}"), flaws: []Flaw{ContentEncodingUnsolicited, EncodingMismatch}},
		"not zstd":           {label: "zstd", body: small, want: small, flaws: []Flaw{ContentEncodingUnsolicited, EncodingMismatch}},
		"half of the label":  {label: "gzip, br", body: encode(t, "gzip", small), want: nil, flaws: []Flaw{ContentEncodingUnsolicited, EncodingIncomplete}},
		"unknown":            {label: "compress", body: []byte{0x1f, 0x9d, 0x90}, flaws: []Flaw{ContentEncodingUnsolicited, EncodingUnsupported}, err: ErrEncodingUnsupported},
		"unknown but plain":  {label: "utf-8", body: small, want: small, flaws: []Flaw{ContentEncodingUnsolicited, EncodingMismatch, EncodingUnsupported}},
		"nothing, labelled":  {label: "gzip", body: nil, want: []byte{}, flaws: []Flaw{ContentEncodingUnsolicited}},
		"damaged header":     {label: "gzip", body: []byte{0x1f, 0x8b, 0x63, 1, 2, 3}, want: []byte{}, flaws: []Flaw{ContentEncodingUnsolicited, EncodingIncomplete}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, flaws, err := encoded(c.label, c.body).Decoded(MaxBody)
			if !errors.Is(err, c.err) || c.want != nil && !bytes.Equal(got, c.want) || !slices.Equal(flaws, c.flaws) {
				t.Errorf("%d bytes (%.60q), flaws %v, error %v", len(got), got, flaws, err)
			}
		})
	}
}

func TestDecodedTwoFields(t *testing.T) {
	t.Parallel()
	plain := []byte(`{"a":1}`)
	e := encoded("gzip", encode(t, "br", encode(t, "gzip", plain)))
	e.ResponseHeader = append(e.ResponseHeader, Field{"Content-Encoding", "br"})
	e.RequestHeader = Header{{"Accept-Encoding", "gzip;q=0.5, *"}}
	got, flaws, err := e.Decoded(MaxBody)
	if err != nil || !bytes.Equal(got, plain) || len(flaws) != 0 {
		t.Errorf("%q, flaws %v, error %v", got, flaws, err)
	}
}

func TestUnsolicited(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		accept, label string
		want          bool
	}{
		{"identity", "gzip", true}, {"identity", "", false}, {"identity", "identity", false}, {"gzip", "GZIP", false},
		{"gzip;q=0", "gzip", true}, {"gzip; q=0.5, br", "br", false}, {"*", "br", false}, {"br;q=0, *", "br", true}, {"", "br", true},
	} {
		if got := unsolicited(c.label, Header{{"Accept-Encoding", c.accept}}); got != c.want {
			t.Errorf("accept %q, label %q: %v", c.accept, c.label, got)
		}
	}
	if unsolicited("br", nil) {
		t.Error("without Accept-Encoding every coding is allowed")
	}
}

func TestDecodedKeepsWhatCame(t *testing.T) {
	t.Parallel()
	plain := []byte(strings.Repeat("0123456789abcdef", 20_000))
	for _, coding := range []string{"gzip", "deflate", "br", "zstd"} {
		var b bytes.Buffer
		w := coder(t, coding, &b)
		if _, err := w.Write(plain); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		got, flaws, err := encoded(coding, b.Bytes()).Decoded(MaxBody)
		if err != nil || !bytes.Equal(got, plain) || !slices.Contains(flaws, EncodingIncomplete) {
			t.Errorf("%s: %d of %d bytes, flaws %v, error %v", coding, len(got), len(plain), flaws, err)
		}
	}
	sum := encode(t, "gzip", plain)
	sum[len(sum)-5] ^= 1
	got, flaws, err := encoded("gzip", sum).Decoded(MaxBody)
	if err != nil || !bytes.Equal(got, plain) || !slices.Contains(flaws, EncodingIncomplete) {
		t.Errorf("wrong check sum: %d bytes, flaws %v, error %v", len(got), flaws, err)
	}
}

func TestDecodedCap(t *testing.T) {
	t.Parallel()
	const limit = 64 << 10
	zeros := make([]byte, 2<<20)
	for _, coding := range []string{"gzip", "deflate", "br", "zstd"} {
		bomb := encode(t, coding, zeros)
		got, _, err := encoded(coding, bomb).Decoded(limit)
		if !errors.Is(err, ErrTooLarge) || len(got) != limit {
			t.Errorf("%s: %d bytes, error %v", coding, len(got), err)
		}
	}
	twice := encode(t, "gzip", encode(t, "gzip", zeros))
	if got, _, err := encoded("gzip, gzip", twice).Decoded(limit); !errors.Is(err, ErrTooLarge) || len(got) != limit {
		t.Errorf("twice: %d bytes, error %v", len(got), err)
	}
	for extra, want := range []error{nil, ErrTooLarge} {
		got, _, err := encoded("gzip", encode(t, "gzip", zeros[:limit+extra])).Decoded(limit)
		if !errors.Is(err, want) || len(got) != limit {
			t.Errorf("%d over: %d bytes, error %v", extra, len(got), err)
		}
		got, _, err = encoded("", zeros[:limit+extra]).Decoded(limit)
		if !errors.Is(err, want) || len(got) != limit {
			t.Errorf("plain, %d over: %d bytes, error %v", extra, len(got), err)
		}
	}
}

// A coded event stream gives out each event when it was flushed, while the stream stays open.
func TestNewDecoderStreams(t *testing.T) {
	t.Parallel()
	for coding, label := range map[string]string{"gzip": "gzip", "deflate": "deflate", "deflate-raw": "deflate", "br": "br", "zstd": "zstd"} {
		t.Run(coding, func(t *testing.T) {
			t.Parallel()
			events := []string{"data: one\n\n", "data: two\n\n"}
			pr, pw := io.Pipe()
			got := make(chan string)
			go func() {
				defer close(got)
				r, err := NewDecoder(label, pr, MaxBody)
				if err != nil {
					t.Error(err)
					return
				}
				for _, want := range events {
					b := make([]byte, len(want))
					if _, err := io.ReadFull(r, b); err != nil {
						t.Error(err)
						return
					}
					got <- string(b)
				}
				if err := pr.Close(); err != nil {
					t.Error(err)
				}
			}()
			w := coder(t, coding, pw)
			for _, want := range events {
				if _, err := io.WriteString(w, want); err != nil {
					t.Fatal(err)
				}
				if err := w.Flush(); err != nil {
					t.Fatal(err)
				}
				if event := <-got; event != want {
					t.Fatalf("got %q, want %q", event, want)
				}
			}
			<-got
		})
	}
}

func FuzzDecoded(f *testing.F) {
	plain := []byte(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	for _, coding := range []string{"gzip", "deflate", "br", "zstd"} {
		f.Add(coding, encode(f, coding, plain))
	}
	f.Add("gzip, br", encode(f, "br", encode(f, "gzip", plain)))
	f.Add("", plain)
	f.Add("utf-8", plain)
	f.Add("gzip", plain)
	const limit = 4096
	f.Fuzz(func(t *testing.T, label string, body []byte) {
		e := encoded(label, body)
		got, flaws, err := e.Decoded(limit)
		if len(got) > limit {
			t.Errorf("%d bytes", len(got))
		}
		if err != nil && !errors.Is(err, ErrTooLarge) && !errors.Is(err, ErrEncodingUnsupported) {
			t.Errorf("error %v", err)
		}
		if errors.Is(err, ErrTooLarge) && len(got) != limit {
			t.Errorf("cut at %d bytes", len(got))
		}
		again, flaws2, err2 := e.Decoded(limit)
		if !bytes.Equal(got, again) || !slices.Equal(flaws, flaws2) || (err == nil) != (err2 == nil) {
			t.Error("two readings differ")
		}
	})
}
