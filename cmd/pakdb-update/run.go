package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"pakdb/codecs"
	"pakdb/codecs/iostore"
	"pakdb/codecs/quakepak"
	"pakdb/codecs/retropak"
	"pakdb/codecs/unrealpak"
	"pakdb/diff/ship/store"
	"pakdb/diff/ship/store/update"
	"pakdb/internal/process"
)

// registry has the formats that need no SQL. Files of others, gpak with its databases
// among them, are read as bytes: an update is as right, and fetches more.
func registry() *codecs.Registry {
	return &codecs.Registry{Formats: []*codecs.Format{retropak.Format(), quakepak.Format(), unrealpak.Format(), iostore.Format()}}
}

// run updates, or verifies.
func (o *options) run(ctx context.Context, out *events) (err error) {
	r, err := o.open(out)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if o.control {
		go control(os.Stdin, r, out, stop)
	}
	if o.verify {
		return o.compare(ctx, r, out)
	}
	started := time.Now()
	watched, done := out.watch(ctx)
	folder, plan, err := update.Prepare(watched, r, o.dir, update.Options{Label: o.build, Parts: o.choice, Clean: o.clean, Overlay: o.overlay, Keep: o.keep, Placed: out.placed, Registry: registry()})
	done()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, folder.Close()) }()
	out.doubts(r)
	out.channel(r)
	out.parts(folder)
	out.plan(plan)
	if o.dryRun {
		return nil
	}
	watched, done = out.watch(ctx)
	if o.fetchOnly {
		err = folder.Fetch(watched, plan, nil)
	} else {
		err = folder.Apply(watched, plan, nil)
	}
	done()
	if err == nil && o.fetchOnly {
		out.preloaded(o.dir, plan, r)
	} else if err == nil {
		out.done(o.dir, plan, r, time.Since(started))
	}
	return err
}

// open opens the store, and warns of what is not sure about it.
func (o *options) open(out *events) (*update.Remote, error) {
	opt := update.RemoteOptions{Rate: o.rate, Slow: out.warn, Others: o.from, Preloaded: o.dir, Keep: o.fetchOnly,
		Channel: o.channel, Install: o.install, Version: o.client, Platform: o.platform}
	if err := errors.Join(opt.Allow(o.allow), opt.Trust(o.trust)); err != nil {
		return nil, err
	}
	r, err := update.OpenRemote("", opt)
	if err != nil {
		return nil, err
	}
	for _, from := range o.from {
		if doubt := store.Doubt(from, o.trust != "" || update.Remembers(o.dir)); doubt != "" {
			out.warn(doubt)
		}
	}
	return r, nil
}

// compare reports how the folder differs from the build, and changes nothing.
func (o *options) compare(ctx context.Context, r *update.Remote, out *events) (err error) {
	if _, err := os.Stat(o.dir); err != nil {
		return err
	}
	target, err := update.OpenFor(ctx, r, o.dir, o.build)
	if err != nil {
		return err
	}
	out.doubts(r)
	out.channel(r)
	watched, done := out.watch(ctx)
	folder, err := target.Compare(watched, o.dir, update.Options{Parts: o.choice, Registry: registry()})
	done()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, folder.Close()) }()
	out.parts(folder)
	d := folder.Difference()
	out.difference(target.Build.Label, d)
	if len(d.Changed)+len(d.Missing)+len(d.Gone)+len(d.Modes) > 0 {
		return errDiffers
	}
	return nil
}

// control takes commands until the input ends.
func control(in io.Reader, r *update.Remote, out *events, stop func()) {
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		switch word, arg, _ := strings.Cut(strings.TrimSpace(lines.Text()), " "); word {
		case "":
		case "pause":
			r.Pause()
			out.event("paused", nil)
		case "resume":
			r.Resume()
			out.event("resumed", nil)
		case "stop":
			stop()
			return
		case "rate":
			n, err := process.ParseSize(strings.TrimSpace(arg))
			if arg = strings.TrimSpace(arg); err != nil && arg != "0" {
				out.warn(fmt.Sprintf("control: rate: %v", err))
				continue
			}
			r.SetRate(n)
		default:
			out.warn(fmt.Sprintf("control: no command %q: pause, resume, rate SIZE and stop are", word))
		}
	}
}
