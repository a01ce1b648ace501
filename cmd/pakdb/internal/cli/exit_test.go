package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/all"
	"pakdb/diff"
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/delta/apply"
	"pakdb/diff/ship/overlay"
	"pakdb/diff/ship/store"
	"pakdb/indexer"
	"pakdb/internal/safename"
	"pakdb/query"
	"pakdb/schema"
)

func TestExitCode(t *testing.T) {
	at := func(err error) error { return &fs.PathError{Op: "write", Path: "a.pak", Err: err} }
	inArchive := func(err error) error {
		return fmt.Errorf("a.pak: %w", &codecs.FormatError{Format: "unrealpak", Off: -1, Err: err})
	}
	for _, tt := range []struct {
		name string
		err  error
		want int
	}{
		{"none", nil, ExitOK},
		{"findings", ErrProblems, ExitProblems},
		{"damaged", inArchive(codecs.Errorf(codecs.ErrCorrupt, "7 > 3")), ExitProblems},
		{"no key", inArchive(codecs.ErrEncrypted), ExitProblems},
		{"no such entry", fmt.Errorf("%w: %q", codecs.ErrNotFound, "a"), ExitProblems},
		{"in the way", WithHint(Refusal(errors.New("a.pak exists already")), "move it"), ExitProblems},
		{"name in the way", at(syscall.EEXIST), ExitProblems},
		{"extracted before", safename.ErrExists, ExitProblems},
		{"wrong old", fmt.Errorf("a.pak: %w", delta.ErrWrongOld), ExitProblems},
		{"signature", delta.ErrSignature, ExitProblems},
		{"nothing to patch", overlay.ErrNothing, ExitProblems},
		{"part that is missing", inArchive(fmt.Errorf("%w: %w", codecs.ErrTruncated, at(syscall.ENOENT))), ExitProblems},
		{"no signature there", fmt.Errorf("%w: %w", store.ErrUnsigned, at(syscall.ENOENT)), ExitProblems},
		{"no answer for the signature", fmt.Errorf("%w: %w", store.ErrUnsigned, at(syscall.ETIMEDOUT)), ExitFailed},
		{"damaged store", store.ErrCorrupt, ExitProblems},
		{"usage", fmt.Errorf("%w: --depth 0", ErrUsage), ExitUsage},
		{"option of another format", inArchive(codecs.ErrOption), ExitUsage},
		{"no such file", at(syscall.ENOENT), ExitUsage},
		{"a folder", at(syscall.EISDIR), ExitUsage},
		{"no such build", schema.ErrNoBuild, ExitUsage},
		{"no such build in a store", store.ErrNoBuild, ExitUsage},
		{"no such entry in a build", diff.ErrNoFile, ExitUsage},
		{"bad SQL", query.ErrUsage, ExitUsage},
		{"no catalog", ErrNoCatalog, ExitCatalog},
		{"catalog that cannot be written", fmt.Errorf("%w: %w", schema.ErrReadOnly, at(syscall.EACCES)), ExitCatalog},
		{"catalog in use", schema.ErrBusy, ExitCatalog},
		{"no room", at(syscall.ENOSPC), ExitFailed},
		{"no room in an archive", inArchive(at(syscall.ENOSPC)), ExitFailed},
		{"no room foreseen", &apply.SpaceError{Need: 2, Free: 1}, ExitFailed},
		{"I/O in an archive", inArchive(at(syscall.EIO)), ExitFailed},
		{"not readable", at(syscall.EACCES), ExitFailed},
		{"network", &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}, ExitFailed},
		{"no such host", &net.DNSError{Name: "a.invalid", IsNotFound: true}, ExitFailed},
		{"connection that broke", &net.OpError{Op: "write", Err: os.NewSyscallError("write", syscall.EPIPE)}, ExitFailed},
		{"time limit", fmt.Errorf("time limit: %w", context.DeadlineExceeded), ExitFailed},
		{"time limit on opening the catalog", fmt.Errorf("%w: %w", query.ErrCatalog, context.DeadlineExceeded), ExitFailed},
		{"disk of the catalog", query.ErrFailed, ExitFailed},
		{"panic of a format", inArchive(indexer.ErrPanic), ExitFailed},
		{"does not read back", inArchive(fmt.Errorf("%w: %w", codecs.ErrReadBack, codecs.ErrCorrupt)), ExitProblems},
		{"cannot be read back", inArchive(fmt.Errorf("%w: %w", codecs.ErrReadBack, at(syscall.EIO))), ExitFailed},
		{"another update runs", apply.ErrBusy, ExitFailed},
		{"findings after a failure", ErrFailures, ExitFailed},
		{"unheard of", errors.New("unheard of"), ExitFailed},
		{"compared, and damaged", Trouble(inArchive(codecs.ErrCorrupt)), ExitFailed},
		{"compared, and usage", Trouble(ErrUsage), ExitUsage},
		{"compared, and different", Trouble(ErrProblems), ExitProblems},
		{"interrupted", fmt.Errorf("a.pak: %w", context.Canceled), ExitInterrupted},
		{"reader of stdout is gone", fmt.Errorf("listing: %w", &fs.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.EPIPE}), ExitPipe},
	} {
		if got := Code(tt.err); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
}

