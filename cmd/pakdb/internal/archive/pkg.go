package archive

import (
	"cmp"
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/codecs"
	"pakdb/query/pkgtable"
)

type pkgOptions struct {
	names, imports, exports, depends, generations bool

	values   valueOptions
	script   bool
	function string

	format string
}

func newPkgCommand(a *cli.App) *cobra.Command {
	var opts pkgOptions
	cmd := &cobra.Command{
		Use:   "pkg [flags] FILE | pkg [flags] ARCHIVE ENTRY | pkg [flags] BUILD:PATH",
		Short: "Show an Unreal package: its summary and tables",
		Long: `Show the summary of an Unreal package (UE1 to UE5), or one of its tables. The
package is a file, or an entry of an archive, named as for "pakdb cat"; an
archive of one entry, such as a .uz2, needs no ENTRY. ARCHIVE!/ENTRY is one word
for both, and so are BUILD:PATH and BUILD:ARCHIVE!PATH. Packages of IoStore containers
refer to objects of the program by ids, which global.utoc in the same folder names.

` + operand.Help + `

Paths of imports begin with their package, paths of exports lie in this one.
Objects are also numbered as the package does it: 0 is none, 1 the first export,
-1 the first import. With several tables, json and jsonl are told apart by their
columns.

--values shows what the exports say: properties with their paths, as
Stats.Damage or Rows[Rifle].Cost, rows of data tables, curves, strings. Cooked
packages of UE5 need --mappings, which tools dump from the running game. Classes
of UE1 and UE2 have the defaults of their objects. A value that was not
understood is Opaque, with the reason.

--script shows the code of the package as text: blueprints of UE4.10 to UE6.0,
UnrealScript of UE1 to UE3. Labels and temporaries have names that stay when
nothing that they mean changes. A function that does not have the sizes that the
file states is opaque.

What is wrong with the package is written to stderr, and the exit code is 1.`,
		Example: `  pakdb pkg Botpack.u
  pakdb pkg --exports Botpack.u
  pakdb pkg --imports --format csv Game.pak Game/Content/Maps/Arena.umap
  pakdb pkg 1.52:Game/Content/Maps/Arena.umap
  pakdb pkg --values --mappings Game.usmap Game.pak Game/Content/DT_Weapons.uasset
  pakdb pkg --script --function ReceiveBeginPlay BP_GameMode.uasset
  pakdb pkg --depends DropStuff.umod System/DropStuff.u`,
		Args:              cli.Args(cobra.RangeArgs(1, 2)),
		ValidArgsFunction: cli.Completing(a, operand.CompleteEntries),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runPkg(cmd.Context(), a, opts, args)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&opts.names, "names", false, "the names that the package uses")
	flags.BoolVar(&opts.imports, "imports", false, "the objects of other packages that it uses")
	flags.BoolVar(&opts.exports, "exports", false, "the objects that lie in it")
	flags.BoolVar(&opts.depends, "depends", false, "what each export depends on")
	flags.BoolVar(&opts.generations, "generations", false, "what earlier saves held")
	flags.BoolVar(&opts.values.show, "values", false, "the values of the exports' properties, the rows of tables")
	flags.BoolVar(&opts.values.json, "json", false, "with --values: the exports in the shape of FModel's JSON")
	flags.BoolVar(&opts.values.indent, "indent", false, "with --values --json: a line for each value, indented")
	flags.StringVar(&opts.values.mappings, "mappings", "", "with --values: the classes of the game are in `FILE` (.usmap)")
	flags.StringVar(&opts.values.engine, "engine", "", "with --values: the `VERSION` of the engine that cooked the package, as 4.27, if it has none")
	flags.BoolVar(&opts.script, "script", false, "the code of its functions, as text")
	flags.StringVar(&opts.function, "function", "", "the code of functions of that `NAME` or path alone")
	cli.AddFormat(cmd, &opts.format)
	return cmd
}

func runPkg(ctx context.Context, a *cli.App, opts pkgOptions, args []string) error {
	if err := opts.values.check(); err != nil {
		return err
	}
	content, ar, err := openPackage(ctx, a, opts, args)
	if err != nil {
		return err
	}
	defer content.Close()
	build, archives := "", []*operand.Archive(nil)
	if ar != nil {
		build, archives = ar.Build, append(archives, ar)
	}
	in, err := newPackages(ctx, a, &opts.values, build, slices.Values(archives))
	if err != nil {
		return err
	}
	o, err := in.read(ctx, content)
	if errors.Is(err, codecs.ErrUnknown) && len(args) == 1 {
		return cli.WithHint(cli.OfFile(err, args[0], ""), "pakdb pkg shows packages of Unreal Engine 1 to 5: .u .utx .upk .uasset ...")
	}
	entry := strings.Join(args[1:], " ")
	if err != nil {
		return cli.OfFile(err, args[0], entry)
	}
	switch {
	case opts.values.show:
		err = printValues(a, in, o, opts)
	case opts.script || opts.function != "":
		err = printCode(a, o, opts)
	default:
		err = printPackage(a, o.Package, opts)
	}
	if err != nil {
		return err
	}
	bad := cli.NewComplaints(a)
	for _, problem := range o.problems {
		bad.Add(cli.OfFile(problem, args[0], entry))
	}
	return bad.Result()
}

