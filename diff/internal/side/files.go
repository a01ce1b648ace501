package side

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"slices"

	"pakdb/codecs"
	"pakdb/internal/mount"
	"pakdb/internal/radix"
	"pakdb/internal/regular"
	"pakdb/internal/stored"
	"pakdb/schema"
)

// Files is a build of files that are read into memory, and not into a catalog. Its methods
// are those that package indexer calls.
type Files struct {
	label  string
	memory *Memory
	before *Files // the build whose files are known; nil for the first one
	seeds  [2]maphash.Seed
	file   []byte // of the entry that was added last

	archives []*readArchive // by id, those of before first
	mounts   []schema.Mount
}

// readArchive is an archive of such a build.
type readArchive struct {
	schema.Archive
	location string
	digest   *schema.Digest // of the file; nil until it is asked for
	entries  readEntries
	names    []schema.Name
	damage   *schema.Problem // the first of the whole
	damaged  int64           // problems of the whole
	bytes    int64
	stored   int64
	problems int64
}

// readEntries are entries in their order. Lists that say nothing of any entry are nil.
type readEntries struct {
	rows   []Row
	times  []int64
	files  []fileHash
	sums   []uint64  // of what the archive says of stored bytes, with how they are stored; 0: nothing
	claims []int     // rows that were not read, whose content sums may show
	ids    []AssetID // see Identities
	hashes []int64
}

// fileHash identifies a file of a game: two hashes with secret seeds; zero for none.
type fileHash [2]uint64

// NewFiles returns a build of which nothing is read yet. before is the build that it is
// compared with, which has been read into the same memory; nil for the first one.
func NewFiles(label string, memory *Memory, before *Files) *Files {
	f := &Files{label: label, memory: memory, before: before, seeds: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}}
	if before != nil {
		f.seeds, f.archives = before.seeds, slices.Clone(before.archives)
	}
	return f
}

// Label returns what the build is called.
func (f *Files) Label() string { return f.label }

// Known returns the archives of the build before that are the same file.
func (f *Files) Known(ctx context.Context, size, mtime int64, quick schema.Digest, scan string) (known []schema.Known, err error) {
	if f.before == nil {
		return nil, nil
	}
	for i, a := range f.before.archives {
		if a.Size != size || a.Quick != quick || a.Scan != scan {
			continue
		}
		k := schema.Known{Archive: int64(i) + 1, ModTime: a.ModTime, Entries: int64(len(a.entries.rows)), Size: a.bytes, Stored: a.stored, Problems: a.problems}
		if k.ModTime != mtime {
			if err = a.hash(ctx); err != nil {
				return nil, err
			}
			k.Digest = a.digest[:]
		}
		known = append(known, k)
	}
	if at := slices.IndexFunc(known, func(k schema.Known) bool { return k.ModTime == mtime }); at > 0 {
		known[0], known[at] = known[at], known[0]
	}
	return known, nil
}

// hash sets the digest of the file, which is read again.
func (a *readArchive) hash(ctx context.Context) error {
	if a.digest != nil {
		return nil
	}
	file, err := regular.Open(a.location)
	if err != nil {
		return err
	}
	digest, err := stored.Hash(ctx, file, a.Size)
	a.digest = &digest
	return errors.Join(err, file.Close())
}

// Continue begins an archive.
func (f *Files) Continue(a schema.Archive, _ *schema.Edition) int64 {
	f.archives = append(f.archives, &readArchive{Archive: a})
	return int64(len(f.archives))
}

// Add takes an entry in.
func (f *Files) Add(archive int64, e *schema.Entry) error {
	a := f.archives[archive-1]
	a.bytes, a.stored = a.bytes+e.Size, a.stored+e.Stored
	if e.Facts != nil {
		a.problems += int64(len(e.Facts.Problems))
	}
	m, s := f.memory, &a.entries
	r := Row{Path: m.EntryPath(e.Name), Content: m.Content(e), Stored: e.Stored, Size: e.Size, Copies: 1,
		storage: e.Flags | m.Word(e.Method)<<8 | m.Word(e.Type)<<32}
	r.Key = r.Path
	at := len(s.rows)
	s.rows = push(s.rows, r)
	if e.HasTime {
		setAt(&s.times, at, e.ModTime)
	}
	if f.file = a.AppendFile(f.file[:0], e); len(f.file) > 0 {
		setAt(&s.files, at, fileHash{maphash.Bytes(f.seeds[0], f.file), maphash.Bytes(f.seeds[1], f.file)})
	}
	if e.IDBits != 0 {
		setAt(&s.ids, at, AssetID{e.IDBits, int64(e.ID[0]), int64(e.ID[1])})
	}
	if e.HasPathHash {
		setAt(&s.hashes, at, int64(e.PathHash))
	}
	if e.Sum != nil {
		size := e.ContentSize
		if e.Claimed {
			size, s.claims = e.Size, append(s.claims, at)
		}
		setAt(&s.sums, at, maphash.Bytes(f.seeds[0], e.Sum)^maphash.Comparable(f.seeds[0], [...]int64{r.Method(), r.Flags() & 1, r.Stored, size}))
	}
	return nil
}

