package process

import (
	"context"
	"errors"
	"io/fs"
	"os"
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
	Pipe        = 141 // whoever read stdout has gone
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
