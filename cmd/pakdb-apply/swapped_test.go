//go:build linux || darwin

package main

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"pakdb/diff/ship/delta"
)

// TestSwappedPatch: the patch whose signature was checked is the one that is
// applied, also if the file becomes another one in between.
func TestSwappedPatch(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write(t, at("old/a.txt"), "what is old")
	write(t, at("new/a.txt"), "what is old and new")
	write(t, at("other/a.txt"), "what is old and not meant")
	key, err := delta.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	public := write(t, at("key.pub"), key.Public().String())
	makePatch(t, at("signed"), at("old"), at("new"))
	makePatch(t, at("other.pkdelta"), at("old"), at("other"))
	if err := delta.SignFile(t.Context(), at("signed"), key); err != nil {
		t.Fatal(err)
	}
	pipe := at("pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	go func() { // a patch for each time that it is opened
		for _, name := range []string{at("signed"), at("other.pkdelta")} {
			b, err := os.ReadFile(name)
			if err == nil {
				err = os.WriteFile(pipe, b, 0o600)
			}
			if err != nil {
				t.Error(err)
			}
			time.Sleep(200 * time.Millisecond) // until it has been read to its end
		}
	}()
	if got := run(context.Background(), []string{"-trust", public, "-o", at("out"), pipe, at("old")}); got != exitProblems {
		t.Errorf("exit code %d", got)
	}
	if _, err := os.Stat(at("out")); err == nil {
		t.Error("the other patch was applied")
	}
}
