package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
)

func TestReadMessage(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in    string
		kind  MessageType
		flaws []Flaw
		err   error
	}{
		"request":               {in: `{"jsonrpc":"2.0","id":1,"method":"ping"}`, kind: TypeRequest},
		"notification":          {in: `{"jsonrpc":"2.0","method":"notifications/message","params":{}}`, kind: TypeNotification},
		"result":                {in: `{"jsonrpc":"2.0","id":"a","result":{}}`, kind: TypeResult},
		"null result":           {in: `{"jsonrpc":"2.0","id":1,"result":null}`, kind: TypeResult},
		"error":                 {in: `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"m"}}`, kind: TypeError},
		"error without id":      {in: `{"jsonrpc":"2.0","error":{"code":-32700,"message":"m"}}`, kind: TypeError, flaws: []Flaw{IDIsMissing}},
		"error with null id":    {in: `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}`, kind: TypeError, flaws: []Flaw{IDIsNull}},
		"result and null error": {in: `{"jsonrpc":"2.0","id":1,"result":{},"error":null}`, kind: TypeResult, flaws: []Flaw{BothResultAndError}},
		"error and null result": {in: `{"jsonrpc":"2.0","id":1,"result":null,"error":{"code":1}}`, kind: TypeError, flaws: []Flaw{BothResultAndError}},
		"result and error":      {in: `{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1}}`, kind: TypeInvalid, flaws: []Flaw{BothResultAndError}},
		"neither":               {in: `{"jsonrpc":"2.0","id":1}`, kind: TypeInvalid},
		"no version":            {in: `{"id":1,"result":{}}`, kind: TypeInvalid, flaws: []Flaw{JSONRPCVersion}},
		"version as number":     {in: `{"jsonrpc":2.0,"id":1,"result":{}}`, kind: TypeInvalid, flaws: []Flaw{JSONRPCVersion}},
		"method and result":     {in: `{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}`, kind: TypeInvalid},
		"method is no string":   {in: `{"jsonrpc":"2.0","id":1,"method":7}`, kind: TypeInvalid},
		"lost session":          {in: `{"error":"Session not found"}`, kind: TypeInvalid, flaws: []Flaw{ErrorNotObject, JSONRPCVersion}},
		"error is text":         {in: `{"jsonrpc":"2.0","id":1,"error":"no"}`, kind: TypeError, flaws: []Flaw{ErrorNotObject}},
		"code is text":          {in: `{"jsonrpc":"2.0","id":1,"error":{"code":"RATE_LIMITED","message":"x"}}`, kind: TypeError, flaws: []Flaw{ErrorCodeType}},
		"code is 1.0":           {in: `{"jsonrpc":"2.0","id":1,"error":{"code":-32023.0,"message":"x"}}`, kind: TypeError, flaws: []Flaw{ErrorCodeType}},
		"no code":               {in: `{"jsonrpc":"2.0","id":1,"error":{"message":"x"}}`, kind: TypeError, flaws: []Flaw{ErrorCodeType}},
		"envelope in envelope":  {in: `{"jsonrpc":"2.0","id":1,"result":{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}}`, kind: TypeResult, flaws: []Flaw{NestedEnvelope}},
		"error in envelope":     {in: `{"jsonrpc":"2.0","id":1,"result":{"jsonrpc":"2.0","id":1,"error":{"code":-32603}}}`, kind: TypeResult, flaws: []Flaw{NestedEnvelope}},
		"result in a result":    {in: `{"jsonrpc":"2.0","id":1,"result":{"result":[1]}}`, kind: TypeResult},
		"case variants":         {in: `{"jsonrpc":"2.0","id":1,"Result":{"a":1},"result":{}}`, kind: TypeResult, flaws: []Flaw{CaseVariantKey}},
		"only a variant":        {in: `{"jsonrpc":"2.0","id":1,"RESULT":{}}`, kind: TypeInvalid, flaws: []Flaw{CaseVariantKey}},
		"variant in the error":  {in: `{"jsonrpc":"2.0","id":1,"error":{"code":1,"Code":2,"message":"m"}}`, kind: TypeError, flaws: []Flaw{CaseVariantKey}},
		"duplicate in error":    {in: `{"jsonrpc":"2.0","id":1,"error":{"code":1,"code":2,"message":"m"}}`, kind: TypeError, flaws: []Flaw{DuplicateKey}},
		"two results":           {in: `{"jsonrpc":"2.0","id":1,"result":{},"result":{}}`, kind: TypeResult, flaws: []Flaw{DuplicateKey}},
		"trailing":              {in: `{"jsonrpc":"2.0","id":1,"result":{}}]`, kind: TypeResult, flaws: []Flaw{TrailingBytes}},
		"empty object":          {in: `{}`, kind: TypeInvalid, flaws: []Flaw{JSONRPCVersion}},
		"array":                 {in: `[]`, kind: TypeInvalid, err: ErrNotObject},
		"text":                  {in: `no`, kind: TypeInvalid, err: ErrInvalidJSON},
		"NaN inside":            {in: `{"jsonrpc":"2.0","id":1,"result":{"n":NaN}}`, kind: TypeInvalid, flaws: []Flaw{NonFiniteNumber}, err: ErrNonFinite},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, err := ReadMessage([]byte(c.in))
			if !errors.Is(err, c.err) {
				t.Fatalf("error %v, want %v", err, c.err)
			}
			if m.Type != c.kind {
				t.Errorf("type %s, want %s", m.Type, c.kind)
			}
			if !slices.Equal(m.Flaws, c.flaws) {
				t.Errorf("flaws %v, want %v", m.Flaws, c.flaws)
			}
		})
	}
}