// TestComplaintsFail: among findings, one failure of the machine decides.
func TestComplaintsFail(t *testing.T) {
	finding, failure := codecs.ErrCorrupt, &fs.PathError{Op: "read", Path: "a", Err: syscall.EIO}
	for _, tt := range []struct {
		errs []error
		want int
	}{
		{nil, ExitOK},
		{[]error{finding, finding}, ExitProblems},
		{[]error{failure, finding}, ExitFailed},
		{[]error{finding, failure}, ExitFailed},
	} {
		var stderr bytes.Buffer
		a := New(strings.NewReader(""), nil, &stderr, all.Registry)
		c := NewComplaints(a)
		for _, err := range tt.errs {
			c.Add(err)
		}
		if got := a.exit(c.Result()); got != tt.want || strings.Count(stderr.String(), "\n") != len(tt.errs) {
			t.Errorf("%v: %d, want %d; %q", tt.errs, got, tt.want, stderr.String())
		}
	}
}

// A command that a signal stops ends by 130, whatever the call that was stopped says; one
// that breaks down does not.
func TestExitCodeOfStopped(t *testing.T) {
	stopped, stop := context.WithCancel(t.Context())
	stop()
	for _, tt := range []struct {
		name string
		ctx  context.Context
		run  func(context.Context) error
		want int
	}{
		{"SQLite's words", stopped, func(context.Context) error { return errors.New("interrupted (9)") }, ExitInterrupted},
		{"a class of failures", stopped, func(context.Context) error { return fmt.Errorf("%w: interrupted (9)", query.ErrFailed) }, ExitInterrupted},
		{"a class of the catalog", stopped, func(context.Context) error { return fmt.Errorf("%w: interrupted (9)", query.ErrCatalog) }, ExitInterrupted},
		{"its own words", stopped, func(ctx context.Context) error { return ctx.Err() }, ExitInterrupted},
		{"done by then", stopped, func(context.Context) error { return nil }, ExitOK},
		{"not stopped", t.Context(), func(context.Context) error { return errors.New("interrupted (9)") }, ExitFailed},
		{"a panic", stopped, func(context.Context) error { panic("broken") }, ExitFailed},
	} {
		var errs bytes.Buffer
		if got := New(nil, &bytes.Buffer{}, &errs, all.Registry).Run(tt.ctx, tt.run); got != tt.want {
			t.Errorf("%s: %d, want %d: %s", tt.name, got, tt.want, errs.String())
		}
	}
}

func TestMemoryForSQL(t *testing.T) {
	for all, want := range map[ByteSize]int64{0: 0, 20 << 20: 10 << 20, 64 << 20: 32 << 20, 128 << 20: 96 << 20, 1 << 30: 992 << 20} {
		if got := all.ForSQL(); got != want {
			t.Errorf("%d: %d, want %d", all, got, want)
		}
	}
}
