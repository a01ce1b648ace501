package schema

import (
	"bytes"
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"path"
	"slices"
	"strconv"
	"time"

	"github.com/zeebo/blake3"

	"pakdb/internal/process"
	"pakdb/schema/internal/conn"
	"pakdb/schema/internal/file"
	"pakdb/schema/internal/other"
	"pakdb/schema/internal/record"
	"pakdb/schema/internal/write"
)

// MergeOptions say how builds are merged.
type MergeOptions struct {
	Search Search
	// Continues reports whether an archive that was scanned by a key may continue one that
	// was scanned by an earlier one; nil: if they are equal.
	Continues func(scan, earlier string) bool
	// Alike returns the keys of scans that made all that one by a key made, if not more, the
	// best first; nil: the key itself is the only one.
	Alike func(scan string) []string
	// Progress gets so many more archives, entries, and bytes of the files that these
	// were in; nil: nobody is.
	Progress func(archives, entries, bytes int64)
}

// Merged says what merging a build did.
type Merged struct {
	Archives int
	Shared   int // archives that the catalog had
	Entries  int64
	Problems int64
}

// Merge copies a build of another catalog into c. Its rows take the way that those
// of a scan take: archives that are there are shared, and those that continue one are
// stored by what changed. An error means that no build was made; what was completed by
// then is kept for the next time only if ctx was done.
func Merge(ctx context.Context, c *Catalog, step *MergeStep, o MergeOptions) (*Merged, error) {
	if err := addWords(ctx, c, step.From); err != nil {
		return nil, err
	}
	build, err := c.Begin(ctx, step.Label, step.Created)
	if err != nil {
		return nil, err
	}
	build.Search = o.Search
	m := &merge{Build: build, step: step, from: step.From.from, o: o, finder: conn.NewFinder(c.path),
		archives: map[int64]int64{}, handed: map[int64]bool{}, values: map[contentOf]int64{}}
	defer func() { _ = m.finder.Close() }()
	if err := process.RescueCall(func() error { return m.run(ctx) }); err != nil {
		_ = build.Abandon() // its error is the one that there is
		if ctx.Err() == nil {
			_ = dropUnseen(ctx, c)
		}
		return nil, step.From.named(fmt.Errorf("merge build %q: %w", step.Label, err))
	}
	m.merged.Problems, err = build.Finish(ctx)
	return &m.merged, err
}

// addWords adds the words of the other catalog, also those that no row names: "package-id"
// is there when something knows packages by ids.
func addWords(ctx context.Context, c *Catalog, from *Other) error {
	words := from.from.Words()
	err := c.writer.InTx(ctx, func(tx *sql.Tx) error {
		c.writer.Src.Set(len(words), func(row, _ int) driver.Value { return words[row] })
		_, err := tx.ExecContext(ctx, "INSERT OR IGNORE INTO x_word (word) SELECT a FROM src")
		return err
	})
	return c.named(err)
}

// dropUnseen removes what a build that failed has left.
func dropUnseen(ctx context.Context, c *Catalog) error {
	return c.writer.InTx(ctx, func(tx *sql.Tx) error {
		if err := write.RemoveUnfinished(ctx, tx); err != nil {
			return err
		}
		return write.RemoveUnmounted(ctx, tx)
	})
}

// merge is a build of another catalog on its way into this one.
type merge struct {
	*Build
	step   *MergeStep
	from   *other.Catalog
	o      MergeOptions
	finder *conn.Finder // looks up what this catalog has
	merged Merged

	archives map[int64]int64     // by their ids there
	handed   map[int64]bool      // contents, by their ids there, about which the catalog knows all by now
	values   map[contentOf]int64 // sets of values, by their ids there, that an entry is to hand over
}

// contentOf is a content, by its id in the other catalog, and the package that it is of.
type contentOf struct{ content, header int64 }

func (m *merge) run(ctx context.Context) error {
	if err := m.addMappings(ctx); err != nil {
		return err
	}
	mounts, err := m.from.Mounts(ctx, m.step.build.ID)
	if err != nil {
		return err
	}
	names := make([]string, len(mounts))
	for i := range mounts {
		names[i] = mounts[i].Name
	}
	m.SetNames(names)
	for _, mount := range mounts {
		id, ok := m.archives[mount.Archive]
		if !ok {
			if id, err = m.addArchive(ctx, &mount); err != nil {
				return err
			}
			m.archives[mount.Archive] = id
		}
		mount.Archive = id
		m.Mount(mount)
		m.merged.Archives++
	}
	if err := m.flush(); err != nil {
		return err
	}
	if err := m.addSearched(ctx); err != nil {
		return err
	}
	return m.addSets(ctx)
}

