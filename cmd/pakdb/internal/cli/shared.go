package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// sharedFlag is a flag that several commands have, with one meaning in all of them.
type sharedFlag struct{ name, short, usage string }

// sharedFlags lists the flags that more than one command has. A command adds one by [Flag].
func sharedFlags() []sharedFlag {
	return []sharedFlag{
		{"allow-damaged", "", "go on though an archive is damaged as a whole"},
		{"as", "", "write `FORM`: json, png, hdr, exr, wav, ogg or audio"},
		{"base", "", "the `BASE` that is changed"},
		{"build", "b", "the build of this `LABEL`"},
		{"channel", "", "the channel `NAME`"},
		{"clients", "", "give it to client versions `A..B`, A.. or ..B"},
		{"depth", "d", "show `N` levels, or all"},
		{"dry-run", "n", "show the result, and write nothing"},
		{"effort", "", "`EFFORT`: fast, normal or best"},
		{"expires", "", "signatures expire after `TIME`, as 12h"},
		{"follow-outside", "", "follow symbolic links out of the folder"},
		{"indent", "", "one line a value, for --as json"},
		{"kind", "", "only these `KINDS`, comma-separated"},
		{"long", "l", "list more columns"},
		{"output", "o", "write to `PATH`"},
		{"overwrite", "", "replace existing files or builds"},
		{"platform", "", "the platform `NAME`: windows, linux, darwin"},
		{"raw", "", "stored bytes, neither decoded nor verified"},
		{"rollout", "", "give it to a `SHARE` of installations"},
		{"semantic", "", "show changes inside: fields, values, code, text"},
		{"sign", "", "sign with the secret key in `FILE`"},
		{"sort", "", "order by `KEY`"},
		{"timeout", "", "end a statement after this `TIME`, as 90s"},
		{"trust", "", "verify by the public key or store root in `FILE`"},
	}
}

// Flag adds a shared flag to a command. The value that to has is the default. to is a
// *string, *bool, *int, *[]string (a flag that repeats), or a [pflag.Value].
func Flag(cmd *cobra.Command, name string, to any) {
	for _, f := range sharedFlags() {
		if f.name == name {
			addFlag(cmd.Flags(), f, to)
			return
		}
	}
	addFlag(cmd.Flags(), sharedFlag{name, "", fmt.Sprintf("not in the list of shared flags, %T", to)}, to)
}

func addFlag(flags *pflag.FlagSet, f sharedFlag, to any) {
	switch to := to.(type) {
	case *string:
		flags.StringVarP(to, f.name, f.short, *to, f.usage)
	case *bool:
		flags.BoolVarP(to, f.name, f.short, *to, f.usage)
	case *int:
		flags.IntVarP(to, f.name, f.short, *to, f.usage)
	case *time.Duration:
		flags.DurationVarP(to, f.name, f.short, *to, f.usage)
	case *[]string:
		flags.StringArrayVarP(to, f.name, f.short, *to, f.usage)
	case pflag.Value:
		flags.VarP(to, f.name, f.short, f.usage)
	}
}