func TestReadMessageMembers(t *testing.T) {
	t.Parallel()
	m, err := ReadMessage([]byte(`{"jsonrpc":"2.0","id": "x" ,"error":{"code":-32023.0,"message":"slow down","data":{"retryAfterMs":1500}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if string(m.ID) != `"x"` || m.Result != nil || m.Method != "" {
		t.Errorf("id %q, result %q, method %q", m.ID, m.Result, m.Method)
	}
	e := m.Error
	if string(e.Code) != "-32023.0" || e.CodeInt != -32023 || !e.CodeIsInt || e.Message != "slow down" || string(e.Data) != `{"retryAfterMs":1500}` {
		t.Errorf("error %+v", *e)
	}
}

func TestBand(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		code, rev string
		want      Band
	}{
		{`-32700`, "2025-11-25", BandStd},
		{`-32600`, "2025-11-25", BandStd},
		{`-32603`, "2025-11-25", BandStd},
		{`-32604`, "2025-11-25", BandOtherReserved},
		{`-32599`, "2025-11-25", BandOtherReserved},
		{`-32768`, "2025-11-25", BandOtherReserved},
		{`-32769`, "2025-11-25", BandApp},
		{`-32100`, "2025-11-25", BandOtherReserved},
		{`-31999`, "2025-11-25", BandApp},
		{`-32000`, "2026-07-28", BandLegacyImpl},
		{`-32019`, "2026-07-28", BandLegacyImpl},
		{`-32020`, "2026-07-28", BandMCPDefined},
		{`-32022`, "2025-06-18", BandMCPDefined},
		{`-32023`, "2026-07-28", BandMCPReservedUndefined},
		{`-32023.0`, "2026-07-28", BandMCPReservedUndefined},
		{`-32099`, "2026-07-28", BandMCPReservedUndefined},
		{`-32042`, "2025-11-25", BandMCPDefined},
		{`-32042`, "2025-06-18", BandMCPReservedUndefined},
		{`-32042`, "2026-07-28", BandMCPReservedUndefined},
		{`-32002`, "2024-11-05", BandMCPDefined},
		{`-32002`, "2025-11-25", BandMCPDefined},
		{`-32002`, "2026-07-28", BandLegacyImpl},
		{`-32002`, "", BandLegacyImpl},
		{`-32021`, "", BandMCPDefined},
		{`0`, "2025-11-25", BandApp},
		{`429`, "2025-11-25", BandApp},
		{`1e30`, "2025-11-25", BandApp},
		{`-1e30`, "2025-11-25", BandApp},
		{`"-32602"`, "2025-11-25", BandNotInteger},
		{`-32602.5`, "2025-11-25", BandNotInteger},
		{`null`, "2025-11-25", BandNotInteger},
	} {
		m, err := ReadMessage(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"error":{"code":%s}}`, c.code))
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Error.Band(c.rev); got != c.want {
			t.Errorf("code %s at %q: %s, want %s", c.code, c.rev, got, c.want)
		}
	}
}