// addArchive returns the id of an archive, which is added unless the catalog has it.
func (m *merge) addArchive(ctx context.Context, mount *Mount) (int64, error) {
	a, err := m.from.Archive(ctx, mount.Archive)
	if err != nil {
		return 0, err
	}
	known, err := m.known(ctx, a)
	if err != nil {
		return 0, err
	}
	if known != nil {
		m.merged.Shared++
		m.count(1, known.Entries, a.Size)
		return known.Archive, nil
	}
	as := a.Archive
	as.Name = mount.Name
	if m.o.Continues != nil {
		as.Continues = func(earlier string) bool { return m.o.Continues(a.Scan, earlier) }
	}
	as.Sample = func() (*Sample, error) { return m.from.Sample(ctx, a) }
	before, err := m.EditionBefore(ctx, &as)
	if err != nil {
		return 0, err
	}
	id := m.Continue(as, before)
	bytes := int64(0) // that were counted
	err = m.from.Entries(ctx, a, func(chunk []other.Entry) error {
		if err := m.addContents(ctx, chunk); err != nil {
			return err
		}
		for i := range chunk {
			if err := m.Add(id, &chunk[i].Entry); err != nil {
				return err
			}
		}
		part := int64(float64(a.Size) * float64(len(chunk)) / float64(max(a.Entries, int64(len(chunk)))))
		bytes += part
		m.count(0, int64(len(chunk)), part)
		return ctx.Err()
	})
	if err != nil {
		return 0, err
	}
	if err := m.from.Problems(ctx, a.ID, func(p Problem) { m.AddProblem(id, p) }); err != nil {
		return 0, err
	}
	if err := m.from.Names(ctx, a.ID, func(n Name) { m.AddName(id, n) }); err != nil {
		return 0, err
	}
	m.EndArchive(id, a.Digest)
	m.count(1, 0, a.Size-bytes)
	return id, nil
}

// known returns the archive of this catalog that is to be shared, nil for none.
func (m *merge) known(ctx context.Context, a *other.Archive) (*Known, error) {
	keys := []string{a.Scan}
	if m.o.Alike != nil {
		keys = m.o.Alike(a.Scan)
	}
	for _, key := range keys {
		all, err := m.Known(ctx, a.Size, a.ModTime, a.Quick, key)
		if err != nil {
			return nil, err
		}
		for i := range all {
			if isSameFile(a, &all[i]) {
				return &all[i], nil
			}
		}
	}
	return nil, nil
}

// isSameFile reports whether an archive was made of the same bytes as one that the catalog
// has, of which size, samples and scan are equal. Where one has no digest, as after a
// quick scan, the times decide.
func isSameFile(a *other.Archive, k *Known) bool {
	if a.Digest != nil && k.Digest != nil {
		return bytes.Equal(a.Digest[:], k.Digest)
	}
	return a.ModTime == k.ModTime && a.ModTime != 0
}

func (m *merge) count(archives, entries, bytes int64) {
	m.merged.Entries += entries
	if m.o.Progress != nil {
		m.o.Progress(archives, entries, bytes)
	}
}

// there is what this catalog knows of a content.
type there struct {
	inspected string
	values    map[int64]string // what made them, by header
}

// addContents adds to entries what this catalog is to know of their contents: all of one
// that is new, and what it lacks of the others. Each content is looked at once.
func (m *merge) addContents(ctx context.Context, chunk []other.Entry) error {
	holders := map[int64]*other.Entry{}
	var ids []int64
	for i := range chunk {
		if e := &chunk[i]; e.HasContent && !m.handed[e.ContentID] {
			m.handed[e.ContentID] = true
			holders[e.ContentID], ids = e, append(ids, e.ContentID)
		}
	}
	known, err := m.lookUp(ctx, holders)
	if err != nil {
		return err
	}
	contents, err := m.from.Contents(ctx, ids)
	if err != nil {
		return err
	}
	var whole []int64
	for _, id := range ids {
		k, by := known[id], contents[id].Inspector
		if k == nil || by != "" && !inspectedSince(k.inspected, by) && !record.Outranks(k.inspected, by) {
			known[id] = nil // all of it is replaced
			whole = append(whole, id)
		}
	}
	facts, err := m.from.Facts(ctx, whole)
	if err != nil {
		return err
	}
	for id, c := range contents {
		e := holders[id]
		e.Facts, e.Sketch, e.Copied.Digests = facts[id], c.Sketch, c.Digests
	}
	return m.addValues(ctx, chunk, ids, known)
}

