package archive

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/codecs"
	"pakdb/codecs/unreal/rows"
)

// contents are the tables that read the contents of exports.
func contentTables() []string { return []string{"values", "script"} }

func tableNames() []string { return append(rows.TableNames(), contentTables()...) }

// checkTables refuses tables that there are not, and flags that no table takes.
func (o *showOptions) checkTables() error {
	for _, name := range o.tables {
		switch {
		case !slices.Contains(tableNames(), name):
			return fmt.Errorf("%w: --tables: no table %q: want one of %s", cli.ErrUsage, name, strings.Join(tableNames(), ", "))
		case len(o.tables) > 1 && slices.Contains(contentTables(), name):
			return fmt.Errorf("%w: --tables %s goes with no other table", cli.ErrUsage, name)
		}
	}
	if o.code || o.depth != "all" {
		return fmt.Errorf("%w: --tables shows no tree: --code and --depth have no effect", cli.ErrUsage)
	}
	return nil
}

// runTables shows tables of an Unreal package.
func runTables(ctx context.Context, a *cli.App, opts showOptions, args []string) error {
	if err := opts.checkTables(); err != nil {
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
	in, err := newPackages(ctx, a, build, slices.Values(archives))
	if err != nil {
		return err
	}
	o, err := in.read(ctx, content)
	if errors.Is(err, codecs.ErrUnknown) && len(args) == 1 {
		return cli.WithHint(cli.OfFile(err, args[0], ""), "--tables shows packages of Unreal Engine 1 to 5: .u .utx .upk .uasset ...")
	}
	entry := strings.Join(args[1:], " ")
	if err != nil {
		return cli.OfFile(err, args[0], entry)
	}
	switch opts.tables[0] {
	case "values":
		err = printValues(a, in, o, opts)
	case "script":
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
func (o *showOptions) contents() bool { return slices.Contains(contentTables(), o.tables[0]) }

// briefColumns has the columns that people see of tables for which 80 cells have no room.
func briefColumns() map[string][]string {
	return map[string][]string{
		"imports": {"import", "class", "path"},
		"exports": {"export", "class", "path", "size"},
		"depends": {"export", "on", "kind", "needs"},
	}
}

func printPackage(a *cli.App, v *rows.Package, opts showOptions) error {
	for i, name := range opts.tables {
		table := rows.TableOf(name)
		if i > 0 && opts.format != "json" && opts.format != "jsonl" {
			if _, err := fmt.Fprintln(a.Stdout); err != nil {
				return err
			}
		}
		out, err := a.Brief(opts.format, briefColumns()[name], table.Columns...)
		if err != nil {
			return err
		}
		err = table.Rows(v, out.Write)
		if err = cmp.Or(err, out.Close()); err != nil {
			return err
		}
	}
	return nil
}

// openPackage opens a file that is a package, or decodes an entry of an archive, which
// is nil or stays open until the content is closed.
func openPackage(ctx context.Context, a *cli.App, opts showOptions, args []string) (*operand.Content, *operand.Archive, error) {
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
func printCode(a *cli.App, o *openedPackage, opts showOptions) error {
	code, err := rows.ReadScript(o.PackageFacts, o.Bytes)
	if err != nil {
		return err
	}
	if opts.format == "" {
		if len(code.Functions) == 0 {
			_, err = fmt.Fprintln(a.Stderr, "(no functions)")
			return err
		}
		return code.Write(a.Stdout)
	}
	table := code.Table()
	out, err := a.Rows(opts.format, table.Columns...)
	if err != nil {
		return err
	}
	return cmp.Or(table.Rows(o.Package, out.Write), out.Close())
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

// printValues prints the values of a package, and says what mappings lacked.
func printValues(a *cli.App, p *packages, o *openedPackage, opts showOptions) error {
	out, err := a.Rows(opts.format, rows.ValueColumns()...)
	if err != nil {
		return err
	}
	if err := cmp.Or(o.Rows(out.Write), out.Close()); err != nil {
		return err
	}
	return p.missing(&o.Coverage)
}
