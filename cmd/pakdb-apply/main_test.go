package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"

	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/delta/apply"
	"pakdb/diff/ship/delta/maker"
)

func write(t *testing.T, name, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestRun(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write(t, at("old/a.txt"), "what is old")
	write(t, at("new/a.txt"), "what is old and new")
	key, err := delta.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	public := write(t, at("key.pub"), key.Public().String())
	p := at("a.pkdelta")
	makePatch(t, p, at("old"), at("new"))
	for _, c := range []struct {
		name string
		args []string
		want int
	}{
		{"help", []string{"-h"}, exitOK},
		{"version", []string{"-version"}, exitOK},
		{"no folder", []string{p, at("old")}, exitUsage},
		{"unknown flag", []string{"-x"}, exitUsage},
		{"not signed", []string{"-trust", public, "-o", at("out"), p, at("old")}, exitProblems},
		{"no key", []string{"-trust", at("absent"), "-o", at("out"), p, at("old")}, exitUsage},
		{"not a key", []string{"-trust", p, "-o", at("out"), p, at("old")}, exitUsage},
		{"not a patch", []string{"-o", at("out"), at("new/a.txt"), at("old")}, exitProblems},
		{"wrong old", []string{"-o", at("out"), p, at("new")}, exitProblems},
		{"absent", []string{"-o", at("out"), at("absent"), at("old")}, exitUsage},
		{"dry", []string{"-n", "-o", at("out"), p, at("old")}, exitOK},
		{"flags last", []string{p, at("old"), "-o", at("out"), "-n"}, exitOK},
	} {
		if got := run(context.Background(), c.args); got != c.want {
			t.Errorf("%s: exit code %d, want %d", c.name, got, c.want)
		}
	}
	if _, err := os.Stat(at("out")); err == nil {
		t.Fatal("something was written before anything fitted")
	}
	if err := delta.SignFile(t.Context(), p, key); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if got := run(context.Background(), []string{"-trust", public, "-o", at("out"), p, at("old")}); got != exitOK {
			t.Fatalf("exit code %d", got)
		}
	}
	if got, err := os.ReadFile(at("out/a.txt")); err != nil || string(got) != "what is old and new" {
		t.Errorf("%q, %v", got, err)
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	if got := run(cancelled, []string{"-o", at("out2"), p, at("old")}); got != exitInterrupted {
		t.Errorf("interrupted: exit code %d", got)
	}
}

func TestExitCode(t *testing.T) {
	at := func(err error) error { return &fs.PathError{Op: "write", Path: "a.pak", Err: err} }
	for _, tt := range []struct {
		err  error
		want int
	}{
		{nil, exitOK},
		{fmt.Errorf("a.pak: %w", delta.ErrWrongOld), exitProblems},
		{delta.ErrSignature, exitProblems},
		{at(syscall.EEXIST), exitProblems},
		{at(syscall.ENOENT), exitUsage},
		{at(syscall.ENOSPC), exitFailed},
		{&apply.SpaceError{Need: 2, Free: 1}, exitFailed},
		{apply.ErrBusy, exitFailed},
		{errors.New("unheard of"), exitFailed},
		{context.Canceled, exitInterrupted},
		{&fs.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.EPIPE}, exitPipe},
	} {
		if got := exitCode(tt.err); got != tt.want {
			t.Errorf("%v: %d, want %d", tt.err, got, tt.want)
		}
	}
}

func makePatch(t *testing.T, name, old, new string) {
	t.Helper()
	from, err := delta.OpenFiles([]string{old})
	if err != nil {
		t.Fatal(err)
	}
	to, err := delta.OpenFiles([]string{new})
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = maker.MakeFile(context.Background(), name, from.Inputs, to.Inputs, nil)
	for _, err := range []error{err, from.Close(), to.Close()} {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestStaysSmall: one format, no catalog, no command line library.
func TestStaysSmall(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Skip("no go command: ", err)
	}
	if bad := regexp.MustCompile(`(?m)^(modernc|database/sql|github.com/(spf13|rasky)|net/http|pakdb/codecs/(all|gpak|retropak|iostore)).*$`).FindAll(out, -1); bad != nil {
		t.Errorf("depends on %s", bytes.Join(bad, []byte(" ")))
	}
}
