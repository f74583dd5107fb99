package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpcensus/mcpcensus/classifier/check"
	"github.com/mcpcensus/mcpcensus/crawler/job"
	"github.com/mcpcensus/mcpcensus/crawler/polite"
	"github.com/mcpcensus/mcpcensus/crawler/target"
	"github.com/mcpcensus/mcpcensus/prober"
	"github.com/mcpcensus/mcpcensus/prober/dial"
	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// Exit codes of check.
const (
	exitBroken  = 1
	exitUnknown = 2
)

// ownGap is the gap between requests to a server of one's own network.
const ownGap = 20 * time.Millisecond

type checkFlags struct {
	transport string
	asJSON    bool
	tool      string
	arguments string
	timeout   time.Duration
}

func newCheck(a *app) *cobra.Command {
	var flags checkFlags
	cmd := &cobra.Command{
		Use:   "check URL",
		Short: "Visit one server and say what it breaks, without a database",
		Long: `Visit one server as the census would and say what it speaks, what it lists, how it reports an unknown tool,
and which rules it breaks: those that the specification states with MUST, and the schemas of its tools.
How it reports an unknown tool is information, never a fault.

The server may be on this machine or in a private network. No tool is called but one that cannot exist,
unless you name one with --call.

Exit codes: 0 nothing is broken, 1 a MUST or a schema is broken, 2 could not tell (no answer, no
authorization, no MCP server) or wrong usage.`,
		Example: `  mcpcensus check https://example.org/mcp
  mcpcensus check http://127.0.0.1:3000/sse --transport sse
  mcpcensus check http://127.0.0.1:3000/mcp --json
  mcpcensus check http://127.0.0.1:3000/mcp --call add --arguments '{"a":1,"b":2}'`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			endpoint, visit, err := flags.read(args[0])
			if err != nil {
				return usageError(err)
			}
			return a.check(cmd.Context(), endpoint, visit, flags)
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.transport, "transport", "", "transport of the server: streamable-http or sse (default: find out)")
	f.BoolVar(&flags.asJSON, "json", false, "print the result as JSON")
	f.StringVar(&flags.tool, "call", "", "also call this tool; you answer for what it does")
	f.StringVar(&flags.arguments, "arguments", "", "arguments of --call, a JSON object (default: {})")
	f.DurationVar(&flags.timeout, "timeout", time.Minute, "time of the whole visit")
	err := cmd.RegisterFlagCompletionFunc("transport", cobra.FixedCompletions(
		[]string{string(wire.StreamableHTTP), string(wire.HTTPSSE)}, cobra.ShellCompDirectiveNoFileComp))
	if err != nil {
		panic(err) // the flag was registered a few lines above
	}
	return cmd
}

// read checks the command line and makes a target of it.
func (f checkFlags) read(raw string) (target.Endpoint, prober.Target, error) {
	endpoint := target.Canonical(raw, "")
	visit := prober.Target{Key: endpoint.Key, URL: endpoint.Key, Purpose: wire.Main, Visit: 1}
	if err := whyNoURL(endpoint); err != nil {
		return endpoint, visit, err
	}
	switch t := wire.Transport(f.transport); t {
	case "":
	case wire.StreamableHTTP, wire.HTTPSSE:
		visit.Declared = []wire.Transport{t}
	default:
		return endpoint, visit, fmt.Errorf("--transport: choose %s or %s, not %q", wire.StreamableHTTP, wire.HTTPSSE, f.transport)
	}
	switch _, _, err := wire.ReadObject([]byte(f.arguments)); {
	case f.timeout <= 0:
		return endpoint, visit, errors.New("--timeout must be above 0")
	case f.arguments != "" && f.tool == "":
		return endpoint, visit, errors.New("--arguments needs --call")
	case f.arguments != "" && (err != nil || !json.Valid([]byte(f.arguments))):
		return endpoint, visit, fmt.Errorf(`--arguments must be a JSON object such as {"a":1}, not %q`, f.arguments)
	case f.tool != "":
		visit.Calls = []prober.Call{{Tool: f.tool, Arguments: json.RawMessage(f.arguments)}}
	}
	return endpoint, visit, nil
}

