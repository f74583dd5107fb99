package dial

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestResolverAsksOnce(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	release := make(chan struct{})
	r := NewResolver(func(_ context.Context, host string) ([]netip.Addr, error) {
		asked.Add(1)
		<-release
		if host == "none.example" {
			return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
		}
		return []netip.Addr{netip.MustParseAddr("::ffff:8.8.8.8")}, nil
	})
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() {
			addrs, err := r.Resolve(t.Context(), "One.example.")
			if err != nil || len(addrs) != 1 || addrs[0] != netip.MustParseAddr("8.8.8.8") {
				t.Errorf("got %v, %v", addrs, err)
			}
			if _, err := r.Resolve(t.Context(), "none.example"); !notFound(err) {
				t.Errorf("got %v, want not found", err)
			}
		})
	}
	close(release)
	group.Wait()
	if _, err := r.Resolve(t.Context(), "none.example"); !notFound(err) {
		t.Errorf("got %v, want not found", err)
	}
	if n := asked.Load(); n != 2 {
		t.Errorf("asked %d times, want 2: once a name", n)
	}
}

// The answer for the first caller stays, also when the name server would give another one later (DNS rebinding).
func TestResolverPinsTheAnswer(t *testing.T) {
	t.Parallel()
	answers := []string{"8.8.8.8", "169.254.169.254"}
	r := NewResolver(func(context.Context, string) ([]netip.Addr, error) {
		next := answers[0]
		answers = answers[1:]
		return []netip.Addr{netip.MustParseAddr(next)}, nil
	})
	for range 2 {
		addrs, err := r.Resolve(t.Context(), "evil.example")
		if err != nil || addrs[0].String() != "8.8.8.8" {
			t.Errorf("got %v, %v", addrs, err)
		}
	}
}

func TestResolverForgetsFailures(t *testing.T) {
	t.Parallel()
	asked := 0
	r := NewResolver(func(context.Context, string) ([]netip.Addr, error) {
		asked++
		if asked == 1 {
			return nil, &net.DNSError{Err: "server misbehaving", IsTemporary: true}
		}
		return nil, nil
	})
	if _, err := r.Resolve(t.Context(), "a.example"); err == nil || notFound(err) {
		t.Errorf("got %v, want a failure of the resolver", err)
	}
	if _, err := r.Resolve(t.Context(), "a.example"); !notFound(err) {
		t.Errorf("got %v, want not found for an empty answer", err)
	}
}

func TestResolverOutlivesACaller(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := NewResolver(func(ctx context.Context, _ string) ([]netip.Addr, error) {
			select {
			case <-time.After(time.Second):
				return []netip.Addr{netip.MustParseAddr("8.8.8.8")}, nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		})
		short, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		var dns *net.DNSError
		if _, err := r.Resolve(short, "slow.example"); !errors.As(err, &dns) || !dns.IsTimeout {
			t.Errorf("got %v, want a timeout", err)
		}
		if addrs, err := r.Resolve(t.Context(), "slow.example"); err != nil || len(addrs) != 1 {
			t.Errorf("got %v, %v: the first caller took the lookup with it", addrs, err)
		}
	})
}

func TestResolverNeverLooksUpNumbers(t *testing.T) {
	t.Parallel()
	r := NewResolver(func(_ context.Context, host string) ([]netip.Addr, error) {
		t.Errorf("%q was looked up", host)
		return nil, nil
	})
	for _, host := range []string{"2130706433", "0177.0.0.1", "127.1", "0x7f.1"} {
		var refused *RefusedError
		if _, err := r.Resolve(t.Context(), host); !errors.As(err, &refused) {
			t.Errorf("%s: got %v, want a refusal", host, err)
		}
	}
	if addrs, err := r.Resolve(t.Context(), "8.8.8.8"); err != nil || addrs[0].String() != "8.8.8.8" {
		t.Errorf("a literal address gave %v, %v", addrs, err)
	}
}