// setAt sets a value of a list that grows up to it.
func setAt[T any](list *[]T, at int, v T) {
	for len(*list) <= at {
		*list = push(*list, *new(T))
	}
	(*list)[at] = v
}

// push appends to a list that doubles. By append alone long lists grow by a quarter, which
// copies each value four times.
func push[T any](list []T, values ...T) []T {
	if cap(list)-len(list) < len(values) {
		list = slices.Grow(list, max(len(list), len(values)))
	}
	return append(list, values...)
}

// AddProblem counts a finding, and keeps the first one of an archive as a whole.
func (f *Files) AddProblem(archive int64, p schema.Problem) {
	a := f.archives[archive-1]
	a.problems++
	if !p.Whole {
		return
	}
	if a.damaged++; a.damage == nil {
		a.damage = &p
	}
}

// AddName keeps a public name.
func (f *Files) AddName(archive int64, n schema.Name) {
	a := f.archives[archive-1]
	a.names = append(a.names, n)
}

// EndArchive completes an archive.
func (f *Files) EndArchive(archive int64, digest *schema.Digest) {
	f.archives[archive-1].digest = digest
}

// Mount places an archive in the build.
func (f *Files) Mount(m schema.Mount) {
	f.mounts = append(f.mounts, m)
	f.archives[m.Archive-1].location = m.Location
}

// EachMount calls do for the archives of the build in their order, with their formats and
// their damage, nil for none.
func (f *Files) EachMount(do func(m *schema.Mount, format string, damage *codecs.Damage)) {
	for i := range f.mounts {
		m := &f.mounts[i]
		a := f.archives[m.Archive-1]
		var damage *codecs.Damage
		if a.damage != nil {
			damage = Damage(m.Name, a.damage, a.damaged)
		}
		do(m, a.Format, damage)
	}
}

// Damage returns the damage of an archive, of which count problems concern the whole.
func Damage(archive string, first *schema.Problem, count int64) *codecs.Damage {
	d := &codecs.Damage{Archive: archive, Field: first.Field, Offset: first.Offset, Cause: first.Cause}
	if count > 1 {
		d.Cause += fmt.Sprintf(" (and %d more such problems)", count-1)
	}
	return d
}

// OfFiles returns the two builds as they are compared. It takes their entries out of both.
func OfFiles(ctx context.Context, memory *Memory, old, new *Files, o Options) (*Sides, error) {
	claim(old, new)
	ids := memory.sortPaths()
	for _, a := range new.archives { // those of old are among them
		for i := range a.entries.rows {
			r := &a.entries.rows[i]
			r.Path = ids[r.Path]
			r.Key = r.Path
		}
	}
	uses := map[int64]int{}
	for _, m := range slices.Concat(old.mounts, new.mounts) {
		uses[m.Archive]++
	}
	s := &Sides{Source: memory, Old: old.side(1, o, uses), New: new.side(2, o, uses)}
	pairArchives(s.Old, s.New)
	markShared(s.Old, s.New)
	s.dropShared(o)
	var err error
	if s.Apart, err = memory.Apart(ctx, s.Old.ID, s.New.ID); err != nil {
		return nil, err
	}
	return s, s.arrange(ctx, o)
}

// claim gives entries that were not read the content of others with the same checksum that
// are stored alike.
func claim(builds ...*Files) {
	contents := map[uint64]int64{}
	for _, b := range builds {
		for _, a := range b.archives {
			for _, at := range a.entries.claims {
				contents[a.entries.sums[at]] = 0
			}
		}
	}
	if len(contents) == 0 {
		return
	}
	for _, b := range builds {
		for _, a := range b.archives {
			for at, sum := range a.entries.sums {
				if of, ok := contents[sum]; ok && sum != 0 && of == 0 {
					contents[sum] = a.entries.rows[at].Content
				}
			}
		}
	}
	for _, b := range builds {
		for _, a := range b.archives {
			for _, at := range a.entries.claims {
				a.entries.rows[at].Content = contents[a.entries.sums[at]]
			}
		}
	}
}

