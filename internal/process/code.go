// Package process defines how commands end: exit codes, and how signals end a run.
//
// [InOrder] works in parallel and returns results in order, and [Version] returns what a
// program was built from. [Rescue] turns panics into errors. A panic in a goroutine that nobody
// recovers ends the process at once: deferred functions of other goroutines do not
// run, and temporary files stay. As an error it goes the way of all errors, which
// cleans up.
package process

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// Exit codes of all commands.
const (
	OK          = 0
	Findings    = 1   // done, and problems or differences were found; or refused because of what files hold
	Usage       = 2   // the command line asks for what cannot be
	Catalog     = 3   // of pakdb: the catalog cannot be used
	Failed      = 4   // I/O, network, no room, time limit, or a fault of the program
	Interrupted = 130 // by a signal
	Pipe        = 141 // the reader of stdout has gone
)

// MachineFailed reports an error that the machine is to blame for, whatever
// class it was put into on the way: a failed system call, or a time limit. It
// leaves out names that are not there, or are there already, or are of another
// kind than was asked for.
func MachineFailed(err error) bool {
	if errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	var number syscall.Errno
	return errors.As(err, &number) && !errors.Is(number, fs.ErrExist) && !NotThere(number)
}

// NotThere reports an error about a file that was named and does not exist, also because
// no name is that long, or is a folder where a file was wanted, or the other way round.
func NotThere(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.EISDIR) ||
		errors.Is(err, syscall.ENAMETOOLONG)
}

// BrokenPipe reports that stdout was a pipe whose reader has gone, as in
// "pakdb ls | head". A connection that breaks is another matter.
func BrokenPipe(err error) bool {
	var at *fs.PathError
	return errors.As(err, &at) && errors.Is(at.Err, syscall.EPIPE) && at.Path == os.Stdout.Name()
}

// ParseFlags parses flags before, between and after names, which it returns.
func ParseFlags(flags *flag.FlagSet, args []string) (names []string, err error) {
	for {
		if err := flags.Parse(args); err != nil {
			return nil, err
		}
		if args = flags.Args(); len(args) == 0 {
			return names, nil
		}
		names, args = append(names, args[0]), args[1:]
	}
}

// Printable is a message without what commands terminals: it may have names out of
// archives, patches and stores, which are anyone's.
func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && !strconv.IsGraphic(r) {
			return '?'
		}
		return r
	}, text)
}

// ParseSize returns the bytes of a size as people write them: 500000, 64K, 2GiB. It fails
// for less than one byte, and for more than 4 EiB.
func ParseSize(text string) (int64, error) {
	low, unit := strings.ToLower(strings.TrimSpace(text)), int64(1)
	for _, u := range []struct {
		suffix string
		size   int64
	}{{"kib", 1 << 10}, {"mib", 1 << 20}, {"gib", 1 << 30}, {"kb", 1e3}, {"mb", 1e6}, {"gb", 1e9}, {"k", 1 << 10}, {"m", 1 << 20}, {"g", 1 << 30}, {"b", 1}} {
		if rest, ok := strings.CutSuffix(low, u.suffix); ok {
			low, unit = strings.TrimSpace(rest), u.size
			break
		}
	}
	n, err := strconv.ParseFloat(low, 64)
	if err != nil || !(n >= 1 && n*float64(unit) <= 1<<62) {
		return 0, fmt.Errorf("%q is no size; 500000, 64K and 2GiB are", text)
	}
	return int64(n * float64(unit)), nil
}
