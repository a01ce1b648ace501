package archive

import (
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/locate"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/codecs"
	"pakdb/codecs/mods"
	"pakdb/internal/regular"
	"pakdb/schema"
)

func newModEditCommand(a *cli.App) *cobra.Command {
	var opts modOptions
	cmd := &cobra.Command{
		Use:   "edit [flags] {BUILD[:PATH]|FILE} {--sql|--csv|--json} LIST -o OUT",
		Short: "Change values of Unreal packages by SQL, CSV or JSON",
		Long: `Change values as a list says. --sql runs UPDATE, INSERT and DELETE on the view
properties of BUILD, INSERT and UPDATE on data_table_rows, and UPDATE on
translations, calligraphy_fields and calligraphy_curves: the changes go to OUT
and never to the catalog. --csv reads columns path, export,
field and value, as "pakdb query --format csv" writes them. --json reads what
"pakdb extract --as json" wrote: the file of one package, or a folder of them.

Rows and JSON that were not edited change nothing. OUT, what is refused, and
the proof of the result are those of "pakdb mod set".`,
		Example: `  pakdb mod edit 2 --sql "UPDATE properties SET value=9 WHERE name='HP'" -n
  pakdb mod edit 1.52 --csv rifles.csv -o Game_1_P.pak
  pakdb mod edit BP_Rifle.uasset --json BP_Rifle.json -o new.uasset`,
		Args:              cli.Args(cobra.ExactArgs(1)),
		ValidArgsFunction: cli.Completing(a, operand.CompleteEntries),
		RunE: func(cmd *cobra.Command, args []string) error {
			if opts.out == "" && !opts.dryRun {
				return cli.UsageError(cmd, errors.New("no output: pass -o OUT, or --dry-run"))
			}
			if opts.sql == "" && opts.csv == "" && opts.json == "" && !cmd.Flags().Changed("sql") {
				return cli.UsageError(cmd, errors.New("change what? pass --sql, --csv or --json"))
			}
			if cmd.Flags().Changed("sql") && strings.TrimSpace(opts.sql) == "" {
				return cli.UsageError(cmd, errors.New("--sql without a statement"))
			}
			if opts.timeout != 0 && opts.sql == "" {
				return cli.UsageError(cmd, errors.New("--timeout is for --sql"))
			}
			return runModEdit(cmd.Context(), a, opts, args[0])
		},
	}
	flags := cmd.Flags()
	cli.Flag(cmd, "output", &opts.out)
	flags.StringVar(&opts.sql, "sql", "", "run `SQL` on the views of values")
	flags.StringVar(&opts.csv, "csv", "", "read changes from the table `FILE`, - for stdin")
	flags.StringVar(&opts.json, "json", "", "read values from `FILE`, or a folder of files")
	cli.Exclusive(cmd, "sql", "csv", "json")
	cli.Flag(cmd, "timeout", &opts.timeout)
	opts.addOutput(cmd)
	return cmd
}

func runModEdit(ctx context.Context, a *cli.App, opts modOptions, name string) error {
	if err := cli.RefuseExisting(opts.out, opts.overwrite); err != nil {
		return err
	}
	r := &modRun{a: a, opts: &opts}
	defer r.close()
	targets, build, err := r.scope(ctx, name)
	if err != nil {
		return modHint(name, err)
	}
	if opts.json != "" {
		err = r.applyJSON(ctx, targets, opts.json)
	} else {
		var edits []mods.Edit
		if opts.sql != "" {
			edits, err = r.editsOfSQL(ctx, targets, build, opts.sql)
		} else {
			edits, err = editsOfCSV(a, targets, build, opts.csv)
		}
		if err == nil {
			err = r.applyAll(ctx, targets, edits)
		}
	}
	if err != nil {
		return err
	}
	return r.finish(ctx)
}

