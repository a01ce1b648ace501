package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pakdb/codecs/codecstest"
	"pakdb/internal/testkit"
)

// shells are programs that print, one a line, what each shell proposes for the command
// line that is their first argument. Bash and zsh complete for their line editors alone:
// functions in place of theirs print what they would be given, and bash finds files only
// there.
var shells = map[string][]string{
	"bash": {"bash", "--norc", "-c", `
		source /usr/share/bash-completion/bash_completion
		compopt() { :; }
		source <(pakdb completion bash)
		COMP_LINE=$0 COMP_POINT=${#0} COMP_TYPE=63 COMP_KEY=9
		IFS=' ' read -ra COMP_WORDS <<<"${0//:/ : }"
		[[ $0 != *' ' ]] || COMP_WORDS+=('')
		COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
		__start_pakdb
		printf '%s\n' "${COMPREPLY[@]}"`},
	"fish": {"fish", "--no-config", "-c", `pakdb completion fish | source; complete -C $argv[1]`},
	"zsh": {"zsh", "-f", "-c", `
		compdef() { }
		_describe() {
			local all=("${(M)completions[@]:#${${typed##* }//:/\\:}*}")
			(($#completions)) && print -rl -- $all
		}
		_arguments() { print -rl -- ${typed##* }*(N) }
		eval "$(pakdb completion zsh)"
		typed=$0 words=("${(@s: :)0}") CURRENT=${#words}
		_pakdb`},
}

// completions are the words that shells propose for a command line.
var completions = map[string][]string{
	"pakdb stor":                  {"store"},
	"pakdb store ":                {"check", "copy", "keys", "list", "promote", "prune", "sign"},
	"pakdb ls 1.":                 {"1.0", "1.1"},
	"pakdb diff 1.0 1.":           {"1.0", "1.1"},
	"pakdb ls 1.0:":               {"Calligraphy.sip", "Calligraphy/"},
	"pakdb ls 1.0 Calligraphy/Po": {"Calligraphy/Powers/"},
	"pakdb refs DamageBy":         {"DamageByRank.curve"},
	"pakdb query @larg":           {"@largest", "@largest-exports"},
	"pakdb diff --format j":       {"json", "jsonl"},
	"pakdb diff --kind rename":    {"renamed"},
	"pakdb verify Gam":            {"Game.pak"},
}

// TestCompletionInShells asks the shells that are installed.
func TestCompletionInShells(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a hundred processes")
	}
	dir, data := t.TempDir(), filepath.Join(codecstest.ModuleRoot(t), "testdata")
	for build, file := range map[string]string{"1.0": "Calligraphy.sip", "1.1": "Calligraphy_next.sip"} {
		if out, err := exec.Command("pakdb", "index", "-q", "--catalog", filepath.Join(dir, "pakdb.db"), "--build", build, filepath.Join(data, file)).CombinedOutput(); err != nil {
			t.Fatalf("%v %s", err, out)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "Game.pak"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for shell, program := range shells {
		t.Run(shell, func(t *testing.T) {
			if _, err := exec.LookPath(program[0]); err != nil {
				t.Skip(err)
			}
			if _, err := os.Stat("/usr/share/bash-completion/bash_completion"); shell == "bash" && err != nil {
				t.Skip(err)
			}
			lines := len(completions)
			if shell != "bash" {
				lines = 4 // they get the same words; the shells differ in how they show them
			}
			for line, want := range testkit.SomeOf(completions, lines) {
				cmd := exec.Command(program[0], append(slices.Clone(program[1:]), line)...)
				cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "XDG_DATA_HOME="+dir, "PAKDB_CATALOG=", "LC_ALL=C.UTF-8")
				out, err := cmd.Output()
				if line == "pakdb verify Gam" && shell == "bash" {
					want = nil
				}
				if got := proposed(string(out)); err != nil || !slices.Equal(got, want) {
					t.Errorf("%q: %q, want %q (%v)", line, got, want, err)
				}
			}
		})
	}
}

// proposed returns the words without their descriptions and the label of a build,
// sorted.
func proposed(text string) (words []string) {
	for line := range strings.Lines(text) {
		word, _, _ := strings.Cut(strings.TrimSpace(line), "\t") // fish
		word = strings.ReplaceAll(strings.TrimPrefix(word, "1.0:"), `\:`, "\x00")
		word, _, _ = strings.Cut(word, ":") // zsh
		if word = strings.ReplaceAll(word, "\x00", ":"); word != "" {
			words = append(words, strings.TrimPrefix(word, "1.0:"))
		}
	}
	slices.Sort(words)
	return words
}
