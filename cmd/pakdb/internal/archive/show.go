package archive

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/codecs"
	"pakdb/codecs/meaning"
	"pakdb/codecs/unreal"
	"pakdb/diff"
	"pakdb/diff/locate"
	"pakdb/internal/picture"
	"pakdb/internal/terminal"
	"pakdb/query/pkgtable"
	"pakdb/query/show"
)

type showOptions struct {
	format string
	depth  int
	code   bool
	values valueOptions
}

// showing is one run of the command.
type showing struct {
	showOptions
	script *pkgtable.Script // with --code: of the package that is shown; nil
}

func newShowCommand(a *cli.App) *cobra.Command {
	var o showOptions
	cmd := &cobra.Command{
		Use:   "show [flags] FILE | BUILD:PATH | BUILD:ARCHIVE | ARCHIVE [ENTRY]",
		Short: "Show what a content means, as a tree",
		Long: `Show what a content means, as a tree: whatever "pakdb formats" lists an inspector
for. It is a file, a file of a build in the catalog, or an entry of an archive, named
as for "pakdb cat"; ARCHIVE!/ENTRY is one word for both. An ARCHIVE without ENTRY
is shown itself: its format, what is in it, and how a game mounts it.

What a content refers to is looked up in the same archive or build. A prototype of
Marvel Heroes has its parents first, the nearest on top; values that it inherits
follow its own, each with the file that it comes from. Of an Unreal package there are
the summary, the imports, and the exports with their values; in a build, objects have
those that they inherit too, each with the file and the object that it comes from
("pakdb pkg" has the tables). Of a curve there are its points; of an asset of Retro
Studios, what it refers to.

On a terminal that shows pictures (kitty, Ghostty, iTerm2, WezTerm, foot, mlterm) a
texture, or a file that is a picture, is drawn below; PAKDB_PICTURES=kitty, iterm, sixel
or none says how, where the terminal is not known.

--code shows the code of a package alone, as people write it: "if", "while", "for each"
and "switch" in place of jumps, and variables that the compiler made where they are
used, if that is once. What has no such structure keeps its normal form, which "pakdb
pkg --script" shows of all functions, and which diffs go by.

--format json is the same tree: objects of name, value, note, inherited_from and
children, each where there is such a thing. Members are only ever added.

What is wrong with the content stands in the tree, and the exit code is 1.`,
		Example: `  pakdb show Calligraphy.sip Calligraphy/Powers/Player/Aegis/Beam.prototype
  pakdb show 1.52:Calligraphy/Entity/Curves/HealthByLevel.curve
  pakdb show 1.52:Calligraphy.sip
  pakdb show Botpack.u --depth 1
  pakdb show 1.52:Content/BP_GameMode.uasset --code
  pakdb show Game.pak --format json | jq '.children[] | select(.name == "mounting")'`,
		Args:              cli.Args(cobra.RangeArgs(1, 2)),
		ValidArgsFunction: cli.Completing(a, operand.CompleteEntries),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runShow(cmd.Context(), a, o, args)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.format, "format", "tree", "output as `FORMAT`: tree, json")
	flags.IntVar(&o.depth, "depth", 0, "show `N` levels of the tree; 0 is all")
	flags.BoolVar(&o.code, "code", false, "of a package: its code as text, in place of the tree")
	flags.StringVar(&o.values.mappings, "mappings", "", "of a package in a file or an archive: the classes of the game are in `FILE` (.usmap)")
	flags.StringVar(&o.values.engine, "engine", "", "of such a package: the `VERSION` of the engine that cooked it, as 4.27, if it has none")
	cli.CompleteFlag(cmd, "format", "tree", "json")
	return cmd
}