// side returns the build as one side, with what the game makes of its entries. uses counts
// the mounts of archives in both builds that are to come.
func (f *Files) side(id int64, o Options, uses map[int64]int) *Side {
	b := &Side{ID: id, Label: f.label, at: map[int64]int32{}, under: map[int32]string{}}
	for i, m := range f.mounts {
		a := f.archives[m.Archive-1]
		b.at[int64(i)] = int32(i)
		b.Archives = append(b.Archives, Archive{ID: m.Archive, Ordinal: int64(i), Entries: int64(len(a.entries.rows)), Name: m.Name, Format: a.Format,
			Group: -1, Loaded: true, mount: mountPoint(a.MountPoint), place: m.Place, lastWins: m.LastWins})
	}
	all := f.takeEntries(uses)
	b.Rows, b.total = all.rows, len(all.rows)
	for i := range b.Rows {
		b.Rows[i].Seq = int32(i)
	}
	if o.Times {
		b.Times = padded(all.times, b.total)
	}
	if all.ids != nil || all.hashes != nil {
		b.ids = &Identities{total: b.total, asset: padded(all.ids, b.total), hash: padded(all.hashes, b.total)}
	}
	f.addPublicNames(b)
	f.hide(b, all.files)
	f.nameChunks(b)
	if f.memory.HasDirectories() {
		var seen []int64
		for i := range b.Rows {
			if r := &b.Rows[i]; r.Copies > 0 {
				seen = append(seen, r.Content)
			}
		}
		f.memory.See(id, seen)
	}
	b.held = []bool{}
	for i := range b.Rows {
		setAt(&b.held, int(b.Rows[i].Content), true)
	}
	return b
}

// padded returns a list of n values, nil for an empty one.
func padded[T any](list []T, n int) []T {
	if list == nil {
		return nil
	}
	return append(list, make([]T, n-len(list))...)
}

// takeEntries returns the entries of all archives that are mounted, in their order. Those
// of an archive that is not mounted again are moved.
func (f *Files) takeEntries(uses map[int64]int) (all readEntries) {
	for i, m := range f.mounts {
		a := f.archives[m.Archive-1]
		e := a.entries
		uses[m.Archive]--
		if uses[m.Archive] > 0 {
			e = readEntries{rows: slices.Clone(e.rows), times: slices.Clone(e.times), files: slices.Clone(e.files), ids: slices.Clone(e.ids), hashes: slices.Clone(e.hashes)}
		} else {
			a.entries = readEntries{}
		}
		from := len(all.rows)
		take(&all.rows, e.rows, from)
		take(&all.times, e.times, from)
		take(&all.files, e.files, from)
		take(&all.ids, e.ids, from)
		take(&all.hashes, e.hashes, from)
		for j := from; j < len(all.rows); j++ {
			all.rows[j].Archive = int32(i)
		}
	}
	return all
}

// take appends the values of an archive whose rows begin at a place.
func take[T any](all *[]T, of []T, from int) {
	switch {
	case from == 0:
		*all = of
	case len(of) > 0:
		*all = append(append(*all, make([]T, from-len(*all))...), of...)
	}
}

// addPublicNames notes what archives call entries, which they name by ids and types.
func (f *Files) addPublicNames(b *Side) {
	type entry struct {
		id   AssetID
		kind int64
	}
	from := 0
	for i := range b.Archives {
		a := &b.Archives[i]
		rows := b.Rows[from : from+int(a.Entries)]
		from += len(rows)
		names := f.archives[a.ID-1].names
		if len(names) == 0 || b.ids == nil {
			continue
		}
		of := map[entry][]string{}
		for _, n := range names {
			key := entry{AssetID{0, int64(n.ID[0]), int64(n.ID[1])}, f.memory.Word(n.Type)}
			of[key] = append(of[key], n.Name)
		}
		for j := range rows {
			id := b.ids.AssetID(&rows[j])
			id.Bits = 0
			for _, name := range of[entry{id, rows[j].Kind()}] {
				if rows[j].Path != 0 {
					f.memory.AddPublicName(b.ID, a.Ordinal, rows[j].Path, name)
				}
			}
		}
	}
}

