package compare

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/diff"
	"pakdb/query"
)

type diffOptions struct {
	similar string
	by      string // asset, file, entry, or a column of sums
	sort    string // a key of diff.Orders
	inside  depth  // what --semantic says

	kinds []string

	format                             string
	most                               cli.ByteSize // of a page
	stat, nameOnly, nameStatus, impact bool

	semantic bool   // inside is not "", or it is a page
	summary  string // by, if that is a column of sums

	failOver []string
	limits   []limit // what failOver says
}

// depth is the value of --semantic: "", fields, or all, which compares exports by hashes,
// pixels, samples of sounds and modification times, too.
type depth string

const (
	insideFields depth = "fields"
	insideAll    depth = "all"
)

// Set implements pflag.Value: the flag alone has the value true.
func (i *depth) Set(text string) error {
	switch text {
	case "true", "fields":
		*i = insideFields
	case "all":
		*i = insideAll
	default:
		return fmt.Errorf("%q is neither fields nor all", text)
	}
	return nil
}

// String implements pflag.Value.
func (i *depth) String() string { return string(*i) }

// Type implements pflag.Value. It is a bool that takes other values, too.
func (i *depth) Type() string { return "bool" }

// byKeys are the values of --by.
func byKeys() []string { return append([]string{"asset", "file", "entry"}, diff.Columns()...) }

// read refuses values that there are not, and those that exclude each other.
func (opts *diffOptions) read() error {
	if !slices.Contains(byKeys(), opts.by) {
		return fmt.Errorf("%w: --by %q: want one of %s", cli.ErrUsage, opts.by, strings.Join(byKeys(), ", "))
	}
	if !slices.Contains(diff.Orders(), opts.sort) {
		return fmt.Errorf("%w: --sort %q: want one of %s", cli.ErrUsage, opts.sort, strings.Join(diff.Orders(), ", "))
	}
	opts.semantic = opts.inside != ""
	if slices.Contains(diff.Columns(), opts.by) {
		opts.summary = opts.by
	}
	if opts.summary != "" && (opts.stat || opts.semantic || opts.nameOnly || opts.nameStatus || opts.impact) {
		return fmt.Errorf("%w: --by %s shows sums; it goes with no other view", cli.ErrUsage, opts.by)
	}
	if opts.sort != diff.Orders()[0] && (opts.summary != "" || opts.impact) {
		return fmt.Errorf("%w: --sort orders changes, which --impact and sums do not list", cli.ErrUsage)
	}
	opts.semantic = opts.semantic || opts.format == formatHTML
	return nil
}

func (opts *diffOptions) options() (diff.Options, error) {
	percent, err := strconv.Atoi(strings.TrimSuffix(opts.similar, "%"))
	if err != nil || percent < 0 || percent > 100 {
		return diff.Options{}, fmt.Errorf("%w: --find-renames %q: want a number from 0 to 100", cli.ErrUsage, opts.similar)
	}
	brief := !opts.semantic && (opts.format == "" || opts.summary != "")
	return diff.Options{PerArchive: opts.by == "entry", Times: opts.inside == insideAll, NoRenames: percent == 0, Files: opts.by == "file",
		Similar: max(1, percent), Brief: brief, Reuse: brief}, nil
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
	if opts.format != formatHTML {
		return query.Output{W: a.Stdout, Format: opts.format}.Check()
	}
	if opts.stat || opts.summary != "" || opts.nameOnly || opts.nameStatus || opts.impact {
		return fmt.Errorf("%w: --format html shows the changes as they are; it goes with no other view", cli.ErrUsage)
	}
	return nil
}
