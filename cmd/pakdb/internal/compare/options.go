package compare

import (
	"fmt"
	"strconv"
	"strings"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/diff"
	"pakdb/diff/gate"
	"pakdb/query"
)

type diffOptions struct {
	perArchive, times, noRenames, files bool
	similar                             string

	kinds []string
	fold  bool

	format                             string
	limit                              int
	stat, nameOnly, nameStatus, impact bool
	semantic, exact, hashes, media     bool
	summary                            string

	failOver []string
	limits   []gate.Limit // what failOver says
}

func (opts *diffOptions) options() (diff.Options, error) {
	percent, err := strconv.Atoi(strings.TrimSuffix(opts.similar, "%"))
	if err != nil || percent < 1 || percent > 100 {
		return diff.Options{}, fmt.Errorf("%w: --find-renames %q: want a number from 1 to 100", cli.ErrUsage, opts.similar)
	}
	return diff.Options{PerArchive: opts.perArchive, Times: opts.times, NoRenames: opts.noRenames, Files: opts.files, Similar: percent,
		Brief: !opts.semantic && (opts.format == "" || opts.summary != "")}, nil
}

// hasSums reports whether the output for people ends with the line that says so
// when no change matches.
func (opts *diffOptions) hasSums() bool {
	return opts.format == "" && !opts.nameOnly && !opts.nameStatus && opts.summary == "" && !opts.semantic && !opts.impact
}

// Pages to look at; only the changes themselves have them.
const (
	formatHTML     = "html"
	formatMarkdown = "md" // of other views: tables
)

func (opts *diffOptions) checkFormat(a *cli.App) error {
	if opts.hashes && !opts.semantic {
		return fmt.Errorf("%w: --hashes goes with --semantic", cli.ErrUsage)
	}
	if opts.media && !opts.semantic {
		return fmt.Errorf("%w: --media goes with --semantic", cli.ErrUsage)
	}
	if opts.format != formatHTML {
		return query.Output{W: a.Stdout, Format: opts.format}.Check()
	}
	if opts.stat || opts.summary != "" || opts.nameOnly || opts.nameStatus || opts.impact {
		return fmt.Errorf("%w: --format html shows the changes as they are; it goes with no other view", cli.ErrUsage)
	}
	return nil
}
