package archive

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/locate"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/codecs"
	"pakdb/codecs/unreal"
	"pakdb/diff"
	"pakdb/internal/picture"
	"pakdb/internal/terminal"
	"pakdb/query"
	"pakdb/query/show"
)

type showOptions struct {
	format string
	depth  string
	code   bool
	tables []string // of a package, in place of the tree
}

// showing is one run of the command.
type showing struct {
	showOptions
	text []byte // with --code: of the package that is shown; nil
}

func newShowCommand(a *cli.App) *cobra.Command {
	o := showOptions{depth: "all"}
	cmd := &cobra.Command{
		Use:   "show [flags] FILE | ARCHIVE [ENTRY] | BUILD[:PATH] | BUILD:ARCHIVE",
		Short: "Show the meaning of a file, an entry or an archive",
		Long: `Show the meaning of a content, as a tree: of a file, of an entry of an archive
or a build, or of an archive itself (format, counts, methods, mount order).
BUILD alone shows each of its archives. Referenced files are looked up in the
same archive or build, inherited values name the file that they come from.

--tables shows tables of an Unreal package instead: summary, names, imports,
exports, depends, generations, values, script. --code shows its code with "if"
and "while" in place of jumps: whole classes of UnrealScript and blueprints.
Errors appear in the tree; the exit code is then 1.`,
		Example: `  pakdb show 1.52:Calligraphy/Entity/Curves/HealthByLevel.curve
  pakdb show Botpack.u --tables imports,exports --format csv
  pakdb show Game.pak --format json | jq '.children[0]'`,
		Args:              cli.Args(cobra.RangeArgs(1, 2)),
		ValidArgsFunction: cli.Completing(a, operand.CompleteEntries),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runShow(cmd.Context(), a, o, args)
		},
	}
	flags := cmd.Flags()
	cli.AddFormat(cmd, &o.format, append([]string{"tree"}, query.Formats()...)...)
	cli.Flag(cmd, "depth", &o.depth)
	flags.BoolVar(&o.code, "code", false, "show the code of a package")
	flags.StringSliceVar(&o.tables, "tables", nil, "show `TABLES` of a package, comma-separated")
	cli.ReadsValues(cmd)
	cli.CompleteFlag(cmd, "tables", tableNames()...)
	return cmd
}

func runShow(ctx context.Context, a *cli.App, o showOptions, args []string) error {
	if len(o.tables) > 0 {
		return runTables(ctx, a, o, args)
	}
	depth, err := cli.ParseDepth(o.depth)
	switch {
	case err != nil:
		return err
	case o.format != "" && o.format != "tree" && o.format != "json":
		return fmt.Errorf("%w: --format %s is for --tables; a tree is tree or json", cli.ErrUsage, o.format)
	case o.code && (o.format != "" || depth > 0):
		return fmt.Errorf("%w: --code is text; \"pakdb show --tables script --format\" has rows", cli.ErrUsage)
	}
	if len(args) == 1 {
		if all, err := archivesOfBuild(ctx, a, args[0]); all != nil || err != nil {
			return cmp.Or(err, showArchives(ctx, a, o, depth, all))
		}
	}
	s := &showing{showOptions: o}
	root, err := meaningOf(ctx, a, s, args)
	if err != nil {
		return err
	}
	drawn := o.picture(ctx, a, args)
	damaged := hasProblem(root)
	if depth > 0 {
		prune(root, depth)
	}
	if o.code {
		err = s.writeCode(a)
	} else if o.format == "json" {
		err = cli.WriteJSON(a.Stdout, root)
	} else {
		err = drawTree(a, root)
	}
	if err == nil && drawn != nil {
		err = picture.Draw(a.Stdout, drawn, picture.Of(os.Getenv))
	}
	if err == nil && damaged {
		return cli.ErrProblems
	}
	return err
}

// hasProblem reports whether a tree names an error of the content.
func hasProblem(root *codecs.Node) bool {
	return slices.ContainsFunc(root.Children, func(n *codecs.Node) bool { return n.Name == "problem" })
}