// addValues adds to entries the values in their contents that this catalog lacks.
func (m *merge) addValues(ctx context.Context, chunk []other.Entry, ids []int64, known map[int64]*there) error {
	keys, err := m.from.OwnSets(ctx, ids)
	if err != nil {
		return err
	}
	for _, s := range keys {
		if k := known[s.Content]; k == nil || !inspectedSince(k.values[s.Header], s.Reader) {
			m.values[contentOf{s.Content, s.Header}] = s.Set
		}
	}
	if len(m.values) == 0 {
		return nil
	}
	holders := map[contentOf]*other.Entry{}
	var sets []int64
	for i := range chunk {
		e := &chunk[i]
		if e.ExportsOf == nil || e.ContentID == 0 {
			continue
		}
		k := contentOf{e.ContentID, e.ExportsOf.Header}
		if set, ok := m.values[k]; ok {
			holders[k], sets = e, append(sets, set)
			delete(m.values, k)
		}
	}
	all, err := m.from.Sets(ctx, sets)
	for i := range all {
		if e := holders[contentOf{all[i].Content, all[i].Header}]; e != nil {
			e.Values = all[i].Values
		}
	}
	return err
}

// lookUp returns what this catalog knows of contents, by their ids in the other one; nil
// for those that it does not have.
func (m *merge) lookUp(ctx context.Context, holders map[int64]*other.Entry) (map[int64]*there, error) {
	known := map[int64]*there{}
	hashes := make(map[int64]Digest, len(holders))
	for id, e := range holders {
		hashes[id] = e.Content
	}
	here, err := m.find(ctx, hashes)
	if err != nil || len(here) == 0 {
		return known, err
	}
	at := make(map[int64]*there, len(here))
	for id, our := range here {
		at[our] = &there{values: map[int64]string{}}
		known[id] = at[our]
	}
	found := slices.Sorted(maps.Keys(at))
	for _, q := range []struct {
		query string
		take  func(k *there, v []driver.Value)
	}{
		{"SELECT src.a, w.word FROM src CROSS JOIN x_content c ON c.content_id = src.a JOIN x_word w ON w.word_id = c.inspected_id",
			func(k *there, v []driver.Value) { k.inspected, _ = v[1].(string) }},
		{"SELECT src.a, t.header, w.word FROM src CROSS JOIN x_value_set t ON t.content_id = src.a AND t.context = 0 JOIN x_word w ON w.word_id = t.reader_id",
			func(k *there, v []driver.Value) { k.values[v[1].(int64)], _ = v[2].(string) }},
	} {
		err := m.finder.Each(ctx, q.query, len(found), func(row, _ int) driver.Value { return found[row] },
			func(v []driver.Value) { q.take(at[v[0].(int64)], v) })
		if err != nil {
			return nil, err
		}
	}
	return known, nil
}

// find returns the ids that contents have in this catalog, by those in the other one. What
// this build has added is found after a flush.
func (m *merge) find(ctx context.Context, hashes map[int64]Digest) (map[int64]int64, error) {
	here := map[int64]int64{}
	ids := slices.Sorted(maps.Keys(hashes))
	err := m.finder.Each(ctx, `SELECT src.b, c.content_id FROM src
		CROSS JOIN x_content_key k ON k.key = src.a
		CROSS JOIN x_content c ON c.content_id = k.content_id AND substr(c.hash, 1, 16) = src.c`, len(ids),
		func(row, col int) driver.Value {
			h := hashes[ids[row]]
			return [...]driver.Value{ContentKey(h[:]), ids[row], h[:16]}[col]
		}, func(v []driver.Value) { here[v[0].(int64)] = v[1].(int64) })
	return here, err
}