// scope returns the packages that a list may change, and the build that they are of.
func (r *modRun) scope(ctx context.Context, name string) (targets []modTarget, build string, err error) {
	n, err := operand.Resolve(ctx, r.a, locate.Resolver{}, name)
	if err != nil {
		return nil, "", err
	}
	if n.Build != "" && n.Entry == "" {
		targets, err = r.match(ctx, n)
		return targets, n.Build, err
	}
	if st, statErr := os.Stat(name); statErr == nil && st.Mode().IsRegular() && !mods.IsText(name) {
		if c, err := openLoosePackage(r.a, name); err != nil {
			return nil, "", err
		} else if c == nil {
			targets, err = r.match(ctx, n)
			return targets, "", err
		} else {
			c.Close()
		}
	}
	targets, err = r.find(ctx, name)
	return targets, n.Build, err
}

// path is how lists call a package.
func (t modTarget) path() string {
	if t.header == nil {
		return t.name
	}
	return t.header.Name
}

// applyAll makes the edits of a list.
func (r *modRun) applyAll(ctx context.Context, targets []modTarget, edits []mods.Edit) error {
	byPath := map[string][]mods.Edit{}
	for _, e := range edits {
		byPath[e.Path] = append(byPath[e.Path], e)
	}
	for _, t := range targets {
		t.chosen = false
		own := byPath[t.path()]
		if own == nil {
			continue
		}
		err := r.apply(ctx, t, func(p mods.Editable) ([]mods.Edit, error) {
			return slices.DeleteFunc(own, func(e mods.Edit) bool { return e.Op == mods.Set && p.Holds(e.Object, e.Field, e.Value) }), nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// modScope are the packages that a list may name, by their paths.
type modScope struct {
	archives map[string]string // that they are in
	passed   int64             // rows of packages that are out of scope, or that the game does not see
}

func inScope(targets []modTarget) *modScope {
	l := &modScope{archives: map[string]string{}}
	for _, t := range targets {
		l.archives[t.path()] = ""
		if t.ar != nil {
			_, l.archives[t.path()], _ = strings.Cut(t.ar.Path, ":")
		}
	}
	return l
}

// has reports whether a row is of a listed package, and counts it if it is not. The archive is
// "" if the row does not say it.
func (l *modScope) has(path, archive string) bool {
	in, ok := l.archives[path]
	if ok && (archive == "" || in == archive) {
		return true
	}
	l.passed++
	return false
}

func (l *modScope) warn(a *cli.App) {
	if l.passed > 0 {
		a.Warn(cli.Plural(l.passed, "row", "rows") + " left out: of other packages, or of copies that the game does not see")
	}
}

// editsOfSQL returns the changes that statements ask for.
func (r *modRun) editsOfSQL(ctx context.Context, targets []modTarget, build, statements string) (edits []mods.Edit, err error) {
	if build == "" {
		return nil, fmt.Errorf("%w: --sql is about a build of the catalog", cli.ErrUsage)
	}
	if r.opts.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, r.opts.timeout)
		defer cancel()
	}
	all, err := schema.ValueEdits(ctx, r.a.Catalog, build, statements)
	if ctx.Err() != nil {
		return nil, err
	}
	if err != nil {
		return nil, cli.Usage(err)
	}
	l := inScope(targets)
	ops := map[string]mods.Op{"update": mods.Set, "insert": mods.Add, "delete": mods.Remove}
	for _, e := range all {
		if !l.has(e.Path, e.Archive) {
			if e.Op == "insert" {
				return nil, fmt.Errorf("%w: build %s has no package %s", codecs.ErrNotFound, build, e.Path)
			}
			continue
		}
		edits = append(edits, mods.Edit{Path: e.Path, Object: e.Object, Field: e.Field, Op: ops[e.Op], Value: e.Value})
	}
	l.warn(r.a)
	return edits, nil
}

// editsOfCSV reads a table of changes. Columns of the view properties that say nothing about a
// change may be there.
func editsOfCSV(a *cli.App, targets []modTarget, build, name string) (edits []mods.Edit, err error) {
	in := io.Reader(os.Stdin)
	if name != "-" {
		f, err := operand.OpenRegular(name)
		if err != nil {
			return nil, err
		}
		defer func() { _ = f.Close() }()
		in = f
	}
	rows := csv.NewReader(in)
	header, err := rows.Read()
	if err == io.EOF {
		return nil, fmt.Errorf("%w: %s is empty: want columns path, export, field, value", cli.ErrUsage, name)
	}
	if err != nil {
		return nil, ofTable(name, err)
	}
	header[0] = strings.TrimPrefix(header[0], "\uFEFF") // spreadsheets write it
	at := map[string]int{}
	for i, column := range header {
		at[strings.ToLower(column)] = i
	}
	for _, column := range []string{"field", "value"} {
		if _, ok := at[column]; !ok {
			return nil, fmt.Errorf("%w: %s: no column %s: want path, export, field, value", cli.ErrUsage, name, column)
		}
	}
	l := inScope(targets)
	for {
		row, err := rows.Read()
		if err == io.EOF {
			l.warn(a)
			return edits, nil
		}
		if err != nil {
			return nil, ofTable(name, err)
		}
		get := func(column string) string {
			if i, ok := at[column]; ok {
				return row[i]
			}
			return ""
		}
		e := mods.Edit{Path: get("path"), Object: cmp.Or(get("export"), get("data_table")), Field: get("field"), Op: mods.Op(cmp.Or(get("op"), string(mods.Set))), Value: get("value")}
		if n, err := strconv.Atoi(get("export_ordinal")); err == nil {
			e.Object = fmt.Sprint("#", n)
		}
		if key := get("row_name"); key != "" {
			e.Field = "Rows[" + key + "]." + e.Field
		}
		if e.Path == "" && len(targets) == 1 {
			e.Path = targets[0].path()
		}
		of := get("build")
		if _, ok := l.archives[e.Path]; !ok || build != "" && of != "" && of != build {
			line, _ := rows.FieldPos(0)
			return nil, fmt.Errorf("%s: line %d: %w: package %q of build %q", name, line, codecs.ErrNotFound, e.Path, cmp.Or(of, build))
		}
		if l.has(e.Path, get("archive")) {
			edits = append(edits, e)
		}
	}
}

// ofTable names the table that cannot be read. Wrong text in it is wrong use.
func ofTable(name string, err error) error {
	var wrong *csv.ParseError
	if errors.As(err, &wrong) {
		return fmt.Errorf("%w: %s: line %d: %w", cli.ErrUsage, name, wrong.Line, wrong.Err)
	}
	return fmt.Errorf("%s: %w", name, err)
}

// applyJSON makes packages those that JSON describes: a file for one package, or a folder
// with the paths of the packages.
func (r *modRun) applyJSON(ctx context.Context, targets []modTarget, name string) error {
	st, err := os.Stat(name)
	if err != nil {
		return err
	}
	if !st.IsDir() {
		if len(targets) != 1 {
			return fmt.Errorf("%w: %s is one file, and %s are meant: name the package, or a folder of files", cli.ErrUsage, name, cli.Plural(int64(len(targets)), "package", "packages"))
		}
		return r.applyFile(ctx, targets[0], name)
	}
	files := map[string]string{} // by the paths of packages without extensions
	err = filepath.WalkDir(name, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(file) != ".json" {
			return err
		}
		rel, err := filepath.Rel(name, file)
		files[strings.TrimSuffix(filepath.ToSlash(rel), ".json")] = file
		return err
	})
	if err != nil {
		return err
	}
	for _, t := range targets {
		stem := strings.TrimSuffix(t.path(), path.Ext(t.path()))
		if file, ok := files[stem]; ok && t.header != nil && mods.IsPackage(t.header) {
			delete(files, stem)
			if err := r.applyFile(ctx, t, file); err != nil {
				return err
			}
		}
	}
	if rest := slices.Sorted(maps.Values(files)); len(rest) > 0 {
		return fmt.Errorf("%w: a package for %s", codecs.ErrNotFound, rest[0])
	}
	return nil
}

func (r *modRun) applyFile(ctx context.Context, t modTarget, file string) error {
	doc, err := regular.ReadFile(file)
	if err != nil {
		return err
	}
	t.chosen = false
	return r.apply(ctx, t, func(e mods.Editable) ([]mods.Edit, error) {
		p, ok := e.(*mods.Package)
		if !ok {
			return nil, fmt.Errorf("%w: --json is about packages", cli.ErrUsage)
		}
		edits, err := p.JSONEdits(doc)
		if err != nil {
			err = fmt.Errorf("%s: %w", file, err)
		}
		return edits, err
	})
}
