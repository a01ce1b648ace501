package indexer

import (
	"bytes"
	"context"
	"io"
	"iter"
	"path"
	"strings"
	"sync"

	"pakdb/codecs"
	"pakdb/schema"
)

// dictionaries know what contents refer to by ids that only another content
// explains: the one among the files of the scan, or else the newest that the
// catalog has.
type dictionaries struct {
	once  sync.Once
	found any // nil: there is none
}

// resolved returns facts with what the dictionary of the scan knows put in.
func (s *scan) resolved(ctx context.Context, in *codecs.Inspector, f *codecs.Facts) *codecs.Facts {
	if in.Resolve == nil || f == nil {
		return f
	}
	s.dictionaries.once.Do(func() { s.dictionaries.found = s.findDictionary(ctx) })
	if s.dictionaries.found == nil {
		return f
	}
	return in.Resolve(f, s.dictionaries.found)
}

// findDictionary looks where games have it, in a file named global; wherever
// else it is, what it explains is resolved in the end.
func (s *scan) findDictionary(ctx context.Context) any {
	for _, file := range s.files {
		if !strings.HasPrefix(strings.ToLower(path.Base(file.name)), "global.") {
			continue
		}
		if found := s.dictionaryIn(ctx, file); found != nil {
			return found
		}
	}
	return s.storedDictionary(ctx)
}

func (s *scan) storedDictionary(ctx context.Context) any {
	paths, err := s.build.ScriptObjects(ctx)
	if err != nil || len(paths) == 0 {
		return nil
	}
	return codecs.ScriptObjectsNamed(func(yield func(uint64, string) bool) {
		for id, path := range paths {
			if !yield(uint64(id), path) {
				return
			}
		}
	})
}

// dictionaryIn reads the dictionary of one file, nil for none. What is wrong with
// the file is found again when its turn comes.
func (s *scan) dictionaryIn(ctx context.Context, file file) any {
	o := &opened{file: file}
	defer o.close()
	if s.openSource(o) != nil {
		return nil
	}
	var err error
	if o.format, err = s.detect(o.src); err != nil {
		return nil
	}
	if o.archive, err = s.openArchive(ctx, o); err != nil {
		return nil
	}
	for e, err := range o.archive.Entries() {
		for _, in := range s.o.Registry.Inspectors {
			if err == nil && in.Dictionary != nil && in.Dictionary(e) {
				if facts, err := s.inspectEntry(ctx, o, e, in); err == nil {
					return facts.Detail
				}
			}
		}
	}
	return nil
}

// inspectEntry reads an entry for its facts alone.
func (s *scan) inspectEntry(ctx context.Context, o *opened, e *codecs.Entry, in *codecs.Inspector) (f *codecs.Facts, err error) {
	defer guard(&err, o.src.Name)
	r, err := o.archive.Open(ctx, e)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	content, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	return in.Inspect(ctx, bytes.NewReader(content), int64(len(content)), e)
}

// resolveAll inspects again the contents that were inspected before what they
// refer to was known, in this scan or an earlier one.
func (s *scan) resolveAll(ctx context.Context) error {
	targets, err := s.build.Unresolved(ctx)
	if err != nil || len(targets) == 0 {
		return err
	}
	known := s.storedDictionary(ctx)
	for targets := range byFile(targets) {
		if err := s.resolveFile(ctx, targets, known); err != nil {
			return err
		}
	}
	return nil
}

// byFile yields targets of one file at a time; they are sorted by it.
func byFile(targets []schema.Target) iter.Seq[[]schema.Target] {
	return func(yield func([]schema.Target) bool) {
		for len(targets) > 0 {
			n := 1
			for n < len(targets) && targets[n].Location == targets[0].Location {
				n++
			}
			if !yield(targets[:n]) {
				return
			}
			targets = targets[n:]
		}
	}
}

func (s *scan) resolveFile(ctx context.Context, targets []schema.Target, known any) error {
	o := s.reopen(ctx, targets[0].Location)
	defer o.close()
	if o.err != nil {
		return nil // known by its checksums, and gone: the references stay as they are
	}
	facts := map[int64]*schema.Facts{}
	for i, e := range entriesOf(o.archive, targets) {
		for _, in := range s.o.Registry.Inspectors {
			if in.Resolve == nil || !in.Match(e, nil) {
				continue
			}
			f, err := s.inspectEntry(ctx, o, e, in)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err == nil {
				facts[targets[i].Content] = factsOf(in, in.Resolve(f, known), nil)
			}
		}
	}
	return s.build.ReplaceFacts(facts)
}

// scriptRows lists the objects of a program by path; those without one have no
// use.
func scriptRows(f *codecs.ScriptObjectFacts) []schema.ScriptObject {
	rows := make([]schema.ScriptObject, 0, len(f.Objects))
	for i := range f.Objects {
		if path, ok := f.Path(f.Objects[i].ID); ok && path != "" {
			rows = append(rows, schema.ScriptObject{ID: int64(f.Objects[i].ID), Path: path})
		}
	}
	return rows
}

func containerRows(f *codecs.ContainerFacts) *schema.Container {
	out := &schema.Container{}
	for i, list := range [][]codecs.StoredPackage{f.Packages, f.Optional} {
		for _, p := range list {
			out.Packages = append(out.Packages, schema.ContainerPackage{ID: int64(p.ID), Shaders: int64(len(p.Shaders)), Optional: i == 1})
			for soft, ids := range [][]uint64{p.Imports, p.Soft} {
				for _, id := range ids {
					out.Imports = append(out.Imports, schema.ContainerImport{Package: int64(p.ID), Import: int64(id), Soft: soft == 1})
				}
			}
		}
	}
	return out
}
