// Command pakdb-apply applies transport patches of pakdb, and does nothing else:
// it is small, and needs no catalog and no format of archives. A launcher ships it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"

	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/delta/apply"
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

func main() {
	ctx, stop := process.Context()
	code := run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

func run(ctx context.Context, args []string) int {
	debug.SetMemoryLimit(32 << 20) // soft: the garbage collector works harder below 64 MiB
	flags := flag.NewFlagSet("pakdb-apply", flag.ContinueOnError)
	out := flags.String("o", "", "the folder `DIR` that the new files are written to, made if need be")
	key := flags.String("trust", "", "refuse patches that the public `KEY` (a file, or its text) does not verify")
	inPlace := flags.Bool("in-place", false, "change the files in DIR where they are, by way of a journal")
	keep := flags.Bool("keep-old", false, "keep files of the old version that the new one does not have")
	var aes keys
	flags.Var(&aes, "aes-key", "the `KEY` of encrypted paks, 64 hex digits or base64, that the patch needs; may repeat")
	dryRun := flags.Bool("dry-run", false, "show the result, and write nothing")
	flags.BoolVar(dryRun, "n", false, "short for -dry-run")
	showVersion := flags.Bool("version", false, "print the version, the commit and the formats")
	flags.Usage = func() {
		_, _ = fmt.Fprint(flags.Output(), `usage: pakdb-apply [-n] [-trust KEY] [-aes-key KEY] [-in-place] [-keep-old] -o DIR FILE.pkdelta OLD...

Makes the new files of a patch from the old ones, which are files, or folders that
hold them. Old files in DIR that the new version does not have are removed; those that
were changed stay, and are named. Exit codes: 0 done; 1 the patch does not fit or is damaged, and nothing
was written; 2 usage, or a file is not there; 4 failed: I/O, no room, another
update of these files, or a fault of pakdb-apply; 130 interrupted. After 4 and 130
run it again: it goes on where it stopped, or starts anew.

`)
		flags.PrintDefaults()
	}
	files, err := process.ParseFlags(flags, args)
	if err == nil && *showVersion {
		return finish(printVersion)
	}
	if err == nil && (*out == "" || len(files) < 2) {
		err = errors.New("a patch, the old files and -o DIR are needed; see -h")
		_, _ = fmt.Fprintln(os.Stderr, "pakdb-apply:", err)
	}
	o := &apply.ApplyOptions{DryRun: *dryRun, Keep: *keep, Keys: aes}
	if *inPlace {
		o.Mode = apply.InPlace
	}
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case err != nil:
		return exitUsage
	}
	return finish(func() error { return process.Stopped(ctx, applyPatch(ctx, files[0], files[1:], *out, *key, o)) })
}

// printVersion says which build this is, and what it reads.
func printVersion() error {
	_, err := fmt.Printf("pakdb-apply version %s\nformats: pkdelta %d\n",
		process.Version(), delta.Version)
	return err
}

// finish runs what was asked for, reports its error, if any, and returns the exit
// code. A panic is an error.
func finish(run func() error) int {
	err := process.RescueCall(run)
	code := exitCode(err)
	switch code {
	case exitOK, exitPipe:
	case exitInterrupted:
		_, _ = fmt.Fprintln(os.Stderr, "pakdb-apply: interrupted")
	default:
		_, _ = fmt.Fprintln(os.Stderr, "pakdb-apply:", process.Printable(err.Error()))
	}
	return code
}

// exitCode returns the exit code of err. What is of no known class
// has failed.
func exitCode(err error) int {
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, process.ErrPanic): // whatever else it is
		return exitFailed
	case process.BrokenPipe(err):
		return exitPipe
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case process.MachineFailed(err), errors.Is(err, apply.ErrBusy):
		return exitFailed
	case apply.IsRefusal(err):
		return exitProblems
	case process.NotThere(err), errors.Is(err, delta.ErrSameName), errors.Is(err, delta.ErrKey):
		return exitUsage
	}
	return exitFailed
}

func applyPatch(ctx context.Context, file string, old []string, dir, key string, o *apply.ApplyOptions) (err error) {
	if err := checkFile(file, key); err != nil { // before old files are read for it
		return err
	}
	watched, stop := watch(ctx, os.Stderr)
	p, err := apply.NewPlan(watched, file, old, dir)
	stop()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	if err := check(p.Header, key); err != nil { // of what is applied
		return err
	}
	watched, stop = watch(ctx, os.Stderr)
	err = p.Prepare(watched, o)
	stop()
	if err == nil {
		err = p.Describe(os.Stdout)
	}
	if err != nil || o.DryRun {
		return err
	}
	watched, stop = watch(ctx, os.Stderr)
	err = p.Apply(watched)
	stop()
	if err != nil || p.Applied {
		return err
	}
	_, err = fmt.Printf("done: new files in %s: %d, as their hashes say\n", filepath.Clean(dir), len(p.Header.New))
	return err
}

// keys is a flag that may repeat.
type keys [][]byte

func (k *keys) String() string { return "" }

func (k *keys) Set(text string) error {
	key, err := delta.ParseKey(text)
	if err == nil {
		*k = append(*k, key)
	}
	return err
}

// checkFile requires a signature where a key is given.
func checkFile(file, key string) error {
	if key == "" {
		return nil
	}
	h, err := delta.ReadFileHeader(file)
	if err != nil {
		return err
	}
	return check(h, key)
}

// check is checkFile for a header that was read.
func check(h *delta.Header, key string) error {
	if key == "" {
		return nil
	}
	public, err := delta.ReadPublicKey(key)
	if err != nil {
		return err
	}
	return h.CheckSignature(public)
}