func drawTree(a *cli.App, root *codecs.Node) error {
	p := cli.NewPalette(a)
	d := &drawing{out: bufio.NewWriter(a.Stdout), width: cli.OutputOf(a, "").Width, faint: func(s string) string { return p.Paint(cli.Faint, s) }}
	return d.draw(root)
}

// archivesOfBuild returns the archives of a build that text names alone; else none.
func archivesOfBuild(ctx context.Context, a *cli.App, text string) ([]operand.Source, error) {
	if _, err := os.Stat(text); err == nil {
		return nil, nil
	}
	n, err := operand.Resolve(ctx, a, locate.Resolver{BuildsFirst: true}, text)
	if err != nil || n.Build == "" || n.One || n.Entry != "" {
		return nil, err
	}
	sources, _, err := operand.Sources(ctx, a, text)
	return sources, err
}

// showArchives shows the archives of a build: a tree each, or an array of them.
func showArchives(ctx context.Context, a *cli.App, o showOptions, depth int, all []operand.Source) error {
	bad := cli.NewComplaints(a)
	roots := []*codecs.Node{}
	for _, s := range all {
		ar, err := s.Open(ctx)
		if err != nil {
			if ctx.Err() != nil {
				return err
			}
			bad.Add(err)
			continue
		}
		root, err := meaningOfArchive(ctx, ar, s.Path)
		if err = errors.Join(err, ar.Close()); err != nil {
			return err
		}
		if hasProblem(root) {
			bad.Count++
		}
		if depth > 0 {
			prune(root, depth)
		}
		roots = append(roots, root)
	}
	if o.format == "json" {
		return cmp.Or(cli.WriteJSON(a.Stdout, roots), bad.Result())
	}
	for _, root := range roots {
		if err := drawTree(a, root); err != nil {
			return err
		}
	}
	return bad.Result()
}

// writeCode writes the functions of the package that was found.
func (o *showing) writeCode(a *cli.App) error {
	if o.text == nil {
		return fmt.Errorf("%w: --code is about Unreal packages", cli.ErrUsage)
	}
	if len(o.text) == 0 {
		_, err := fmt.Fprintln(a.Stderr, "(no functions)")
		return err
	}
	_, err := a.Stdout.Write(o.text)
	return err
}

