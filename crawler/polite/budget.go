package polite

import "sync"

// What one visit may cost an endpoint, in requests.
const (
	BaseRequests = 16 // everything but the further pages of tool lists
	MaxPages     = 64 // pages of one tool list, of which the base pays the first

	lists        = 2 // one for each era
	furtherPages = lists * (MaxPages - 1)
)

// Budget counts the requests of one visit to one endpoint. A request is reserved before it is sent and stays counted
// whatever becomes of it; redirects and repeats are requests like any other. It is safe for concurrent use.
type Budget struct {
	mu      sync.Mutex
	base    int // left for requests
	further int // left for further pages
	used    int
}

// NewBudget returns the full budget: BaseRequests, and MaxPages - 1 further pages for the tool list of each era.
func NewBudget() *Budget {
	return &Budget{base: BaseRequests, further: furtherPages}
}

// Reserve takes one request from the budget and reports whether there was one left; if not, it must not be sent. page
// is the page of a tool list that the request asks for, from 1, and 0 for all other requests.
func (b *Budget) Reserve(page int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	left := &b.base
	if page > 1 {
		left = &b.further
	}
	if *left == 0 {
		return false
	}
	*left--
	b.used++
	return true
}

// Used is the number of requests reserved so far.
func (b *Budget) Used() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used
}
