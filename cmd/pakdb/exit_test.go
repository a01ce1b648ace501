package main

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
	"pakdb/diff"
	"pakdb/diff/overlay"
	"pakdb/diff/pkdelta"
	"pakdb/diff/pkdelta/apply"
	"pakdb/diff/store"
	"pakdb/indexer"
	"pakdb/internal/extract"
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
		{"none", nil, exitOK},
		{"findings", errProblems, exitProblems},
		{"damaged", inArchive(codecs.Errorf(codecs.ErrCorrupt, "7 > 3")), exitProblems},
		{"no key", inArchive(codecs.ErrEncrypted), exitProblems},
		{"no such entry", fmt.Errorf("%w: %q", codecs.ErrNotFound, "a"), exitProblems},
		{"in the way", hinted(refusal(errors.New("a.pak is there already")), "move it"), exitProblems},
		{"name in the way", at(syscall.EEXIST), exitProblems},
		{"extracted before", extract.ErrExists, exitProblems},
		{"wrong old", fmt.Errorf("a.pak: %w", pkdelta.ErrWrongOld), exitProblems},
		{"signature", pkdelta.ErrSignature, exitProblems},
		{"nothing to patch", overlay.ErrNothing, exitProblems},
		{"part that is missing", inArchive(fmt.Errorf("%w: %w", codecs.ErrTruncated, at(syscall.ENOENT))), exitProblems},
		{"no signature there", fmt.Errorf("%w: %w", store.ErrUnsigned, at(syscall.ENOENT)), exitProblems},
		{"no answer for the signature", fmt.Errorf("%w: %w", store.ErrUnsigned, at(syscall.ETIMEDOUT)), exitFailed},
		{"damaged store", store.ErrCorrupt, exitProblems},
		{"usage", fmt.Errorf("%w: --depth 0", errUsage), exitUsage},
		{"option of another format", inArchive(codecs.ErrOption), exitUsage},
		{"no such file", at(syscall.ENOENT), exitUsage},
		{"a folder", at(syscall.EISDIR), exitUsage},
		{"no such build", schema.ErrNoBuild, exitUsage},
		{"no such build in a store", store.ErrNoBuild, exitUsage},
		{"no such entry in a build", diff.ErrNoFile, exitUsage},
		{"bad SQL", query.ErrUsage, exitUsage},
		{"no catalog", errNoCatalog, exitCatalog},
		{"catalog that cannot be written", fmt.Errorf("%w: %w", schema.ErrReadOnly, at(syscall.EACCES)), exitCatalog},
		{"catalog in use", schema.ErrBusy, exitCatalog},
		{"no room", at(syscall.ENOSPC), exitFailed},
		{"no room in an archive", inArchive(at(syscall.ENOSPC)), exitFailed},
		{"no room foreseen", &apply.SpaceError{Need: 2, Free: 1}, exitFailed},
		{"I/O in an archive", inArchive(at(syscall.EIO)), exitFailed},
		{"not readable", at(syscall.EACCES), exitFailed},
		{"network", &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}, exitFailed},
		{"no such host", &net.DNSError{Name: "a.invalid", IsNotFound: true}, exitFailed},
		{"connection that broke", &net.OpError{Op: "write", Err: os.NewSyscallError("write", syscall.EPIPE)}, exitFailed},
		{"time limit", fmt.Errorf("the time is up: %w", context.DeadlineExceeded), exitFailed},
		{"time limit on opening the catalog", fmt.Errorf("%w: %w", query.ErrCatalog, context.DeadlineExceeded), exitFailed},
		{"disk of the catalog", query.ErrFailed, exitFailed},
		{"panic of a format", inArchive(indexer.ErrPanic), exitFailed},
		{"does not read back", inArchive(fmt.Errorf("%w: %w", codecs.ErrReadBack, codecs.ErrCorrupt)), exitProblems},
		{"cannot be read back", inArchive(fmt.Errorf("%w: %w", codecs.ErrReadBack, at(syscall.EIO))), exitFailed},
		{"another update runs", apply.ErrBusy, exitFailed},
		{"findings after a failure", errFailures, exitFailed},
		{"unheard of", errors.New("unheard of"), exitFailed},
		{"compared, and damaged", trouble(inArchive(codecs.ErrCorrupt)), exitFailed},
		{"compared, and usage", trouble(errUsage), exitUsage},
		{"compared, and different", trouble(errProblems), exitProblems},
		{"interrupted", fmt.Errorf("a.pak: %w", context.Canceled), exitInterrupted},
		{"reader of stdout is gone", fmt.Errorf("listing: %w", &fs.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.EPIPE}), exitPipe},
	} {
		if got := exitCode(tt.err); got != tt.want {
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
		{nil, exitOK},
		{[]error{finding, finding}, exitProblems},
		{[]error{failure, finding}, exitFailed},
		{[]error{finding, failure}, exitFailed},
	} {
		var stderr bytes.Buffer
		a := newApp(strings.NewReader(""), nil, &stderr)
		c := &complaints{a: a}
		for _, err := range tt.errs {
			c.add(err)
		}
		if got := a.exit(c.result()); got != tt.want || strings.Count(stderr.String(), "\n") != len(tt.errs) {
			t.Errorf("%v: %d, want %d; %q", tt.errs, got, tt.want, stderr.String())
		}
	}
}