func runShow(ctx context.Context, a *cli.App, o showOptions, args []string) error {
	if o.format != "tree" && o.format != "json" {
		return fmt.Errorf("%w: no format %q; there are tree, json", cli.ErrUsage, o.format)
	}
	if o.code && (o.format != "tree" || o.depth != 0) {
		return fmt.Errorf("%w: --code is text; \"pakdb pkg --script --format\" has rows", cli.ErrUsage)
	}
	s := &showing{showOptions: o}
	root, err := meaningOf(ctx, a, s, args)
	if err != nil {
		return err
	}
	drawn := o.picture(ctx, a, args)
	damaged := slices.ContainsFunc(root.Children, func(n *meaning.Node) bool { return n.Name == "problem" })
	if o.depth > 0 {
		show.Prune(root, o.depth)
	}
	if o.code {
		err = s.writeCode(a)
	} else if o.format == "json" {
		err = cli.WriteJSON(a.Stdout, root)
	} else {
		p := cli.NewPalette(a)
		err = show.Draw(a.Stdout, root, show.Style{Width: cli.OutputOf(a, "").Width, Printable: terminal.Printable,
			Faint: func(s string) string { return p.Paint(cli.Faint, s) }})
	}
	if err == nil && drawn != nil {
		err = picture.Draw(a.Stdout, drawn, picture.Of(os.Getenv))
	}
	if err == nil && damaged {
		return cli.ErrProblems
	}
	return err
}

// writeCode writes the functions of the package that was found.
func (o *showing) writeCode(a *cli.App) error {
	if o.script == nil {
		return fmt.Errorf("%w: --code is about Unreal packages", cli.ErrUsage)
	}
	if len(o.script.Functions) == 0 {
		_, err := fmt.Fprintln(a.Stderr, "(no functions)")
		return err
	}
	return o.script.WriteBlocks(a.Stdout)
}

// meaningOf finds what the arguments name, and what that means.
func meaningOf(ctx context.Context, a *cli.App, o *showing, args []string) (*meaning.Node, error) {
	if len(args) == 1 {
		if root, err := meaningInBuild(ctx, a, o, args[0]); root != nil || err != nil {
			return root, err
		}
		if file, entry, ok := operand.SplitNested(args[0]); ok {
			args = []string{file, entry}
		}
	}
	if len(args) == 1 {
		if root, err := meaningOfFile(ctx, a, o, args[0]); root != nil || err != nil {
			return root, err
		}
	}
	ar, err := operand.OpenFor(ctx, a, args[0], args[1:], false)
	if err != nil {
		return nil, err
	}
	defer func() { _ = ar.Close() }()
	if len(args) == 1 {
		return meaningOfArchive(ctx, ar, args[0])
	}
	found, err := cli.Find(ar.Path, ar.Archive, args[1:])
	if err != nil {
		return nil, err
	}
	return meaningOfEntry(ctx, a, o, ar, found[0])
}

func meaningOfArchive(ctx context.Context, ar *operand.Archive, name string) (*meaning.Node, error) {
	root := meaning.OfArchive(ar, ar.Format, ar.Size)
	root.Name = name
	return root, ctx.Err()
}

func meaningOfEntry(ctx context.Context, a *cli.App, o *showing, ar *operand.Archive, e *codecs.Entry) (*meaning.Node, error) {
	in, err := newPackages(ctx, a, &o.values, ar.Build, slices.Values([]*operand.Archive{ar}))
	if err != nil {
		return nil, err
	}
	files := show.InArchive(ar, a.Registry(), in.dictionary(filepath.Dir(ar.Path)))
	facts, err := files.Entry(ctx, e)
	root, err := show.Explain(ctx, cli.Label(e), facts, files, err)
	if err != nil {
		return nil, err
	}
	if _, ok := facts.Detail.(*unreal.PackageFacts); !ok {
		return root, nil
	}
	content, err := filesOfPackages(ar).spool(ctx, e)
	if err != nil {
		return nil, err
	}
	defer content.Close()
	return root, o.addOwn(ctx, in, content, root)
}

// addOwn adds what the exports of a package say, and its code; with --code it only
// reads that.
func (o *showing) addOwn(ctx context.Context, in *packages, content *operand.Content, root *meaning.Node) error {
	p, err := in.read(ctx, content)
	if err != nil {
		return err
	}
	if o.code {
		o.script, err = pkgtable.ReadScript(p.PackageFacts, p.bytes)
		return err
	}
	if err := show.AddValues(root, in.values(p).Rows); err != nil {
		return err
	}
	code, err := pkgtable.ReadScript(p.PackageFacts, p.bytes)
	if err != nil {
		root.Add("code", "not read").Note = err.Error()
		return ctx.Err()
	}
	show.AddCode(root, code)
	return nil
}

