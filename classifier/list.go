package classifier

import (
	"slices"

	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// List is the list of tools of an endpoint on which every classifier agrees: that of the newest era in which a
// handshake was completed and a list was given.
type List struct {
	Era       wire.Era
	Revision  string // that of the handshake
	Transport wire.Transport
	Pages     []int  // Seq of the exchanges that hold it; empty when there is no list
	Tools     []Tool // one for each distinct name, the first that has it
	Malformed int    // entries that are no tool: not an object, or without a name that is a string
	Repeated  int    // entries whose name came before
	Complete  bool   // the server said, or showed, that there is no more
	Why       string // why the list ends where it does; empty when there is no further cursor

	// Answer says whether there is a list: True, False (something else was answered), NotApplicable (a server without
	// tools), NotSupported or NotAvailable. The others say more of it as in a [Finding].
	Answer   Answer
	Label    string
	Reason   string
	Evidence []int
}

// Why a list ends, and the labels of an answer that is no list.
const (
	WhyCursorEmpty        = "cursor_empty"        // complete: legacy, "" stands for no cursor and repeats the page
	WhyCursorNotString    = "cursor_not_string"   // complete: the cursor is no string
	WhyCursorNonadvancing = "cursor_nonadvancing" // unknown: the cursor leads to nothing new
	WhyPageFailed         = "page_failed"         // incomplete: a later page gave no list
	WhyPageCap            = "page_cap"            // incomplete: the cap on pages or bytes was reached
	WhyProbeEnded         = "probe_ended"         // incomplete: the probe had no budget or time left

	LabelToolsAbsent     = "tools_absent"
	LabelToolsNull       = "tools_null"
	LabelToolsNotArray   = "tools_not_array"
	LabelResultNotObject = "result_not_object"

	ReasonNoToolsCapability = "no_tools_capability" // the server does not declare tools and gives no list
)

// ListOfRecord finds the list of tools. A result without an array of tools is no list: the number of tools is then
// unknown, never 0. Lists after a broken handshake do not count.
func ListOfRecord(t *wire.Transcript) List {
	var first *List
	for _, era := range []wire.Era{wire.Modern, wire.Legacy} {
		for _, h := range handshakes(t, era) {
			if h.Answer != True {
				continue
			}
			l := readList(t, h)
			if l.Answer == True {
				return l
			}
			// Without a list, an answer says more than a request that was never sent.
			if first == nil || first.Reason == NotAsked && l.Reason != NotAsked {
				first = &l
			}
		}
	}
	if first != nil {
		return *first
	}
	l := List{Answer: NotAvailable}
	l.Reason, l.Evidence = whyNoHandshake(t)
	return l
}

func readList(t *wire.Transcript, h Handshake) List {
	l := List{Era: h.Era, Revision: h.Revision, Transport: h.Transport, Answer: NotAvailable, Evidence: []int{h.Seq}}
	sent := exchanges(t, h.Era, h.Transport, wire.StepListTools)
	if len(sent) == 0 {
		l.Reason = EndReason(t)
		if !h.HasTools() {
			l.Answer, l.Reason = NotApplicable, ReasonNoToolsCapability
		}
		return l
	}
	var names = map[string]bool{}
	var cursors []string
	for number := 1; ; number++ {
		tries := slices.DeleteFunc(slices.Clone(sent), func(e *wire.Exchange) bool { return e.Page != number })
		if len(tries) == 0 {
			l.end(t, cursors, number-1)
			return l
		}
		p, failed := bestPage(t, tries)
		if failed != nil && number == 1 {
			failed.Era, failed.Revision, failed.Transport = h.Era, h.Revision, h.Transport
			if failed.Label == LabelJSONRPCError && !h.HasTools() {
				failed.Answer, failed.Label, failed.Reason = NotApplicable, "", ReasonNoToolsCapability
			}
			return *failed
		}
		if failed != nil {
			l.Why = WhyPageFailed
			l.Evidence = append(l.Evidence, failed.Evidence...)
			return l
		}
		if number == 1 {
			l.Answer, l.Reason, l.Evidence = True, "", nil
		}
		l.Pages = append(l.Pages, p.seq)
		l.Evidence = append(l.Evidence, p.seq)
		fresh := l.add(p, names)
		if done := l.follow(p, fresh, number, cursors); done {
			return l
		}
		text, _ := wire.ReadString(p.cursor)
		cursors = append(cursors, text)
	}
}

// add converts the entries one by one and returns how many new tools there are.
func (l *List) add(p page, names map[string]bool) int {
	before := len(l.Tools)
	for _, raw := range p.entries {
		o, _, err := wire.ReadObject(raw)
		value, _ := o.Get("name")
		name, ok := wire.ReadString(value)
		switch {
		case err != nil || !ok:
			l.Malformed++
		case names[name]:
			l.Repeated++
		default:
			names[name] = true
			l.Tools = append(l.Tools, Tool{
				Position: len(l.Tools) + 1, Seq: p.seq, Name: projected(name), RawName: []byte(name), Raw: raw, Object: o, WellFormed: wellFormed(o),
			})
		}
	}
	return len(l.Tools) - before
}

// follow decides from the cursor of page number whether the list ends with it.
func (l *List) follow(p page, fresh, number int, cursors []string) (done bool) {
	cursor, isText := wire.ReadString(p.cursor)
	switch kind := wire.KindOf(p.cursor); {
	case kind == wire.KindInvalid || kind == wire.KindNull:
		l.Complete = true
	case !isText:
		l.Complete, l.Why = true, WhyCursorNotString
	case number > 1 && fresh == 0 && cursor == "" && l.Era == wire.Legacy:
		l.Complete, l.Why = true, WhyCursorEmpty
	case number > 1 && fresh == 0, slices.Contains(cursors, cursor):
		l.Why = WhyCursorNonadvancing
	default:
		return false
	}
	return true
}

// end says why there is a cursor and no further page.
func (l *List) end(t *wire.Transcript, cursors []string, pages int) {
	switch {
	case l.Era == wire.Legacy && len(cursors) == pages && pages > 0 && cursors[pages-1] == "":
		l.Complete, l.Why = true, WhyCursorEmpty // before 2026-07-28 an empty cursor may mean that there is none
	case EndReason(t) != NotAsked:
		l.Why = WhyProbeEnded
	case len(l.Tools) == 0:
		l.Why = WhyCursorNonadvancing // a first page without a tool has nothing new: its cursor is not followed
	default:
		l.Why = WhyPageCap
	}
}

// ReasonNoList is the reason of a question that needs a list where something else was answered.
const ReasonNoList = "no_list"

// Missing returns the answer and the reason of a question that needs the list, when there is none.
func (l List) Missing() (Answer, string) {
	if l.Answer == False {
		return NotAvailable, ReasonNoList
	}
	return l.Answer, l.Reason
}
