package registry

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Sink takes what a walk finds. An error of it ends the walk and is returned as it is.
type Sink interface {
	// Page commits a page together with the state behind it, in one transaction. What is not committed is fetched again.
	Page(ctx context.Context, p Page, c PageContent, next State) error
	// Failed commits the state after a failed request, before the wait.
	Failed(ctx context.Context, next State) error
}

// Walk reads a list from where the state says to its end, one page after the other, with no cap on their number. Only
// an answer 200 that is a page without a next cursor is the end; anything else is tried again with growing pauses. It
// returns the state behind the last page that was committed, and a [*Stopped] when it had to give up.
func (c *Client) Walk(ctx context.Context, q Query, from State, sink Sink) (State, error) {
	st := from.clone()
	for !st.Done {
		if err := c.pause(ctx, st.Trouble); err != nil {
			return st, err
		}
		path := q.path(st.limit(), st.Cursor)
		r, content, fault := c.page(ctx, list, path)
		if err := interrupted(ctx, fault); err != nil {
			return st, err
		}
		if fault != nil {
			next, stop := c.afterFault(ctx, st, fault, q)
			if err := ctx.Err(); err != nil {
				return st, err
			}
			if err := sink.Failed(ctx, next); err != nil {
				return st, err
			}
			st = next
			if stop != nil {
				return st, stop
			}
			continue
		}
		page := Page{Response: r, Seq: st.Seq, Limit: st.limit(), Cursor: st.Cursor, Attempts: st.Trouble.Failures + 1}
		content, err := c.freshen(ctx, path, &page, content)
		if err != nil {
			return st, err
		}
		page.NextCursor = content.NextCursor
		if stop := followable(page); stop != nil {
			return st, stop
		}
		guard := st.Guard
		if page.NextCursor != "" && guard.follow(page.Cursor, page.NextCursor) {
			return st, &Stopped{Reason: StopLoop, Cursor: page.NextCursor, Err: errors.New("a cursor came twice")}
		}
		if page.NextCursor != "" && len(content.Rows) == 0 && st.Empty >= maxEmpty {
			return st, &Stopped{Reason: StopLoop, Cursor: page.NextCursor, Err: fmt.Errorf("%d pages in a row have no row", st.Empty)}
		}
		content.compare(st, page)
		next := st.after(page, content)
		next.Guard = guard
		if err := sink.Page(ctx, page, content, next); err != nil {
			return st, err
		}
		st = next
	}
	return st, nil
}

// maxEmpty is how many pages in a row may be empty, though they give ever new cursors: a walk of those never ends.
const maxEmpty = 100

// followable refuses the cursors that a registry cannot have meant: they could be neither sent nor stored.
func followable(p Page) *Stopped {
	if strings.ContainsRune(p.NextCursor, 0) {
		return &Stopped{Reason: StopCursor, Cursor: p.Cursor, Err: errors.New("it contains a NUL")}
	}
	return nil
}

// compare notes what is odd about a page where it stands.
func (c *PageContent) compare(st State, p Page) {
	if len(c.Rows) < p.Limit && p.NextCursor != "" {
		c.note(PageShort)
	}
	if len(c.Rows) > p.Limit {
		c.note(PageLong)
	}
	if !st.ordered(*c) {
		c.note(PageOutOfOrder)
	}
	slices.Sort(c.Anomalies)
	c.Anomalies = slices.Compact(c.Anomalies)
}

// freshen reads a page again, once, when the cache says that it may be old, and keeps both answers.
func (c *Client) freshen(ctx context.Context, path string, p *Page, content PageContent) (PageContent, error) {
	if !stale(p.Response) {
		return content, nil
	}
	if err := c.o.Clock.Sleep(ctx, c.shorten(2*time.Second)); err != nil {
		return content, err
	}
	p.Attempts++
	again, newer, fault := c.page(ctx, list, path)
	if err := interrupted(ctx, fault); err != nil {
		return content, err
	}
	if fault != nil {
		content.note(PageStaleAgain)
		return content, nil //nolint:nilerr // the first answer is a page, if an old one
	}
	first := p.Response
	p.Response, p.Stale = again, &first
	switch {
	case stale(again):
		newer.note(PageStaleAgain)
	case bytes.Equal(first.Body, again.Body):
		newer.note(PageStaleSame)
	default:
		newer.note(PageStaleChanged)
	}
	return newer, nil
}

func stale(r Response) bool { return r.Cache() == "STALE" || r.Cache() == "UPDATING" }

// How many refusals it takes to suspect one row, and to be sure of it.
const (
	suspectAfter = 4
	poisonAfter  = 2
)

// afterFault decides what to do about a failed request. One stored row that the registry cannot decode makes every page
// with it a 500, which looks like an outage. So after a few of them smaller pages close in on the row: each success
// moves on by some rows, each refusal halves what is suspected. When a page of one row is refused while the registry
// serves another list, there is a gap; when it serves nothing, it was an outage after all.
func (c *Client) afterFault(ctx context.Context, st State, fault *Fault, q Query) (State, *Stopped) {
	next := st.clone()
	count(&next.Tally.Outcomes, fault.Outcome)
	if st.Seq == 0 && st.Cursor == "" && refusal(fault) {
		return next, &Stopped{Reason: StopRefused, Err: fault}
	}
	var stop *Stopped
	if fault.Status != http.StatusInternalServerError && fault.Outcome != OutcomeTooLarge {
		next.Trouble, stop = c.worse(st.Trouble, fault, st.Cursor)
		return next, stop
	}
	next.Refused++
	limit := st.limit()
	switch {
	case st.Suspect == 0 && next.Refused < suspectAfter && fault.Outcome != OutcomeTooLarge:
		next.Trouble, stop = c.worse(st.Trouble, fault, st.Cursor)
		return next, stop
	case limit > 1:
		next.Suspect = limit
	case c.serves(ctx, q, st):
		next.Poison++
		if next.Poison >= poisonAfter {
			next.Trouble, next.Poison = Trouble{}, 0
			return next, &Stopped{Reason: StopGap, Cursor: st.Cursor, Err: fault}
		}
	default:
		next.Suspect, next.Refused, next.Poison = 0, 0, 0
		next.Trouble, stop = c.worse(st.Trouble, fault, st.Cursor)
		return next, stop
	}
	next.Trouble, stop = c.wait(st.Trouble, firstWait, fault, st.Cursor)
	return next, stop
}

// serves says whether the registry answers a list right now, from its database and not from a cache. It asks for what
// lies behind the end of the list, where no row can be in the way, and never twice with the same spelling.
func (c *Client) serves(ctx context.Context, q Query, st State) bool {
	r, _, fault := c.page(ctx, list, q.path(1, strings.Repeat("~", 1+st.Poison)))
	return fault == nil && !stale(r) && r.Cache() != "HIT"
}