// meaningInOne shows an archive of a build, BUILD:ARCHIVE, or an entry of it.
func meaningInOne(ctx context.Context, a *cli.App, o *showing, n *locate.Name) (*meaning.Node, error) {
	if n.Entry == "" {
		ar, err := operand.OpenInBuild(ctx, a, n, n.Files[0])
		if err != nil {
			return nil, err
		}
		defer func() { _ = ar.Close() }()
		return meaningOfArchive(ctx, ar, n.Text)
	}
	g, err := openNamed(ctx, a, n)
	if err != nil {
		return nil, err
	}
	defer func() { _ = g.ar.Close() }()
	return meaningOfEntry(ctx, a, o, g.ar, g.entries[0])
}

// meaningInBuild shows BUILD:PATH, BUILD:ARCHIVE and BUILD:ARCHIVE!PATH. It returns
// nil for text that names no build of the catalog.
func meaningInBuild(ctx context.Context, a *cli.App, o *showing, text string) (*meaning.Node, error) {
	if _, err := os.Stat(text); err == nil {
		return nil, nil
	}
	n, err := operand.Resolve(ctx, a, locate.Resolver{BuildsFirst: true}, text)
	if err != nil {
		return nil, err
	}
	if n.Build != "" && n.One {
		return meaningInOne(ctx, a, o, n)
	}
	if n.Build == "" {
		return nil, nil // a file that is not there, which meaningOfFile reports
	}
	if n.Entry == "" {
		return nil, cli.WithHint(fmt.Errorf("%w: %s is a build: what of it?", cli.ErrUsage, text),
			"pakdb show "+n.Build+":PATH, or "+n.Build+":ARCHIVE; pakdb info "+n.Build+" tells of its archives")
	}
	db, err := a.OpenCatalog(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = db.Close() }()
	contents, err := cli.Contents(a, a.Catalog)
	if err != nil {
		return nil, err
	}
	defer func() { _ = contents.Close() }()
	files, err := show.InBuild(ctx, db, n.Build, contents, a.Registry())
	if err != nil {
		return nil, err
	}
	path := n.Entry
	if _, err := diff.Find(ctx, db, n.Build, path); errors.Is(err, diff.ErrNoFile) {
		if path, err = operand.EntryPath(ctx, db, n.Build, path); err != nil {
			return nil, err
		}
	}
	root, isPackage, err := files.Meaning(ctx, path)
	if err != nil || !isPackage {
		return root, err
	}
	if o.code {
		o.script, err = files.Code(ctx, path)
		return root, err
	}
	return root, files.AddCode(ctx, root, path)
}

// meaningOfFile returns nil for a file that is an archive.
func meaningOfFile(ctx context.Context, a *cli.App, o *showing, path string) (*meaning.Node, error) {
	f, err := operand.OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	st, err := f.Stat()
	if err != nil || !st.Mode().IsRegular() {
		return nil, err // OpenFor tells what is wrong with it
	}
	src, err := codecs.FileSource(f)
	if err != nil {
		return nil, err
	}
	format, err := a.Registry().Detect(src)
	if err != nil || !operand.IsLoose(format) {
		return nil, err
	}
	if err := a.Registry().Explain(src); err != nil {
		return nil, err
	}
	e := &codecs.Entry{Name: filepath.ToSlash(path), Size: st.Size()}
	in, err := newPackages(ctx, a, &o.values, "", slices.Values([]*operand.Archive(nil)))
	if err != nil {
		return nil, err
	}
	facts, err := show.Inspect(ctx, a.Registry(), e, f, in.dictionary(filepath.Dir(path)))
	root, err := show.Explain(ctx, path, facts, nil, err)
	if err != nil {
		return nil, err
	}
	if _, ok := facts.Detail.(*unreal.PackageFacts); !ok {
		return root, nil
	}
	content := &operand.Content{ReaderAt: f, Size: st.Size(), Path: e.Name, Folder: filepath.Dir(path), Close: func() {}}
	if err := addExports(content, path); err != nil {
		return nil, err
	}
	defer content.Close()
	return root, o.addOwn(ctx, in, content, root)
}
