package process_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"testing"

	"pakdb/internal/process"
)

func TestMachineFailed(t *testing.T) {
	at := func(err error) error {
		return fmt.Errorf("reading: %w", &fs.PathError{Op: "read", Path: "a", Err: err})
	}
	for _, tt := range []struct {
		err  error
		want bool
	}{
		{nil, false},
		{errors.New("any"), false},
		{at(syscall.ENOSPC), true},
		{at(syscall.EIO), true},
		{at(syscall.EACCES), true},
		{at(syscall.ECONNREFUSED), true},
		{at(syscall.ENOENT), false},
		{at(syscall.ENOTDIR), false},
		{at(syscall.EISDIR), false},
		{at(syscall.ENAMETOOLONG), false},
		{at(syscall.EMFILE), true},
		{at(syscall.EEXIST), false},
		{fmt.Errorf("the time is up: %w", context.DeadlineExceeded), true},
		{context.Canceled, false},
	} {
		if got := process.MachineFailed(tt.err); got != tt.want {
			t.Errorf("%v: %v", tt.err, got)
		}
	}
}

func TestBrokenPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	_ = r.Close()
	_, err = w.Write([]byte("x"))
	if !errors.Is(err, syscall.EPIPE) {
		t.Skip(err)
	}
	if process.BrokenPipe(err) {
		t.Error("any pipe counts as stdout")
	}
	if !process.BrokenPipe(fmt.Errorf("listing: %w", &fs.PathError{Op: "write", Path: os.Stdout.Name(), Err: syscall.EPIPE})) {
		t.Error("stdout does not count")
	}
}
