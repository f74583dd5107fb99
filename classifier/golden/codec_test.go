package golden

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/mcpcensus/mcpcensus/prober/wire"
)

func TestCodec(t *testing.T) {
	t.Parallel()
	want := new(Session).Discover(NotFound()).Initialize(Initialized()).
		List(wire.Legacy, 1, Result("{\"tools\":[{\"name\":\"\xb0\"}]}")).Call(wire.Legacy, Fails(wire.HTTPReset)).
		OpenStream(Response{Status: 200, Type: "text/event-stream", Body: "data: <&>\u2028\n\n"}).Post(wire.StepInitialize, 0).
		Ends(wire.EndedDeadline).Transcript()
	want.Unvisited, want.Fault = wire.PolicyRobots, "no resolver"
	text, err := Encode(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	options := []cmp.Option{
		cmpopts.EquateEmpty(), cmpopts.IgnoreUnexported(wire.Transcript{}), cmpopts.IgnoreFields(wire.Exchange{}, "Proto"),
	}
	if d := cmp.Diff(want, got, options...); d != "" {
		t.Error(d)
	}
	for name, bad := range map[string]string{
		"unknown member": `{"colour":"red"}`,
		"header":         `{"exchanges":[{"seq":1,"header":["Content-Type"]}]}`,
		"content":        `{"exchanges":[{"seq":1,"body":7}]}`,
		"no JSON":        `{`,
	} {
		if _, err := Decode([]byte(bad)); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

func FuzzDecode(f *testing.F) {
	text, err := Encode(new(Session).Discover(NotFound()).Initialize(Initialized()).Transcript())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"exchanges":[{"body":{"base64":"sKE="}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		transcript, err := Decode(data)
		if err != nil {
			return
		}
		text, err := Encode(transcript)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Decode(text); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
	})
}
