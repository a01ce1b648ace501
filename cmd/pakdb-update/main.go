// Command pakdb-update brings a folder to a build of a store, and does nothing else: it
// is small, and needs no catalog. A launcher ships it.
//
// Files in reading order: events.go, run.go, main.go.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"strings"

	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/delta/apply"
	"pakdb/diff/ship/store"
	"pakdb/diff/ship/store/update"
	"pakdb/internal/process"
)

// Exit codes, those of pakdb. There is no catalog, and so no 3.
const (
	exitOK          = process.OK
	exitProblems    = process.Findings
	exitUsage       = process.Usage
	exitFailed      = process.Failed
	exitInterrupted = process.Interrupted
	exitPipe        = process.Pipe
)

const usage = `usage: pakdb-update [flags] DIR -from STORE...
       pakdb-update DIR                               # what -fetch-only preloaded
       pakdb-update verify [flags] DIR -from STORE...

Brings DIR to a build of a store, a URL, a folder or s3://BUCKET/PREFIX, whatever
version or mod DIR has; more stores are copies. verify compares DIR with the build,
changes nothing in it, and lists the files that are not the build's.

-json writes a line of JSON for each event to stdout: warning, channel (what DIR
follows, and which newer builds it does not get yet, and why), parts (the optional parts of
the build: name, wanted, files, size; and gone, those of DIR's that it has not), plan,
progress, placed (part: all its files are in place; "" for those of no part), paused,
resumed, difference, preloaded, done and error. Fields are only added.
-control takes commands from stdin, one a line: pause, resume, rate SIZE (a second, as
500K; 0: any) and stop. A pause holds what is fetched.

DIR remembers channel, platform and parts:
  pakdb-update DIR -from STORE -parts fr,-de
  pakdb-update DIR -from STORE -parts=-all,fr
PAKDB_INSTALL_ID is the id of the installation, by which a build comes to a share of
players (default: DIR's own), PAKDB_CLIENT_VERSION the version of the launcher.

Exit codes: 0 done, or verify found no difference; 1 refused, and nothing has changed:
the store is damaged, not signed by the key, rolled back or expired, or verify found
differences; 2 usage, or there is no such build or folder; 4 failed: network, disk, no
room, a file that the game holds open, or another update of DIR; 130 interrupted, or
stopped. After 4 and 130 run it again: it goes on where it stopped.

`

