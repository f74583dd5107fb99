package main

import (
	"fmt"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/mcpcensus/mcpcensus/crawler/job"
)

// plainEvery is how often a line is printed where bars cannot be drawn.
const plainEvery = 10 * time.Second

// display shows the progress of a run: a bar for each stage on a terminal, plain lines elsewhere, nothing when quiet.
type display struct {
	app      *app
	terminal bool
	stage    job.Stage
	bar      *progressbar.ProgressBar
	printed  time.Time
	last     string
}

func (a *app) display() *display { return &display{app: a, terminal: isTerminal(a.err)} }

// show is called with every look at the run.
func (d *display) show(p job.Progress) {
	if d.app.quiet {
		return
	}
	if d.terminal {
		d.draw(p)
		return
	}
	changed := p.Stage != d.stage
	if changed && d.stage != "" {
		ended := p
		ended.Stage = d.stage
		d.print(describe(ended)) // what the stage came to
	}
	d.stage = p.Stage
	if changed || time.Since(d.printed) >= plainEvery {
		d.print(describe(p))
	}
}

// print prints a line unless it was the last one.
func (d *display) print(line string) {
	if line == d.last {
		return
	}
	fmt.Fprintln(d.app.err, line)
	d.printed, d.last = time.Now(), line
}

func (d *display) draw(p job.Progress) {
	done, total, unit := amount(p)
	if p.Stage != d.stage {
		d.close()
		d.stage = p.Stage
		if p.Stage == job.Closed {
			return
		}
		d.bar = progressbar.NewOptions64(total,
			progressbar.OptionSetWriter(d.app.err),
			progressbar.OptionSetDescription(fmt.Sprintf("%-9s", p.Stage)),
			progressbar.OptionShowCount(), progressbar.OptionShowIts(), progressbar.OptionSetItsString(unit),
			progressbar.OptionSetPredictTime(true), progressbar.OptionFullWidth(),
			progressbar.OptionSetSpinnerChangeInterval(0), // no goroutine that draws behind our back
			progressbar.OptionThrottle(100*time.Millisecond))
	}
	if d.bar == nil {
		return
	}
	if total != d.bar.GetMax64() && total > 0 {
		d.bar.ChangeMax64(total)
	}
	_ = d.bar.Set64(done) // a bar that cannot be drawn is no reason to stop
}

// close ends the line of the bar.
func (d *display) close() {
	if d.bar == nil {
		return
	}
	_ = d.bar.Exit()
	fmt.Fprintln(d.app.err)
	d.bar = nil
}

// amount is what the bar of a stage counts; the total is -1 where nobody knows it, as for the pages of a registry.
func amount(p job.Progress) (done, total int64, unit string) {
	switch p.Stage {
	case job.Walk:
		return p.Rows, -1, "rows"
	case job.Probe:
		return p.Probed, p.Targets, "visits"
	case job.Classify:
		return p.Classified, p.Probed, "transcripts"
	default:
		return 0, -1, ""
	}
}

func describe(p job.Progress) string {
	switch p.Stage {
	case job.Walk:
		if p.RegistryFailures > 0 {
			return fmt.Sprintf("walk: %d pages, %d rows; the registry has failed %d times in a row, trying on", p.Pages, p.Rows, p.RegistryFailures)
		}
		return fmt.Sprintf("walk: %d pages, %d rows", p.Pages, p.Rows)
	case job.Frame:
		return fmt.Sprintf("frame: making targets of %d rows", p.Rows)
	case job.Probe:
		return fmt.Sprintf("probe: %d of %d endpoints visited, %d of %d hosts done, %d exchanges, %.1f MB received",
			p.Probed, p.Targets, p.Hosts-p.HostsOpen, p.Hosts, p.Exchanges, float64(p.Received)/1e6)
	case job.Classify:
		return fmt.Sprintf("classify: %d of %d transcripts", p.Classified, p.Probed)
	case job.Estimate:
		return "estimate: computing rates"
	default:
		return fmt.Sprintf("run %s is complete", p.Run)
	}
}
