package job

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"github.com/mcpcensus/mcpcensus/prober/wire"
	"github.com/mcpcensus/mcpcensus/queries"
)

// bodySet collects byte strings for the store, each once.
type bodySet map[[sha256.Size]byte][]byte

// add returns the key under which the bytes are stored; nil for no bytes at all.
func (s bodySet) add(b []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	sum := sha256.Sum256(b)
	s[sum] = b
	return sum[:]
}

func (s bodySet) rows() []queries.Body {
	rows := make([]queries.Body, 0, len(s))
	for sum, b := range s {
		rows = append(rows, queries.Body{Sha256: sum[:], Bytes: b})
	}
	return rows
}

// storeTranscript writes a probe with its exchanges. A probe that is there already is an error of the database, so that
// nothing is doubled.
func storeTranscript(ctx context.Context, tx pgx.Tx, run string, target int64, worker string, t *wire.Transcript) error {
	bodies := bodySet{}
	exchanges := make([]queries.Exchange, len(t.Exchanges))
	var received int64
	var eras []string
	for i := range t.Exchanges {
		x := &t.Exchanges[i]
		exchanges[i] = exchangeRow(run, target, t, x, bodies)
		received += x.BodyLength
		if e := string(x.Era); len(eras) == 0 || eras[len(eras)-1] != e {
			eras = append(eras, e)
		}
	}
	if eras == nil {
		eras = []string{}
	}
	if err := queries.InsertBodies(ctx, tx, bodies.rows()); err != nil {
		return err
	}
	if err := queries.CopyExchanges(ctx, tx, exchanges); err != nil {
		return err
	}
	var retryAfter *int64
	if t.Ended == wire.EndedDeferred {
		ms := t.RetryAfter.Milliseconds()
		retryAfter = &ms
	}
	err := queries.New(tx).InsertProbe(ctx, queries.InsertProbeParams{
		RunID: run, TargetID: target, Purpose: string(t.Purpose), Visit: int32(t.Visit), Eras: eras, Worker: worker,
		StartedAt: t.Started, FinishedAt: later(t.Started, t.Finished), Outcome: t.Outcome(), Ended: string(t.Ended), RetryAfterMs: retryAfter,
		UnknownTool: t.UnknownTool, Exchanges: int32(len(exchanges)), Bytes: received,
	})
	if err != nil {
		return fmt.Errorf("store the probe of target %d: %w", target, err)
	}
	return nil
}

// later is the end of something that began at start; a clock that was set back meanwhile does not make it end before.
func later(start, end time.Time) time.Time { return start.Add(max(0, end.Sub(start))) }

func exchangeRow(run string, target int64, t *wire.Transcript, x *wire.Exchange, bodies bodySet) queries.Exchange {
	row := queries.Exchange{
		RunID: run, TargetID: target, Purpose: string(t.Purpose), Visit: int32(t.Visit), Seq: int32(x.Seq),
		Era: string(x.Era), Transport: string(x.Transport), Step: string(x.Step), Page: int32(x.Page), Try: int32(x.Try),
		FollowsOf: int32(x.FollowsOf), StreamOf: int32(x.StreamOf),
		Method: x.Method, Url: text(x.URL), RequestHeader: x.RequestHeader.Encode(), RequestSha256: bodies.add(x.RequestBody),
		Status: int32(x.Status), Proto: text(x.Proto), ResponseHeader: x.ResponseHeader.Encode(), BodySha256: bodies.add(x.Body),
		BodyLength: x.BodyLength, DeclaredLength: x.DeclaredLength, Truncated: x.BodyTruncated, LeftOpen: x.LeftOpen,
		Failure: string(x.Failure), FailureDetail: text(x.FailureDetail), RemoteAddr: x.RemoteAddr, TlsVersion: x.TLSVersion,
		StartedAt: x.Started, FirstByteUs: x.FirstByte.Microseconds(), DurationUs: x.Duration.Microseconds(),
	}
	if x.RequestID != nil {
		id := string(x.RequestID)
		row.RequestID = &id
	}
	if m := t.Answer(x.Seq).Message; m != nil {
		sum := sha256.Sum256(m.Raw)
		row.AnswerSha256 = sum[:]
	}
	return row
}

// text makes a Postgres text of any bytes: NUL and invalid UTF-8 cannot be stored there. It is for projections only; the
// bytes themselves are in table body.
func text(s string) string {
	if utf8.ValidString(s) && !strings.Contains(s, "\x00") {
		return s
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

// loadTranscript reads back what storeTranscript wrote, byte for byte.
func loadTranscript(ctx context.Context, q *queries.Queries, run string, p queries.UnclassifiedProbesRow) (*wire.Transcript, error) {
	head, err := q.GetProbe(ctx, queries.GetProbeParams{RunID: run, TargetID: p.TargetID, Purpose: p.Purpose, Visit: p.Visit})
	if err != nil {
		return nil, fmt.Errorf("read the probe of target %d: %w", p.TargetID, err)
	}
	rows, err := q.GetExchanges(ctx, queries.GetExchangesParams{RunID: run, TargetID: p.TargetID, Purpose: p.Purpose, Visit: p.Visit})
	if err != nil {
		return nil, fmt.Errorf("read the exchanges of target %d: %w", p.TargetID, err)
	}
	t := &wire.Transcript{
		Target: head.Key, Purpose: wire.Purpose(head.Purpose), Visit: int(head.Visit), UnknownTool: head.UnknownTool,
		Started: head.StartedAt, Finished: head.FinishedAt, Ended: wire.Ended(head.Ended),
		Exchanges: make([]wire.Exchange, len(rows)),
	}
	for _, declared := range head.Types {
		t.Declared = append(t.Declared, wire.Transport(declared))
	}
	if len(rows) == 0 && head.Outcome != wire.OutcomeNothingSent {
		t.Unvisited = wire.Failure(head.Outcome)
	}
	if head.Error != nil {
		t.Fault = *head.Error
	}
	if head.RetryAfterMs != nil {
		t.RetryAfter = time.Duration(*head.RetryAfterMs) * time.Millisecond
	}
	for i, r := range rows {
		t.Exchanges[i] = exchangeOf(r)
	}
	return t, nil
}

func exchangeOf(r queries.GetExchangesRow) wire.Exchange {
	x := wire.Exchange{
		Seq: int(r.Seq), Era: wire.Era(r.Era), Transport: wire.Transport(r.Transport), Step: wire.Step(r.Step),
		Page: int(r.Page), Try: int(r.Try), FollowsOf: int(r.FollowsOf), StreamOf: int(r.StreamOf),
		Method: r.Method, URL: r.Url, RequestHeader: wire.DecodeHeader(r.RequestHeader), RequestBody: r.RequestBody,
		Status: int(r.Status), Proto: r.Proto, ResponseHeader: wire.DecodeHeader(r.ResponseHeader), Body: r.Body,
		BodyLength: r.BodyLength, DeclaredLength: r.DeclaredLength, BodyTruncated: r.Truncated, LeftOpen: r.LeftOpen,
		Failure: wire.Failure(r.Failure), FailureDetail: r.FailureDetail, RemoteAddr: r.RemoteAddr, TLSVersion: r.TlsVersion,
		Started: r.StartedAt, FirstByte: time.Duration(r.FirstByteUs) * time.Microsecond, Duration: time.Duration(r.DurationUs) * time.Microsecond,
	}
	if r.RequestID != nil {
		x.RequestID = []byte(*r.RequestID)
	}
	return x
}
