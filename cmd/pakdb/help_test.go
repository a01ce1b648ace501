package main

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/codecs/all"
)

// Every command explains itself on one screen, with examples that name it, and is in a
// group of the root's help. Flags of one name have one text, wherever they are.
func TestHelpFitsAScreen(t *testing.T) {
	var out bytes.Buffer
	root := command(cli.New(strings.NewReader(""), &out, io.Discard, all.Registry))
	usages := map[string]string{}
	pages, flags, lines := 0, 0, 0
	eachCommand(root, func(cmd *cobra.Command) {
		out.Reset()
		if err := cmd.Help(); err != nil {
			t.Fatal(err)
		}
		text := strings.TrimSuffix(out.String(), "\n")
		for line := range strings.Lines(text) {
			if len([]rune(strings.TrimSuffix(line, "\n"))) > 80 {
				t.Errorf("%s: help is wider than 80 columns: %q", cmd.CommandPath(), line)
			}
		}
		if cmd.IsAdditionalHelpTopicCommand() || cmd.Name() == "help" {
			return
		}
		pages, lines = pages+1, lines+strings.Count(text, "\n")+1
		if n := strings.Count(text, "\n") + 1; n > 40 && cmd.HasParent() || n > 50 {
			t.Errorf("%s: help has %d lines", cmd.CommandPath(), n)
		}
		if n := strings.Count(cmd.Example, "\n") + 1; !strings.Contains(cmd.Example, cmd.CommandPath()) || n > 3 {
			t.Errorf("%s: needs one to three examples that show it", cmd.CommandPath())
		}
		if cmd.Short == "" || strings.HasSuffix(cmd.Short, ".") {
			t.Errorf("%s: Short is empty, or ends in a full stop", cmd.CommandPath())
		}
		if cmd.Parent() == root && !cmd.Hidden && cmd.GroupID == "" {
			t.Errorf("%s: is in no group", cmd.CommandPath())
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Name == "help" || f.Hidden {
				return
			}
			if known, ok := usages[f.Name]; ok && known != f.Usage {
				t.Errorf("%s: --%s is %q, elsewhere %q", cmd.CommandPath(), f.Name, f.Usage, known)
			}
			usages[f.Name] = f.Usage
			if root.PersistentFlags().Lookup(f.Name) == nil || cmd == root {
				flags++
			}
		})
	})
	t.Logf("%d pages, %d flags of %d names, %d lines of help", pages, flags, len(usages), lines)
}

// Names that pakdb does not have lead to commands that it has.
func TestOtherNames(t *testing.T) {
	for _, name := range []string{"info", "pkg", "merge", "deps", "shell", "unpack", "mount-plan", "keygen", "grep", "sql", "du", "status", "tree",
		"apply", "add", "init", "delta info", "delta sign", "delta recover", "patch log", "catalog check", "store renew", "store rotate", "store trust", "store stats"} {
		var stderr bytes.Buffer
		a := cli.New(strings.NewReader(""), io.Discard, &stderr, all.Registry)
		code := execute(t.Context(), a, strings.Fields(name))
		_, use, ok := strings.Cut(stderr.String(), "hint: use: pakdb ")
		if code != cli.ExitUsage || !ok {
			t.Errorf("%s: exit code %d, %q", name, code, stderr.String())
			continue
		}
		cmd, _, err := command(a).Find(strings.Fields(strings.NewReplacer(",", " ", ";", " ").Replace(use)))
		if err != nil || !cmd.HasParent() {
			t.Errorf("%s: leads to %q, which is no command", name, use)
		}
	}
}

func TestUsageErrors(t *testing.T) {
	for _, args := range [][]string{
		{"no-such-command"}, {"ls"}, {"ls", "--no-such-flag", "x"}, {"cat", "x"}, {"extract", "x"},
		{"pack", "x"}, {"rm"}, {"show"}, {"verify"}, {"index"}, {"formats", "no-such-format"},
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