func main() {
	ctx, stop := process.Context()
	code := run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

// options are the flags.
type options struct {
	dir            string
	from           list
	build, trust   string
	rate           int64
	json, control  bool
	dryRun, verify bool
	clean          bool
	overlay, keep  bool
	fetchOnly      bool
	allow, parts   names

	channel, install, client, platform string

	choice store.PartChoice // what parts says
}

// names is a flag with names, with commas between them. It may repeat.
type names []string

func (n *names) String() string { return strings.Join(*n, ",") }

func (n *names) Set(text string) error { *n = append(*n, strings.Split(text, ",")...); return nil }

// list is a flag that may repeat.
type list []string

func (l *list) String() string { return strings.Join(*l, " ") }

func (l *list) Set(text string) error { *l = append(*l, text); return nil }

func run(ctx context.Context, args []string) int {
	debug.SetMemoryLimit(192 << 20) // soft: below 256 MB; what is held of a store is bounded
	var o options
	flags := flag.NewFlagSet("pakdb-update", flag.ContinueOnError)
	flags.Var(&o.from, "from", "`URL`, folder or s3:// of the store; more are copies")
	flags.StringVar(&o.build, "build", "", "`LABEL` of the build (default: the one for DIR)")
	flags.StringVar(&o.channel, "channel", "", "follow channel `NAME` from now on (default: what DIR follows, or else stable)")
	flags.StringVar(&o.platform, "platform", "", "get builds for platform `NAME` from now on (default: what DIR remembers, or else this system)")
	flags.Var(&o.parts, "parts", "have `PARTS` of builds from now on, as fr,-de; all, -all: every part, none")
	flags.StringVar(&o.trust, "trust", "", "verify by the public key or store root in `FILE`")
	flags.Var(&o.allow, "allow", "accept `METADATA` that is expired, or a rollback: expired,rollback")
	flags.Func("limit-rate", "fetch at most this `SIZE` a second: 500K, 2M", func(text string) (err error) {
		o.rate, err = process.ParseSize(text)
		return err
	})
	flags.BoolVar(&o.clean, "clean", false, "move files aside that only other builds have and that were changed since: to NAME.changed")
	flags.BoolVar(&o.overlay, "overlay", false, "leave installed archives as they are: make one that is mounted over them")
	flags.BoolVar(&o.keep, "keep-patches", false, "with -overlay: keep patches of earlier builds, which are else merged into it")
	flags.BoolVar(&o.fetchOnly, "fetch-only", false, "preload the build, and change no file of DIR: updates then need no network")
	flags.BoolVar(&o.json, "json", false, "write events to stdout, as lines of JSON")
	flags.BoolVar(&o.control, "control", false, "take commands from stdin")
	flags.BoolVar(&o.dryRun, "dry-run", false, "show what it would cost, and stop")
	flags.BoolVar(&o.dryRun, "n", false, "short for -dry-run")
	showVersion := flags.Bool("version", false, "print the version")
	flags.Usage = func() { _, _ = fmt.Fprint(flags.Output(), usage); flags.PrintDefaults() }
	if len(args) > 0 && args[0] == "verify" {
		o.verify, args = true, args[1:]
	}
	names, err := process.ParseFlags(flags, args)
	o.install, o.client = os.Getenv("PAKDB_INSTALL_ID"), os.Getenv("PAKDB_CLIENT_VERSION")
	choice, wrongParts := store.ParseChoice(o.parts)
	o.choice = choice
	wrongAllow := new(update.RemoteOptions).Allow(o.allow)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case err != nil:
		return exitUsage
	case *showVersion:
		_, err := fmt.Printf("pakdb-update version %s\nstores: %d and %d\n", process.Version(), store.Format, store.FormatPlatforms)
		return exitCode(err)
	case o.client != "" && !store.ValidVersion(o.client):
		_, _ = fmt.Fprintf(os.Stderr, "pakdb-update: PAKDB_CLIENT_VERSION=%s: want numbers with dots, as 2.10\n", o.client)
		return exitUsage
	case o.platform != "" && !store.ValidChannel(o.platform):
		_, _ = fmt.Fprintf(os.Stderr, "pakdb-update: -platform %q: letters, digits, and . _ + - may be in it\n", o.platform)
		return exitUsage
	case wrongParts != nil:
		_, _ = fmt.Fprintf(os.Stderr, "pakdb-update: -parts: %v\n", wrongParts)
		return exitUsage
	case wrongAllow != nil:
		_, _ = fmt.Fprintf(os.Stderr, "pakdb-update: -allow %v\n", wrongAllow)
		return exitUsage
	case len(names) != 1 || len(o.from) == 0 && (o.fetchOnly || o.verify || !update.Preloaded(names[0])):
		_, _ = fmt.Fprintln(os.Stderr, "pakdb-update: one DIR and -from STORE are needed; see -h")
		return exitUsage
	}
	o.dir = names[0]
	out := &events{w: os.Stdout, json: o.json}
	err = process.RescueCall(func() error { return process.Stopped(ctx, o.run(ctx, out)) })
	code := exitCode(err)
	if code != exitOK && code != exitPipe && !errors.Is(err, errDiffers) {
		out.fail(err, code)
	}
	return code
}

// errDiffers means that verify found a difference.
var errDiffers = errors.New("the folder differs from the build")

// exitCode returns the exit code of err. What is of no known class has
// failed.
func exitCode(err error) int {
	isAny := func(classes ...error) bool {
		for _, class := range classes {
			if errors.Is(err, class) {
				return true
			}
		}
		return false
	}
	switch {
	case err == nil:
		return exitOK
	case isAny(process.ErrPanic):
		return exitFailed
	case process.BrokenPipe(err):
		return exitPipe
	case isAny(context.Canceled):
		return exitInterrupted
	case isAny(apply.ErrBusy, update.ErrHeld, update.ErrChanged), process.MachineFailed(err):
		return exitFailed
	case isAny(store.ErrNoBuild, store.ErrNoRelease, store.ErrUnknownPart, store.ErrPartChoice, store.ErrLocation, delta.ErrKey):
		return exitUsage
	case isAny(errDiffers, store.ErrCorrupt, store.ErrUnsigned, errors.ErrUnsupported, delta.ErrSignature, delta.ErrCorrupt, store.ErrChannel,
		update.ErrMetadata, update.ErrSignature, update.ErrRollback, update.ErrExpired, update.ErrMixed):
		return exitProblems
	case store.Lacks(err):
		return exitProblems
	case process.NotThere(err):
		return exitUsage
	}
	return exitFailed
}
