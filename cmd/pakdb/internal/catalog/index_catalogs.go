package catalog

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/indexer"
	"pakdb/internal/objects"
	"pakdb/internal/terminal"
	"pakdb/schema"
)

// countCatalogs counts the paths that are catalogs.
func countCatalogs(paths []string) (n int) {
	for _, path := range paths {
		if cli.IsCatalog(path) {
			n++
		}
	}
	return n
}

// merge copies the builds of other catalogs.
func (opts *indexOptions) merge(cmd *cobra.Command, a *cli.App, paths []string) error {
	for _, name := range []string{"build", "force", "store", "mappings", "engine", "quick", "created"} {
		if cmd.Flags().Changed(name) {
			return cli.UsageError(cmd, fmt.Errorf("--%s has no effect on catalogs, which are merged", name))
		}
	}
	return runMerge(cmd.Context(), a, opts, paths)
}

func runMerge(ctx context.Context, a *cli.App, opts *indexOptions, paths []string) (err error) {
	others, closeAll, err := openOthers(ctx, a, paths)
	defer func() { err = errors.Join(err, closeAll()) }()
	if err != nil {
		return err
	}
	catalog, err := schema.Open(ctx, a.Catalog)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, catalog.Close()) }()
	noteUnchecked(a, catalog)
	steps, err := schema.PlanMerge(ctx, catalog, others, opts.overwrite)
	if errors.Is(err, schema.ErrOtherBuild) {
		err = cli.WithHint(err, "--overwrite replaces it; pakdb rm removes it")
	}
	if err != nil {
		return err
	}
	done := cli.Indexed{Builds: []cli.MergedBuild{}}
	defer func() { a.Result.Done(done) }()
	if done.Builds, err = mergeAll(ctx, a, catalog, opts, steps); err != nil {
		return err
	}
	for i, o := range others {
		n, err := copyContents(ctx, catalog, objects.For(paths[i]), objects.For(a.Catalog))
		if done.Contents += n; err != nil {
			return fmt.Errorf("contents kept beside %s: %w", o.Path(), err)
		}
	}
	if done.Contents > 0 && !a.Quiet {
		_, err = fmt.Fprintf(a.Stdout, "copied %s that were kept\n", cli.Plural(done.Contents, "content", "contents"))
	}
	return err
}

// openOthers opens the catalogs that are to be merged. An older one is brought up to date
// in a temporary copy.
func openOthers(ctx context.Context, a *cli.App, paths []string) (others []*schema.Other, closeAll func() error, err error) {
	closeAll = func() (err error) {
		for _, o := range others {
			err = errors.Join(err, o.Close())
		}
		return err
	}
	into, _ := os.Stat(a.Catalog)
	for _, path := range paths {
		st, err := os.Stat(path)
		if err == nil && into != nil && os.SameFile(st, into) {
			return others, closeAll, fmt.Errorf("%w: %s is the catalog that is merged into", cli.ErrUsage, path)
		}
		o, err := schema.OpenOther(ctx, path)
		if err != nil {
			return others, closeAll, err
		}
		others = append(others, o)
	}
	return others, closeAll, nil
}

// mergeAll merges builds one by one and says of each what was done.
func mergeAll(ctx context.Context, a *cli.App, catalog *schema.Catalog, opts *indexOptions, steps []schema.MergeStep) (done []cli.MergedBuild, err error) {
	p := &indexer.Progress{}
	for i := range steps {
		if s := &steps[i]; !s.Same {
			p.Files.Add(s.Archives)
			p.Bytes.Add(s.Bytes)
		}
	}
	o := schema.MergeOptions{Search: opts.search(), Continues: indexer.Continues, Alike: indexer.Alike, Progress: func(archives, entries, bytes int64) {
		p.FilesDone.Add(archives)
		p.Entries.Add(entries)
		p.BytesDone.Add(bytes)
	}}
	stop := a.ShowProgress(ctx, p)
	defer stop()
	done = []cli.MergedBuild{}
	for i := range steps {
		s := &steps[i]
		b := cli.MergedBuild{Build: s.Label, From: s.From.Path(), Done: "same", Archives: s.Archives}
		if !s.Same {
			m, err := schema.Merge(ctx, catalog, s, o)
			if err != nil {
				return done, err
			}
			b.Done, b.Archives, b.Shared, b.Entries, b.Problems = "merged", int64(m.Archives), int64(m.Shared), m.Entries, m.Problems
			if s.Replaces {
				b.Done = "replaced"
			}
		}
		done = append(done, b)
		if a.Quiet {
			continue
		}
		a.ClearLine()
		if err := printMerged(a, &b); err != nil {
			return done, err
		}
	}
	return done, nil
}

func printMerged(a *cli.App, b *cli.MergedBuild) (err error) {
	label := terminal.Printable(b.Build)
	if b.Done == "same" {
		_, err = fmt.Fprintf(a.Stdout, "build %q exists already\n", label)
		return err
	}
	shared := ""
	if b.Shared > 0 {
		shared = fmt.Sprintf(" (%d shared)", b.Shared)
	}
	_, err = fmt.Fprintf(a.Stdout, "%s build %q: %s%s, %s\n", b.Done, label,
		cli.Plural(b.Archives, "archive", "archives"), shared, cli.Plural(b.Entries, "entry", "entries"))
	return err
}

// copyContents copies the contents that a catalog knows from one store to another.
func copyContents(ctx context.Context, catalog *schema.Catalog, from, to *objects.Store) (copied int64, err error) {
	for d, err := range from.All(ctx) {
		if err != nil {
			return copied, err
		}
		known, err := catalog.Holds(ctx, d)
		if err != nil {
			return copied, err
		}
		if !known || to.Has(d) {
			continue
		}
		r, err := from.Open(d)
		if err != nil {
			return copied, err
		}
		if err := errors.Join(to.Put(d, r), r.Close()); err != nil {
			return copied, err
		}
		copied++
	}
	return copied, nil
}
