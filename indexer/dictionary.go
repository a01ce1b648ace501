package indexer

import (
	"bytes"
	"context"
	"io"
	"path"
	"sync"

	"pakdb/codecs"
	"pakdb/schema"
)

// dictionaries know what contents refer to by ids that only another content
// explains: the one among the files of the scan, or else the newest that the
// catalog has.
type dictionaries struct {
	open  *opener
	files []file // of the scan

	mu    sync.Mutex
	found map[*codecs.Dictionary]any // nil: there is none
}

// resolved returns facts with what the dictionary of the scan knows put in.
func (d *dictionaries) resolved(ctx context.Context, in *codecs.Inspector, f *codecs.Facts) *codecs.Facts {
	if in.Dictionary == nil || f == nil {
		return f
	}
	if known := d.dictionary(ctx, in); known != nil {
		return in.Dictionary.Resolve(f, known)
	}
	return f
}

// dictionary returns the dictionary of the scan, nil if there is none. It is
// looked for once.
func (d *dictionaries) dictionary(ctx context.Context, in *codecs.Inspector) any {
	d.mu.Lock()
	defer d.mu.Unlock()
	known, searched := d.found[in.Dictionary]
	if !searched {
		known = d.findDictionary(ctx, in)
		if d.found == nil {
			d.found = map[*codecs.Dictionary]any{}
		}
		d.found[in.Dictionary] = known
	}
	return known
}

// findDictionary looks in the files in which games have it; wherever else it is,
// what it explains is resolved in the end.
func (d *dictionaries) findDictionary(ctx context.Context, in *codecs.Inspector) any {
	for _, file := range d.files {
		if !in.Dictionary.File(path.Base(file.name)) {
			continue
		}
		if found := d.dictionaryIn(ctx, file, in); found != nil {
			return found
		}
	}
	return d.stored(ctx, in.Dictionary)
}

func (d *dictionaries) stored(ctx context.Context, of *codecs.Dictionary) any {
	if d.open.build == nil {
		return nil
	}
	names, err := d.open.build.Dictionary(ctx, of.Table)
	if err != nil {
		_ = d.open.failures.keep(err)
	}
	if len(names) == 0 {
		return nil
	}
	return of.Named(func(yield func(uint64, string) bool) {
		for id, name := range names {
			if !yield(uint64(id), name) {
				return
			}
		}
	})
}

// dictionaryIn reads the dictionary of one file, nil for none. What is wrong with
// the file is found again when its turn comes.
func (d *dictionaries) dictionaryIn(ctx context.Context, file file, in *codecs.Inspector) any {
	o := &opened{file: file}
	defer o.close()
	if d.open.openSource(o) != nil {
		return nil
	}
	var err error
	if o.format, err = d.open.detect(o.src); err != nil {
		return nil
	}
	if o.archive, err = d.open.openArchive(ctx, o); err != nil {
		return nil
	}
	for e, err := range o.archive.Entries() {
		if err != nil || !in.Dictionary.Holds(e) {
			continue
		}
		if facts, err := d.open.inspectEntry(ctx, o, e, in); err == nil {
			return facts.Detail
		}
	}
	return nil
}

// inspectEntry reads an entry for its facts alone.
func (p *opener) inspectEntry(ctx context.Context, o *opened, e *codecs.Entry, in *codecs.Inspector) (f *codecs.Facts, err error) {
	err = p.inspectWith(ctx, o, e, in, func(found *codecs.Facts, _ []byte) error {
		f = found
		return nil
	})
	return f, err
}

// inspectWith reads an entry, and hands its facts and its content to do.
func (p *opener) inspectWith(ctx context.Context, o *opened, e *codecs.Entry, in *codecs.Inspector, do func(*codecs.Facts, []byte) error) (err error) {
	defer guard(&err, o.src.Name)
	r, err := o.archive.Open(ctx, e)
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }()
	content, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	f, err := in.Inspect(ctx, bytes.NewReader(content), int64(len(content)), e)
	if err != nil {
		return err
	}
	return do(f, content)
}

// resolveAll inspects again the contents that were inspected before what they
// refer to was known, in this scan or an earlier one.
func (d *dictionaries) resolveAll(ctx context.Context) error {
	for _, in := range d.open.options.Registry.Inspectors {
		if in.Dictionary == nil {
			continue
		}
		targets, err := d.open.build.Unresolved(ctx, in.Dictionary.Table, string(in.Dictionary.Space))
		if err != nil {
			return err
		}
		if len(targets) == 0 {
			continue
		}
		known := d.stored(ctx, in.Dictionary)
		for targets := range byFile(targets) {
			if err := d.resolveFile(ctx, targets, in, known); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *dictionaries) resolveFile(ctx context.Context, targets []schema.Target, in *codecs.Inspector, known any) error {
	o := d.open.reopen(ctx, targets[0].Location)
	defer o.close()
	if o.err != nil {
		return nil // known by its checksums, and gone: the references stay as they are
	}
	facts, values := map[int64]*schema.Facts{}, map[int64]*schema.Values{}
	for i, e := range entriesOf(o.archive, targets) {
		if !in.Match(e, nil) {
			continue
		}
		// What fails is a problem of the content already.
		_ = d.open.inspectWith(ctx, o, e, in, func(f *codecs.Facts, content []byte) error {
			f = in.Dictionary.Resolve(f, known)
			row := factsOf(in, f, nil)
			v, err := d.valuesOf(ctx, o, e, f, content)
			if v != nil {
				values[targets[i].Content] = valueRows(d.open.options.Registry.Values, v)
				row.Refs = append(row.Refs, newRefs(row.Refs, v.Refs)...)
			}
			facts[targets[i].Content] = row
			return err
		})
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return d.open.build.ReplaceFacts(facts, values)
}

// valuesOf reads the values of a content again, nil for none: they have names of what the
// dictionary knows.
func (d *dictionaries) valuesOf(ctx context.Context, o *opened, e *codecs.Entry, f *codecs.Facts, content []byte) (*codecs.Values, error) {
	reader := d.open.options.Registry.Values
	if reader == nil || f.Body != nil || !reader.Takes(f) {
		return nil, nil
	}
	return reader.Read(ctx, f, bytes.NewReader(content), 0, int64(len(content)), &codecs.ValueOptions{Package: packageName(d.open.options.Registry, o, e)})
}
