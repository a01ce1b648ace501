package main

import (
	"bytes"
	"context"
	"io"
	"strings"

	"testing"

	"github.com/spf13/cobra"
)

// Every command explains itself, with examples that name it.
func TestEveryCommandHasHelp(t *testing.T) {
	a := newApp(strings.NewReader(""), io.Discard, io.Discard)
	root := a.command()
	var visit func(*cobra.Command)
	visit = func(cmd *cobra.Command) {
		if cmd.Short == "" || cmd.Long == "" || !strings.Contains(cmd.Example, cmd.CommandPath()) {
			t.Errorf("%s: needs Short, Long, and an Example that shows it", cmd.CommandPath())
		}
		if strings.HasSuffix(cmd.Short, ".") {
			t.Errorf("%s: Short ends in a full stop", cmd.CommandPath())
		}
		for _, line := range strings.Split(cmd.Long+"\n"+cmd.Example, "\n") {
			if len(line) > 100 {
				t.Errorf("%s: help is wider than a terminal: %q", cmd.CommandPath(), line)
			}
		}
		for _, sub := range cmd.Commands() {
			visit(sub)
		}
	}
	visit(root)
}

func TestUsageErrors(t *testing.T) {
	for _, args := range [][]string{
		{"no-such-command"}, {"ls"}, {"ls", "--no-such-flag", "x"}, {"cat", "x"}, {"extract", "x"},
		{"pack", "x"}, {"rm"}, {"info"}, {"verify"}, {"index"}, {"formats", "no-such-format"},
	} {
		var stderr bytes.Buffer
		a := newApp(strings.NewReader(""), io.Discard, &stderr)
		if code := a.execute(context.Background(), args); code != exitUsage {
			t.Errorf("%v: exit code %d, want %d", args, code, exitUsage)
		}
		if !strings.HasPrefix(stderr.String(), "pakdb: ") {
			t.Errorf("%v: stderr %q", args, stderr.String())
		}
	}
}

func TestIsBinary(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, "hello\n\tworld\r\n": false, "日本": false, "日本\xe6": false, // the last is cut
		"\x00": true, "a\x1b[31m": true, "\xff\xfe": true, "caf\xe9 ol\xe9": true, "\u0085": true,
	} {
		if got := isBinary([]byte(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
