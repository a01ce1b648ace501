package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"pakdb/codecs"
	"pakdb/codecs/meaning"
	"pakdb/diff"
	"pakdb/diff/locate"
	"pakdb/internal/choose"
	"pakdb/internal/objects"
	"pakdb/query"
	"pakdb/query/show"
)

type showOptions struct {
	format string
	depth  int
}

func newShowCommand(a *app) *cobra.Command {
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
follow its own, each with the file that it comes from. Of a package there are the
summary, the imports and the exports ("pakdb pkg" has the tables); of a curve, its
points; of an asset of Retro Studios, what it refers to.

--format json is the same tree: objects of name, value, note, inherited_from and
children, each where there is such a thing. Members are only ever added.

What is wrong with the content stands in the tree, and the exit code is 1.`,
		Example: `  pakdb show Calligraphy.sip Calligraphy/Powers/Player/Aegis/Beam.prototype
  pakdb show 1.52:Calligraphy/Entity/Curves/HealthByLevel.curve
  pakdb show 1.52:Calligraphy.sip
  pakdb show Botpack.u --depth 1
  pakdb show Game.pak --format json | jq '.children[] | select(.name == "mounting")'`,
		Args:              usage(cobra.RangeArgs(1, 2)),
		ValidArgsFunction: completing(a, completeEntries),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runShow(cmd.Context(), a, o, args)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.format, "format", "tree", "output as `FORMAT`: tree, json")
	flags.IntVar(&o.depth, "depth", 0, "show `N` levels of the tree; 0 is all")
	completeFlag(cmd, "format", "tree", "json")
	return cmd
}

func runShow(ctx context.Context, a *app, o showOptions, args []string) error {
	if o.format != "tree" && o.format != "json" {
		return fmt.Errorf("%w: no format %q; there are tree, json", errUsage, o.format)
	}
	root, err := meaningOf(ctx, a, args)
	if err != nil {
		return err
	}
	damaged := slices.ContainsFunc(root.Children, func(n *meaning.Node) bool { return n.Name == "problem" })
	if o.depth > 0 {
		show.Prune(root, o.depth)
	}
	if o.format == "json" {
		err = writeJSON(a.stdout, root)
	} else {
		p := newPalette(a)
		err = show.Draw(a.stdout, root, show.Style{Width: outputOf(a, "").Width, Printable: printable,
			Faint: func(s string) string { return p.paint(faint, s) }})
	}
	if err == nil && damaged {
		return errProblems
	}
	return err
}

// meaningOf finds what the arguments name, and what that means.
func meaningOf(ctx context.Context, a *app, args []string) (*meaning.Node, error) {
	if len(args) == 1 {
		if root, err := meaningInBuild(ctx, a, args[0]); root != nil || err != nil {
			return root, err
		}
		if file, entry, ok := splitInside(args[0]); ok {
			args = []string{file, entry}
		}
	}
	if len(args) == 1 {
		if root, err := meaningOfFile(ctx, a, args[0]); root != nil || err != nil {
			return root, err
		}
	}
	ar, err := openFor(ctx, a, args[0], args[1:], false)
	if err != nil {
		return nil, err
	}
	defer func() { _ = ar.Close() }()
	if len(args) == 1 {
		return meaningOfArchive(ctx, ar, args[0])
	}
	found, err := choose.Find(ar.path, ar.Archive, args[1:])
	if err != nil {
		return nil, err
	}
	return meaningOfEntry(ctx, a, ar, found[0])
}

func meaningOfArchive(ctx context.Context, ar *archive, name string) (*meaning.Node, error) {
	root := meaning.OfArchive(ar, ar.format, ar.size)
	root.Name = name
	return root, ctx.Err()
}

func meaningOfEntry(ctx context.Context, a *app, ar *archive, e *codecs.Entry) (*meaning.Node, error) {
	files := show.InArchive(ar, a.registry(), scriptsIn(a, filepath.Dir(ar.path)))
	facts, err := files.Entry(ctx, e)
	return show.Explain(ctx, choose.Label(e), facts, files, err)
}

// meaningInOne shows an archive of a build, BUILD:ARCHIVE, or an entry of it.
func meaningInOne(ctx context.Context, a *app, n *locate.Name) (*meaning.Node, error) {
	if n.Entry == "" {
		ar, err := openLocated(ctx, a, n, n.Files[0])
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
	return meaningOfEntry(ctx, a, g.ar, g.entries[0])
}

// meaningInBuild shows BUILD:PATH, BUILD:ARCHIVE and BUILD:ARCHIVE!PATH. It returns
// nil for text that names no build of the catalog.
func meaningInBuild(ctx context.Context, a *app, text string) (*meaning.Node, error) {
	if _, err := os.Stat(text); err == nil {
		return nil, nil
	}
	n, err := resolve(ctx, a, locate.Resolver{BuildsFirst: true}, text)
	if err != nil {
		return nil, err
	}
	if n.Build != "" && n.One {
		return meaningInOne(ctx, a, n)
	}
	if n.Build == "" {
		return nil, nil // a file that is not there, which meaningOfFile reports
	}
	if n.Entry == "" {
		return nil, hinted(fmt.Errorf("%w: %s is a build: what of it?", errUsage, text),
			"pakdb show "+n.Build+":PATH, or "+n.Build+":ARCHIVE; pakdb info "+n.Build+" tells of its archives")
	}
	db, err := a.openCatalog(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = db.Close() }()
	contents := query.NewContents(a.catalog, a.registry(), objects.For(a.catalog), a.openOptions())
	defer func() { _ = contents.Close() }()
	files, err := show.InBuild(ctx, db, n.Build, contents, a.registry())
	if err != nil {
		return nil, err
	}
	path := n.Entry
	if _, err := diff.Find(ctx, db, n.Build, path); errors.Is(err, diff.ErrNoFile) {
		if path, err = entryPath(ctx, db, n.Build, path); err != nil {
			return nil, err
		}
	}
	facts, err := files.Facts(ctx, path)
	return show.Explain(ctx, path, facts, files, err)
}

// meaningOfFile returns nil for a file that is an archive.
func meaningOfFile(ctx context.Context, a *app, path string) (*meaning.Node, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, hinted(err, nearestFile(path))
	}
	defer func() { _ = f.Close() }()
	st, err := f.Stat()
	if err != nil || !st.Mode().IsRegular() {
		return nil, err // openFor tells what is wrong with it
	}
	src := codecs.Source{ReaderAt: f, Name: filepath.Base(path), Size: st.Size(), Dir: os.DirFS(filepath.Dir(path))}
	format, err := a.registry().Detect(src)
	if err != nil || !isLoose(format) {
		return nil, err
	}
	if err := a.registry().Explain(src); err != nil {
		return nil, err
	}
	e := &codecs.Entry{Name: filepath.ToSlash(path), Size: st.Size()}
	facts, err := show.Inspect(ctx, a.registry(), e, f, scriptsIn(a, filepath.Dir(path)))
	return show.Explain(ctx, path, facts, nil, err)
}

// scriptsIn is the dictionary of packages of containers in a folder.
func scriptsIn(a *app, folder string) show.Dictionary {
	return func(ctx context.Context, _ *codecs.Dictionary) (any, error) {
		if scripts := scriptObjects(ctx, a, folder); scripts != nil {
			return scripts, nil
		}
		return nil, nil
	}
}
