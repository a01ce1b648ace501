package main

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/codecs/all"
)

// Every command explains itself, with examples that name it.
func TestEveryCommandHasHelp(t *testing.T) {
	a := cli.New(strings.NewReader(""), io.Discard, io.Discard, all.Registry)
	root := command(a)
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
		a := cli.New(strings.NewReader(""), io.Discard, &stderr, all.Registry)
		if code := execute(context.Background(), a, args); code != cli.ExitUsage {
			t.Errorf("%v: exit code %d, want %d", args, code, cli.ExitUsage)
		}
		if !strings.HasPrefix(stderr.String(), "pakdb: ") {
			t.Errorf("%v: stderr %q", args, stderr.String())
		}
	}
}
