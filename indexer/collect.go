package indexer

import (
	"cmp"

	"pakdb/codecs"
	"pakdb/schema"
)

// collect takes the chunks in order and hands their rows to the catalog.
func (s *scan) collect(c *chunk) error {
	o := c.from
	if c.last {
		defer o.close()
	}
	if err := cmp.Or(c.err, s.open.failures.err()); err != nil {
		return err
	}
	if o.known != nil {
		s.reuse(o)
		return nil
	}
	if !o.started {
		o.started = true
		o.id = s.into.Continue(archiveOf(o, s.o.Force), o.before.edition)
	}
	for i := range c.rows {
		s.inspected.keep(&c.rows[i])
		if err := s.into.Add(o.id, &c.rows[i]); err != nil {
			return err
		}
		s.count(&c.rows[i])
		if isLoose(o) && c.rows[i].HasContent {
			content := c.rows[i].Content
			o.content = &content
		}
	}
	if s.build == nil {
		clear(c.rows)
		rows := c.rows[:0] // apart from the chunk, which is not to live as long
		c.rows = nil
		rowLists.Put(&rows)
	}
	s.collectProblems(c)
	for _, n := range c.names {
		s.into.AddName(o.id, n)
	}
	if c.last {
		o.count(s.progress, o.size) // tables and gaps
		s.into.EndArchive(o.id, fileDigest(o, c))
		s.mount(o, o.id)
	}
	return nil
}

// collectProblems hands over what is wrong. What many entries have for one cause
// is one problem of the file, reported at its end.
func (s *scan) collectProblems(c *chunk) {
	o := c.from
	add := func(e *codecs.Entry, err error, whole bool) {
		p := problem(e, err)
		p.Whole = whole
		s.into.AddProblem(o.id, p)
		s.progress.Problems.Add(1)
	}
	for _, f := range c.problems {
		if f.whole || !o.repeated.Takes(f.entry, f.err) { // a later problem is not one of the whole
			add(f.entry, f.err, f.whole)
		}
	}
	if c.last {
		for e, err := range o.repeated.All() {
			add(e, err, false)
		}
	}
}

// fileDigest is what a copy of the file is recognised by. One that was written
// to during its scan has none: the next scan must not take it for known.
func fileDigest(o *opened, last *chunk) *schema.Digest {
	if o.changed {
		return nil
	}
	return cmp.Or(last.digest, o.content)
}

func (s *scan) count(row *schema.Entry) {
	s.report.Entries++
	s.report.Size += row.Size
	s.report.Stored += row.Stored
	if row.Claimed || row.Stated {
		s.report.Skimmed++
	}
	if row.Facts != nil {
		s.progress.Problems.Add(int64(len(row.Facts.Problems)))
	}
}

// reuse mounts the archive that an earlier scan made.
func (s *scan) reuse(o *opened) {
	s.report.Reused++
	s.report.Entries += o.known.Entries
	s.report.Size += o.known.Size
	s.report.Stored += o.known.Stored
	s.progress.Problems.Add(o.known.Problems)
	s.progress.Entries.Add(o.known.Entries)
	s.mount(o, o.known.Archive)
}

func archiveOf(o *opened, force bool) schema.Archive {
	a := schema.Archive{Size: o.size, ModTime: o.mod, Quick: o.quick, Scan: o.scan}
	if o.format != nil {
		a.Format = o.format.Name
	}
	if o.archive != nil {
		info := o.archive.Info()
		a.Version, a.MountPoint, a.Encrypted = info.Version, info.MountPoint, info.Encrypted
	}
	if !force { // --force makes all rows anew
		a.Name, a.Continues = o.name, o.continues
	}
	return a
}