// meaningOf finds what the arguments name, and what that means.
func meaningOf(ctx context.Context, a *cli.App, o *showing, args []string) (*codecs.Node, error) {
	if len(args) == 1 {
		if root, err := meaningInBuild(ctx, a, o, args[0]); root != nil || err != nil {
			return root, err
		}
		if file, entry, ok := operand.SplitNested(args[0]); ok {
			if root, err := meaningOfNested(ctx, a, args[0]); root != nil || err != nil {
				return root, err
			}
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

// meaningOfNested shows an archive in an archive. It returns nil for an entry that is none.
func meaningOfNested(ctx context.Context, a *cli.App, text string) (*codecs.Node, error) {
	sources, err := operand.AllSources(ctx, a, []string{text})
	if err != nil || len(sources) != 1 {
		return nil, ctx.Err() // the entry may be something else
	}
	ar, err := sources[0].Open(ctx)
	if err != nil {
		return nil, ctx.Err()
	}
	defer func() { _ = ar.Close() }()
	return meaningOfArchive(ctx, ar, text)
}

func meaningOfArchive(ctx context.Context, ar *operand.Archive, name string) (*codecs.Node, error) {
	root := treeOfArchive(ar, ar.Format, ar.Size)
	root.Name = name
	root.Add("pakdb can", abilities(ar))
	return root, ctx.Err()
}

func meaningOfEntry(ctx context.Context, a *cli.App, o *showing, ar *operand.Archive, e *codecs.Entry) (*codecs.Node, error) {
	in, err := newPackages(ctx, a, ar.Build, slices.Values([]*operand.Archive{ar}))
	if err != nil {
		return nil, err
	}
	files := &archiveFiles{archive: ar, registry: a.Registry(), names: in.dictionary(filepath.Dir(ar.Path))}
	facts, err := files.entry(ctx, e)
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
func (o *showing) addOwn(ctx context.Context, in *packages, content *operand.Content, root *codecs.Node) error {
	p, err := in.read(ctx, content)
	if err != nil {
		return err
	}
	if o.code {
		text, err := p.Code()
		o.text = append([]byte{}, text...)
		return err
	}
	if err := show.AddValues(root, p.Rows); err != nil {
		return err
	}
	show.AddCode(root, p.Package, nil)
	return ctx.Err()
}

// abilities lists what pakdb can do with an archive, and the versions that it writes.
func abilities(ar *operand.Archive) string {
	can := "read"
	if _, ok := ar.Archive.(codecs.Verifier); ok {
		can += ", verify"
	}
	if _, ok := ar.Archive.(codecs.Namer); ok {
		can += ", named resources"
	}
	if ar.Format.Create != nil {
		can += ", write (" + strings.Join(ar.Format.Versions, ", ") + ")"
	}
	return can
}

// meaningInOne shows an archive of a build, BUILD:ARCHIVE, or an entry of it.
func meaningInOne(ctx context.Context, a *cli.App, o *showing, n *locate.Name) (*codecs.Node, error) {
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
func meaningInBuild(ctx context.Context, a *cli.App, o *showing, text string) (*codecs.Node, error) {
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
	db, err := a.OpenCatalog(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = db.Close() }()
	contents := cli.Contents(a, a.Catalog)
	defer func() { _ = contents.Close() }()
	files, err := show.InBuild(ctx, db, n.Build, contents, a.Registry())
	if err != nil {
		return nil, err
	}
	path := n.Entry
	if _, err := diff.Find(ctx, db, n.Build, path); errors.Is(err, diff.ErrNoFile) {
		if path, err = show.EntryPath(ctx, db, n.Build, path); err != nil {
			return nil, err
		}
	}
	root, isPackage, err := files.Meaning(ctx, path)
	if err != nil || !isPackage {
		return root, err
	}
	p, err := files.Package(ctx, path)
	if !o.code {
		show.AddCode(root, p, err)
		return root, ctx.Err()
	}
	if err != nil {
		return root, err
	}
	code, err := p.Code()
	o.text = append([]byte{}, code...)
	return root, err
}

// meaningOfFile returns nil for a file that is an archive.
func meaningOfFile(ctx context.Context, a *cli.App, o *showing, path string) (*codecs.Node, error) {
	f, err := operand.OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	st, err := f.Stat()
	if err != nil || !st.Mode().IsRegular() {
		return nil, err // OpenFor reports what is wrong with it
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
	in, err := newPackages(ctx, a, "", slices.Values([]*operand.Archive(nil)))
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

// shownSide bounds the sides of a picture on a terminal.
const shownSide = 320

// picture returns the picture of what is shown, if the terminal shows pictures: nil for none,
// and for what has none that can be decoded.
func (o *showOptions) picture(ctx context.Context, a *cli.App, args []string) image.Image {
	if o.format == "json" || o.code || !terminal.Is(a.Stdout) || picture.Of(os.Getenv) == picture.None {
		return nil
	}
	var b bytes.Buffer
	quiet := cli.New(a.Stdin, &b, io.Discard, a.Registry)
	quiet.Catalog, quiet.Quiet, quiet.Keys, quiet.Mappings, quiet.Engine = a.Catalog, true, a.Keys, a.Mappings, a.Engine
	err := runCat(ctx, quiet, catOptions{as: asOptions{form: "png", media: mediaOptions{mip: -1, slice: 0, side: shownSide}}}, args)
	if err != nil {
		return nil
	}
	small, err := png.Decode(&b)
	if err != nil {
		return nil
	}
	if out, ok := a.Stdout.(interface{ Unpaged() bool }); ok && !out.Unpaged() {
		return nil
	}
	return small
}