// addMappings has this catalog keep the mappings of the other one, the last of which
// become its last.
func (m *merge) addMappings(ctx context.Context) error {
	if m.step.From.mapped {
		return nil
	}
	m.step.From.mapped = true
	all, err := m.from.Mappings(ctx)
	if err != nil || len(all) == 0 {
		return err
	}
	last, err := m.Mappings(ctx)
	if err != nil {
		return err
	}
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].Used == all[0].Used {
			n++
		}
		var group []Mapping
		var classes []*Values
		for _, o := range all[:n] {
			if blake3.Sum256(o.Data) != o.Digest {
				return fmt.Errorf("%w: mapping.data: %s has another digest", ErrDamaged, o.Name)
			}
			group, classes = append(group, Mapping{Name: o.Name, Data: o.Data}), append(classes, o.Values)
		}
		if all = all[n:]; len(all) == 0 && slices.EqualFunc(group, last, func(a, b Mapping) bool { return bytes.Equal(a.Data, b.Data) }) {
			return nil
		}
		if err := m.RememberMappings(ctx, group, classes); err != nil {
			return err
		}
	}
	return nil
}

// addSets adds the values that hold in the build alone, and the hash of the classes by
// which they were read: not what a scan would say, which counts in ids of one catalog.
func (m *merge) addSets(ctx context.Context) error {
	if !m.step.build.Valued {
		return nil
	}
	h := blake3.New()
	_, _ = h.Write(binary.LittleEndian.AppendUint64([]byte("merged"), uint64(m.step.build.State)))
	err := m.from.BuildSets(ctx, m.step.build.ID, func(sets []other.Set) error {
		hashes := map[int64]Digest{}
		for i := range sets {
			hashes[sets[i].Content] = sets[i].Hash
		}
		here, err := m.find(ctx, hashes)
		if err != nil {
			return err
		}
		var ours []ValueSet
		for _, s := range sets {
			id, ok := here[s.Content]
			if !ok {
				return fmt.Errorf("%w: build_value.set_id: of a content that the build does not have", ErrDamaged)
			}
			ours = append(ours, ValueSet{Content: id, Header: s.Header, Values: s.Values})
			_, _ = h.Write(binary.LittleEndian.AppendUint64(s.Hash[:], uint64(s.Header)))
		}
		return m.AddSets(ours)
	})
	if err != nil {
		return err
	}
	return m.SetValueState(ctx, int64(binary.LittleEndian.Uint64(h.Sum(nil))))
}

// A scan searches contents of unknown structure for the ids of all builds that are in the
// catalog by then. Two catalogs searched a content for the ids of their own builds: of
// both together it has what either found.

// searchedAtOnce is how many contents are compared at once.
const searchedAtOnce = 4096

// addSearched adds what the other catalog found by searching contents that this one has
// searched for other ids.
func (m *merge) addSearched(ctx context.Context) error {
	all, err := m.from.Searched(ctx, m.step.build.ID)
	if err != nil {
		return err
	}
	for chunk := range slices.Chunk(all, searchedAtOnce) {
		if err := m.addSearchedOf(ctx, chunk); err != nil {
			return err
		}
	}
	return nil
}

func (m *merge) addSearchedOf(ctx context.Context, searched []other.Searched) error {
	hashes := map[int64]Digest{}
	for i := range searched {
		hashes[searched[i].Content] = searched[i].Hash
	}
	here, err := m.find(ctx, hashes)
	if err != nil {
		return err
	}
	theirs := map[int64]*other.Searched{} // by ids of this catalog
	var ours []int64
	for i := range searched {
		if our, ok := here[searched[i].Content]; ok {
			theirs[our], ours = &searched[i], append(ours, our)
		}
	}
	var differ []int64
	err = m.finder.Each(ctx, "SELECT s.content_id, s.known FROM src CROSS JOIN x_content_scan s ON s.content_id = src.a", len(ours),
		func(row, _ int) driver.Value { return ours[row] }, func(v []driver.Value) {
			if id := v[0].(int64); v[1] != theirs[id].Known {
				differ = append(differ, id)
			}
		})
	if err != nil || len(differ) == 0 {
		return err
	}
	old, err := m.searchedHere(ctx, differ)
	if err != nil {
		return err
	}
	var found []Scanned
	for _, s := range old {
		found = append(found, Scanned{Content: s.Content, Known: bothKnown(s.Known, theirs[s.Content].Known), Refs: bothFound(s.Refs, theirs[s.Content].Refs)})
	}
	return m.AddScanned(ctx, found)
}

// searchedHere returns what this catalog has found in contents.
func (m *merge) searchedHere(ctx context.Context, ids []int64) ([]other.Searched, error) {
	c, err := other.Open(ctx, m.c.path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = c.Close() }()
	return c.SearchedOf(ctx, ids)
}