// contents reports whether the contents of exports are asked for.
func (opts pkgOptions) contents() bool {
	return opts.values.show || opts.script || opts.function != ""
}

// tables returns the tables that are asked for, else the summary.
func (opts pkgOptions) tables() (all []pkgtable.Table) {
	wanted := map[string]bool{"names": opts.names, "imports": opts.imports, "exports": opts.exports, "depends": opts.depends,
		"generations": opts.generations}
	for _, name := range pkgtable.Names() {
		if wanted[name] {
			all = append(all, pkgtable.Of(name))
		}
	}
	if all == nil {
		all = append(all, pkgtable.Of("summary"))
	}
	return all
}

func printPackage(a *cli.App, v *pkgtable.Package, opts pkgOptions) error {
	for i, table := range opts.tables() {
		if i > 0 && opts.format != "json" && opts.format != "jsonl" {
			if _, err := fmt.Fprintln(a.Stdout); err != nil {
				return err
			}
		}
		rows, err := a.Rows(opts.format, table.Columns...)
		if err != nil {
			return err
		}
		err = table.Rows(v, func(values ...driver.Value) error { return rows.Write(values...) })
		if err = cmp.Or(err, rows.Close()); err != nil {
			return err
		}
	}
	return nil
}

// openPackage opens a file that is a package, or decodes an entry of an archive, which
// is nil or stays open until the content is closed.
func openPackage(ctx context.Context, a *cli.App, opts pkgOptions, args []string) (*operand.Content, *operand.Archive, error) {
	if len(args) == 1 {
		if st, err := os.Stat(args[0]); err == nil && st.Mode().IsRegular() {
			if c, err := openLoosePackage(a, args[0]); c != nil || err != nil {
				if err == nil && opts.contents() {
					err = addExports(c, args[0])
				}
				return c, nil, err
			}
			c, err := openOnly(ctx, a, args[0])
			return c, nil, err
		}
	}
	names, err := entryNames(ctx, a, args, true)
	if err != nil {
		return nil, nil, err
	}
	var g group
	switch {
	case names == nil && len(args) == 1:
		c, err := openOnly(ctx, a, args[0])
		return c, nil, err
	case names == nil:
		g, err = openAmong(ctx, a, args[0], args[1:])
	default:
		g, err = openEntry(ctx, a, names[0])
	}
	if err != nil {
		return nil, nil, err
	}
	var c *operand.Content
	if opts.contents() {
		c, err = filesOfPackages(g.ar).spool(ctx, g.entries[0])
	} else {
		c, err = operand.SpoolEntry(ctx, g.ar, g.entries[0])
	}
	if err != nil {
		return nil, nil, errors.Join(err, g.ar.Close())
	}
	own := c.Close
	c.Close = func() { own(); _ = g.ar.Close() }
	return c, g.ar, nil
}

// printCode prints the functions that are asked for: as text, or as rows.
func printCode(a *cli.App, o *openedPackage, opts pkgOptions) error {
	code, err := pkgtable.ReadScript(o.PackageFacts, o.bytes)
	if err != nil {
		return err
	}
	if opts.function != "" && !code.Keep(opts.function) {
		return fmt.Errorf("%w: the package has no function %s", cli.ErrUsage, opts.function)
	}
	if opts.format == "" {
		if len(code.Functions) == 0 {
			_, err = fmt.Fprintln(a.Stderr, "(no functions)")
			return err
		}
		return code.Write(a.Stdout)
	}
	v, table := o.Package, code.Table()
	rows, err := a.Rows(opts.format, table.Columns...)
	if err != nil {
		return err
	}
	err = table.Rows(v, func(values ...driver.Value) error { return rows.Write(values...) })
	return cmp.Or(err, rows.Close())
}

// openOnly decodes the only entry of an archive.
func openOnly(ctx context.Context, a *cli.App, name string) (*operand.Content, error) {
	sources, _, err := operand.Sources(ctx, a, name)
	if err != nil {
		return nil, err
	}
	if len(sources) != 1 {
		return nil, fmt.Errorf("%w: %s is a build: which PATH?", cli.ErrUsage, name)
	}
	ar, err := sources[0].Open(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = ar.Close() }()
	if ar.Info().EntryCount != 1 {
		return nil, fmt.Errorf("%w: %s is an archive: which ENTRY?", cli.ErrUsage, ar.Path)
	}
	found, err := cli.Find(ar.Path, ar.Archive, []string{"#0"})
	if err != nil {
		return nil, err
	}
	return operand.SpoolEntry(ctx, ar, found[0])
}