// whyNoURL says what is wrong with the URL that was typed. It does not repeat it: it may hold a password.
func whyNoURL(e target.Endpoint) error {
	switch e.Class {
	case target.Template:
		return fmt.Errorf("the URL has variables in braces (%v): put values in their place", e.Variables)
	case target.Plain:
		return nil
	}
	switch e.Fault {
	case target.FaultEmpty:
		return errors.New("the URL is empty")
	case target.FaultScheme:
		return errors.New("the URL must begin with https:// or http://, such as https://example.org/mcp")
	case target.FaultHost:
		return errors.New("the URL has no host, or one that is neither a name nor an address")
	case target.FaultPort:
		return errors.New("the port in the URL must be a number from 1 to 65535")
	}
	return errors.New("the URL must begin with https:// or http://, such as https://example.org/mcp")
}

func (a *app) check(ctx context.Context, e target.Endpoint, visit prober.Target, flags checkFlags) error {
	if e.Has(target.FlagUserinfo) {
		a.notice("the user name and the password in the URL are not sent")
	}
	gap := polite.Gap
	if e.HostClass != target.Public && e.HostClass != target.Placeholder {
		gap = ownGap
	}
	p := &prober.Prober{
		Resolver: ownResolver(e.Host), AllowPrivate: true, Name: "mcpcensus", Version: version,
		UserAgent: fmt.Sprintf("mcpcensus/%s (+%s)", programVersion(), job.DefaultSettings().Contact),
		Limits:    prober.Limits{Deadline: flags.timeout},
	}
	gate := &checkGate{host: polite.NewHost(polite.RealClock(), gap), budget: polite.NewBudget(), extra: len(visit.Calls)}
	transcript, err := p.Probe(ctx, visit, gate)
	if err != nil {
		return &codedError{code: exitUnknown, err: fmt.Errorf("could not visit the server: %w", err)}
	}
	result := check.Of(e.Raw, transcript)
	write := result.WriteText
	if flags.asJSON {
		write = result.WriteJSON
	}
	if err := write(a.out); err != nil {
		return &codedError{code: exitUnknown, err: err}
	}
	switch result.Verdict {
	case check.OK:
		return nil
	case check.Broken:
		return &codedError{code: exitBroken}
	default:
		return &codedError{code: exitUnknown}
	}
}

// ownResolver lets the host that was typed be in a private network, and no other host that it might redirect to. The
// host that was typed may also be a short name of this network, which the search domains complete.
func ownResolver(typed string) *dial.Resolver {
	system := dial.NewResolver(nil)
	return dial.NewResolver(func(ctx context.Context, host string) ([]netip.Addr, error) {
		addrs, err := system.Resolve(ctx, host)
		if host == typed && err != nil {
			addrs, err = (&net.Resolver{PreferGo: true}).LookupNetIP(ctx, "ip", host)
		}
		if host == typed || err != nil {
			return addrs, err
		}
		var public []netip.Addr
		var refused error
		for _, addr := range addrs {
			if err := (dial.Policy{}).Check(host, addr, 443); err != nil {
				refused = err
				continue
			}
			public = append(public, addr)
		}
		if len(public) == 0 {
			return nil, refused
		}
		return public, nil
	})
}

// checkGate paces and counts the requests of the visit.
type checkGate struct {
	host   *polite.Host
	budget *polite.Budget
	extra  int // calls that the user asked for, on top of the budget
}

// Wait returns when a request may be sent.
func (g *checkGate) Wait(ctx context.Context, page int) error {
	if !g.budget.Reserve(page) {
		if g.extra == 0 {
			return fmt.Errorf("%w after %d requests", prober.ErrBudget, g.budget.Used())
		}
		g.extra--
	}
	return g.host.Wait(ctx)
}

// Observe passes on what came back.
func (g *checkGate) Observe(status int, asked time.Duration) { g.host.Observe(status, asked) }