// hide finds what a game does not see, and how many entries each of the others merges.
func (f *Files) hide(b *Side, files []fileHash) {
	sorted := make([]uint64, len(files)) // the first hashes alone: package mount distinguishes equal ones
	for i, file := range files {
		sorted[i] = file[0]
	}
	radix.Sort(sorted, func(hash *uint64) int64 { return int64(*hash) }, nil)
	twice := map[uint64]bool{}
	for i := 1; i < len(sorted); i++ {
		if sorted[i] == sorted[i-1] && sorted[i] != 0 {
			twice[sorted[i]] = true
		}
	}
	if len(twice) == 0 {
		return
	}
	var held []int32
	for seq, file := range files {
		if twice[file[0]] {
			held = append(held, int32(seq))
		}
	}
	slices.SortFunc(held, func(x, y int32) int {
		a, b, c := &b.Rows[x], &b.Rows[y], b.Archives
		inside := cmp.Compare(x, y)
		if c[a.Archive].lastWins {
			inside = -inside
		}
		return cmp.Or(cmp.Compare(c[a.Archive].place, c[b.Archive].place), cmp.Compare(a.Archive, b.Archive), inside)
	})
	view := mount.NewView[fileHash, int32](len(twice))
	for _, seq := range held {
		r := &b.Rows[seq]
		by, hidden := view.Offer(files[seq], seq, int(r.Archive), f.mounts[r.Archive].Order, r.Deleted())
		if hidden {
			r.Copies = 0
			b.Rows[by].Copies++
		}
	}
}

// nameChunks gives chunks without a path in their container the one that another container
// has for them: the one that wins over the others.
func (f *Files) nameChunks(b *Side) {
	const unnamed = 16
	mounted := slices.ContainsFunc(b.Archives, func(a Archive) bool { return a.Format == "iostore" && f.archives[a.ID-1].MountPoint != "" })
	if !mounted || b.ids == nil {
		return
	}
	named := map[AssetID]int32{} // rows; -1: none yet
	for i := range b.Rows {
		if r := &b.Rows[i]; r.Flags()&unnamed != 0 && b.Archives[r.Archive].Format == "iostore" {
			named[b.ids.AssetID(r)] = -1
		}
	}
	place := func(row int32) int64 { return b.Archives[b.Rows[row].Archive].place }
	for i := range b.Rows {
		r := &b.Rows[i]
		by, wanted := named[b.ids.AssetID(r)]
		if wanted && r.Flags()&unnamed == 0 && (by < 0 || place(int32(i)) < place(by)) {
			named[b.ids.AssetID(r)] = int32(i)
		}
	}
	for i := range b.Rows {
		r := &b.Rows[i]
		if by, ok := named[b.ids.AssetID(r)]; ok && by >= 0 && r.Flags()&unnamed != 0 && b.Archives[r.Archive].Format == "iostore" {
			r.Path = b.Rows[by].Path
			r.Key = r.Path
			b.under[r.Seq] = b.Archives[b.Rows[by].Archive].mount
		}
	}
}

// dropShared takes the entries of archives that both builds mount out of Rows, unless the
// builds make something else of them.
func (s *Sides) dropShared(o Options) {
	starts := func(b *Side) []int {
		at := []int{0}
		for i := range b.Archives {
			at = append(at, at[i]+int(b.Archives[i].Entries))
		}
		return at
	}
	old, new := starts(s.Old), starts(s.New)
	drop := [2][]bool{make([]bool, len(s.Old.Rows)), make([]bool, len(s.New.Rows))}
	for j := range s.New.Archives {
		b := &s.New.Archives[j]
		if !b.Shared {
			continue
		}
		i := s.Old.at[b.twin]
		for k := range int(b.Entries) {
			x, y := &s.Old.Rows[old[i]+k], &s.New.Rows[new[j]+k]
			if o.PerArchive || x.Copies == y.Copies && x.Path == y.Path && s.Old.MountOf(x) == s.New.MountOf(y) {
				drop[0][x.Seq], drop[1][y.Seq] = true, true
			}
		}
	}
	for i, b := range []*Side{s.Old, s.New} {
		n := 0
		for at, r := range b.Rows {
			if !drop[i][r.Seq] {
				b.Rows[n], b.Rows[at] = r, b.Rows[n]
				n++
			}
		}
		b.Rows, b.shared = b.Rows[:n:n], b.Rows[n:]
	}
}