// bothKnown is the hash of two sets of ids together, in either order. No scan has
// that number, so that the next one of the archive searches it again.
func bothKnown(a, b int64) int64 {
	switch {
	case a == 0 || a == b:
		return b
	case b == 0:
		return a
	}
	h := fnv.New64a()
	_ = binary.Write(h, binary.LittleEndian, []int64{min(a, b), max(a, b)})
	return int64(h.Sum64() | 1)
}

// bothFound returns references that are in either list, each once.
func bothFound(a, b []Ref) (all []Ref) {
	seen := map[Ref]bool{}
	for _, r := range slices.Concat(a, b) {
		if !seen[r] {
			seen[r] = true
			all = append(all, r)
		}
	}
	return all
}

// Other is a catalog that is merged into another one. It is read as it was when it was
// opened, and never written to.
type Other struct {
	path   string
	from   *other.Catalog
	mapped bool // its mappings were handed over
}

// OpenOther opens a catalog to be merged. One that is damaged, as far as [QuickSize] lets
// it be checked, or of another version is refused.
func OpenOther(ctx context.Context, path string) (*Other, error) {
	o := &Other{path: file.Resolve(path)}
	if err := o.open(ctx); err != nil {
		return nil, o.named(err)
	}
	return o, nil
}

func (o *Other) open(ctx context.Context) error {
	if err := file.IsStored(ctx, o.path); err != nil {
		return err
	}
	db := conn.OpenReader(o.path)
	err := checkForeign(ctx, db)
	if err == nil {
		_, err = quickCheck(ctx, db, o.path)
	}
	if err := errors.Join(err, db.Close()); err != nil {
		return err
	}
	o.from, err = other.Open(ctx, o.path)
	return err
}

// named adds the path of the catalog to an error.
func (o *Other) named(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("catalog %s: %w", o.path, conn.Classify(err))
}

// Close closes the catalog.
func (o *Other) Close() error { return o.from.Close() }

// Path returns the file's path, links resolved.
func (o *Other) Path() string { return o.path }

// MergeStep is a build that is to be merged.
type MergeStep struct {
	Label    string
	Created  time.Time
	From     *Other
	Same     bool // the catalog has the build, or will have it by then: there is nothing to do
	Replaces bool // the catalog has another build of that label, or will have it by then

	Archives, Bytes int64 // how many, and the size of their files

	build other.Build
}

// ErrOtherBuild means that a catalog has another build of that label.
var ErrOtherBuild = errors.New("the catalog has another build of that label")

// PlanMerge lists the builds of other catalogs in the order in which they are to be merged into c:
// that of their times; those of one time in the order of others, and in which they were
// scanned. Two builds of one label are the same when they mount the same archives in the
// same way, which were scanned alike. Otherwise the error is [ErrOtherBuild], unless the
// later one is to replace the earlier.
func PlanMerge(ctx context.Context, c *Catalog, others []*Other, replace bool) (steps []MergeStep, err error) {
	prints := map[*Other]map[string]string{}
	for _, o := range others {
		builds, err := o.from.Builds(ctx)
		if err == nil {
			prints[o], err = o.from.Prints(ctx)
		}
		if err != nil {
			return nil, o.named(err)
		}
		for _, b := range builds {
			steps = append(steps, MergeStep{Label: b.Label, Created: b.Created, From: o, Archives: b.Archives, Bytes: b.Bytes, build: b})
		}
	}
	slices.SortStableFunc(steps, func(a, b MergeStep) int { return a.Created.Compare(b.Created) })
	there, err := other.Prints(ctx, c.finder)
	if err != nil {
		return nil, c.named(err)
	}
	for i := range steps {
		s := &steps[i]
		old, found := there[s.Label]
		mounts := prints[s.From][s.Label]
		s.Same, s.Replaces = found && old == mounts, found && old != mounts
		if s.Replaces && !replace {
			return nil, s.From.named(fmt.Errorf("%w: %q", ErrOtherBuild, s.Label))
		}
		there[s.Label] = mounts
	}
	return steps, nil
}

// inspectedSince reports whether a later inspector found what there is about a content, or
// the same one: "calligraphy/2" is later than "calligraphy/1".
func inspectedSince(there, here string) bool {
	name, revision := revisionOf(there)
	ours, of := revisionOf(here)
	return there != "" && name == ours && revision >= of
}

func revisionOf(inspector string) (name string, revision int) {
	name, number := path.Split(inspector)
	revision, err := strconv.Atoi(number)
	if err != nil {
		return inspector, 0
	}
	return name, revision
}