func TestMatchID(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		sent, got string
		want      IDMatch
	}{
		{`1`, `1`, IDExact},
		{`"a"`, `"a"`, IDExact},
		{`"a"`, `"\u0061"`, IDExact},
		{`1`, `"1"`, IDLoose},
		{`1`, `1.0`, IDLoose},
		{`1`, `1e0`, IDLoose},
		{`1`, `"1.0"`, IDLoose},
		{`100`, `1E2`, IDLoose},
		{`"1"`, `1`, IDLoose},
		{`9007199254740993`, `9007199254740993.0`, IDLoose},
		{`9007199254740993`, `9007199254740992`, IDDifferent},
		{`9007199254740993`, `9.007199254740992e15`, IDDifferent},
		{`1`, `null`, IDNull},
		{`1`, ``, IDMissing},
		{`1`, `0`, IDDifferent},
		{`1`, `-1`, IDDifferent},
		{`1`, `1.5`, IDDifferent},
		{`1`, `"server-error"`, IDDifferent},
		{`1`, `""`, IDDifferent},
		{`1`, `true`, IDDifferent},
		{`1`, `[1]`, IDDifferent},
		{`1`, `{}`, IDDifferent},
		{`"1"`, `"01"`, IDDifferent},
		{`"a"`, `"A"`, IDDifferent},
	} {
		if got := MatchID(json.RawMessage(c.sent), json.RawMessage(c.got)); got != c.want {
			t.Errorf("sent %s, got %s: %s, want %s", c.sent, c.got, got, c.want)
		}
	}
}

func TestFlawVocabulary(t *testing.T) {
	t.Parallel()
	all := Flaws()
	if !slices.IsSorted(all) || len(slices.Compact(slices.Clone(all))) != len(all) {
		t.Errorf("not sorted or not distinct: %v", all)
	}
}

func FuzzReadMessage(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32602.0,"message":"m","data":1}}`,
		`{"jsonrpc":"2.0","method":"ping","id":"1"}`, `{"jsonrpc":"2.0","id":1,"result":{"jsonrpc":"2.0","result":1}}`, `{"error":"x"}`, `[1]`, ``,
	} {
		f.Add([]byte(seed))
	}
	vocabulary := Flaws()
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, err := ReadMessage(raw)
		for _, flaw := range m.Flaws {
			if !slices.Contains(vocabulary, flaw) {
				t.Errorf("flaw %q is not in the vocabulary", flaw)
			}
		}
		if err != nil {
			if m.Type != TypeInvalid || len(m.ID) != 0 {
				t.Errorf("error %v beside type %s and id %q", err, m.Type, m.ID)
			}
			return
		}
		switch m.Type {
		case TypeResult:
			if m.Result == nil || m.Error != nil {
				t.Error("result without result")
			}
		case TypeError:
			if m.Error == nil {
				t.Error("error without error")
			} else {
				m.Error.Band("2025-11-25")
			}
		case TypeRequest, TypeNotification:
			if m.Method == "" || (m.ID != nil) != (m.Type == TypeRequest) {
				t.Errorf("%s with method %q and id %q", m.Type, m.Method, m.ID)
			}
		}
		if m.ID != nil && KindOf(m.ID) != KindNull && MatchID(m.ID, m.ID) != IDExact {
			t.Errorf("id %q does not match itself", m.ID)
		}
	})
}
