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
		return nil, named(step.From.path, fmt.Errorf("merge build %q: %w", step.Label, err))
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
	mounts, err := m.from.Mounts(ctx, m.step.ID)
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

// there is what this catalog has of a content.
type there struct {
	id        int64
	inspected string
	known     int64            // hash of the ids it was searched for; 0: none yet
	searched  bool             // it is to be searched
	values    map[int64]string // what made them, by header
}

// addContents adds to entries what this catalog is to know of their contents: all of one
// that is new, and what it lacks of the others. Each content is looked at once.
func (m *merge) addContents(ctx context.Context, chunk []other.Entry) error {
	holders, hashes := map[int64]*other.Entry{}, map[int64]Digest{}
	for i := range chunk {
		if e := &chunk[i]; e.HasContent && !m.handed[e.ContentID] {
			m.handed[e.ContentID] = true
			holders[e.ContentID], hashes[e.ContentID] = e, e.Content
		}
	}
	here, err := m.lookUp(ctx, hashes)
	if err != nil {
		return err
	}
	ids := slices.Sorted(maps.Keys(holders))
	contents, err := m.from.Contents(ctx, ids)
	if err != nil {
		return err
	}
	var whole []int64
	for _, id := range ids {
		k, c := here[id], contents[id]
		if by := c.Inspector; k == nil || by != "" && !inspectedSince(k.inspected, by) && !record.Outranks(k.inspected, by) {
			delete(here, id) // all of it is replaced
			whole = append(whole, id)
		}
		e := holders[id]
		e.Sketch, e.Copied.Digests = c.Sketch, c.Digests
		for _, s := range c.Sets {
			if k := here[id]; k == nil || !inspectedSince(k.values[s.Header], s.Reader) {
				m.values[contentOf{id, s.Header}] = s.Set
			}
		}
	}
	facts, err := m.from.Facts(ctx, whole)
	if err != nil {
		return err
	}
	for id, f := range facts {
		holders[id].Facts = f
	}
	return m.addValues(ctx, chunk)
}

// addValues adds to entries the values in their contents that this catalog lacks.
func (m *merge) addValues(ctx context.Context, chunk []other.Entry) error {
	holders := map[int64]*other.Entry{}
	for i := range chunk {
		e := &chunk[i]
		if e.ExportsOf == nil {
			continue
		}
		k := contentOf{e.ContentID, e.ExportsOf.Header}
		if set, ok := m.values[k]; ok {
			holders[set] = e
			delete(m.values, k)
		}
	}
	sets, err := m.from.Sets(ctx, slices.Sorted(maps.Keys(holders)))
	for i := range sets {
		holders[sets[i].ID].Values = sets[i].Values
	}
	return err
}

// lookUp returns what this catalog has of contents, by their ids in the other one. What
// this build has added is found after a flush.
func (m *merge) lookUp(ctx context.Context, hashes map[int64]Digest) (map[int64]*there, error) {
	here := map[int64]*there{}
	ids := slices.Sorted(maps.Keys(hashes))
	return here, m.finder.Each(ctx, `SELECT src.b, c.content_id, i.word, s.known, v.header, r.word FROM src
		CROSS JOIN x_content_key k ON k.key = src.a
		CROSS JOIN x_content c ON c.content_id = k.content_id AND substr(c.hash, 1, 16) = src.c
		LEFT JOIN x_word i ON i.word_id = c.inspected_id
		LEFT JOIN x_content_scan s ON s.content_id = c.content_id
		LEFT JOIN x_value_set v ON v.content_id = c.content_id AND v.context = 0
		LEFT JOIN x_word r ON r.word_id = v.reader_id`, len(ids),
		func(row, col int) driver.Value {
			h := hashes[ids[row]]
			return [...]driver.Value{ContentKey(h[:]), ids[row], h[:16]}[col]
		}, func(v []driver.Value) {
			k := here[v[0].(int64)]
			if k == nil {
				k = &there{id: v[1].(int64), values: map[int64]string{}}
				k.inspected, _ = v[2].(string)
				k.known, k.searched = v[3].(int64)
				here[v[0].(int64)] = k
			}
			if header, ok := v[4].(int64); ok {
				k.values[header], _ = v[5].(string)
			}
		})
}

// searchedAtOnce is how many contents are compared at once.
const searchedAtOnce = 4096

// addSearched adds what the other catalog found by searching contents that this one has
// searched for other ids. A scan searches contents of unknown structure for the ids of all builds
// that are in the catalog by then, so each searched for the ids of its own builds.
func (m *merge) addSearched(ctx context.Context) error {
	all, err := m.from.Searched(ctx, m.step.ID)
	for part := range slices.Chunk(all, searchedAtOnce) {
		if err == nil {
			err = m.addSearchedOf(ctx, part)
		}
	}
	return err
}

func (m *merge) addSearchedOf(ctx context.Context, searched []other.Searched) error {
	hashes := map[int64]Digest{}
	for _, s := range searched {
		hashes[s.Content] = s.Hash
	}
	here, err := m.lookUp(ctx, hashes)
	if err != nil {
		return err
	}
	var ids []int64
	for _, s := range searched {
		if k := here[s.Content]; k != nil && k.searched && k.known != s.Known {
			ids = append(ids, s.Content)
		}
	}
	facts, err := m.from.Facts(ctx, ids)
	if err != nil {
		return err
	}
	refs := map[int64][]Ref{}
	err = m.finder.Each(ctx, `SELECT src.b, k.word, s.word, r.key, r.flags FROM src
		CROSS JOIN x_ref r ON r.content_id = src.a AND r.seq >= 1 << 32 AND r.seq < 2 << 32
		CROSS JOIN x_word k ON k.word_id = r.kind_id
		CROSS JOIN x_word s ON s.word_id = r.space_id`, len(ids),
		func(row, col int) driver.Value { return [...]int64{here[ids[row]].id, ids[row]}[col] },
		func(v []driver.Value) {
			id, r := v[0].(int64), Ref{Key: v[3].(int64), Flags: v[4].(int64)}
			r.Kind, _ = v[1].(string)
			r.Space, _ = v[2].(string)
			refs[id] = append(refs[id], r)
		})
	if err != nil {
		return err
	}
	var found []Scanned
	for _, id := range ids {
		seen := map[Ref]bool{}
		both := slices.DeleteFunc(append(refs[id], facts[id].Scanned...), func(r Ref) bool {
			again := seen[r]
			seen[r] = true
			return again
		})
		found = append(found, Scanned{Content: here[id].id, Known: bothKnown(here[id].known, facts[id].Known), Refs: both})
	}
	return m.AddScanned(ctx, found)
}

// bothKnown is the hash of two sets of ids together, in either order; a may be 0, none. No scan
// has that number, so that the next one of the archive searches it again.
func bothKnown(a, b int64) int64 {
	if a == 0 {
		return b
	}
	h := fnv.New64a()
	_ = binary.Write(h, binary.LittleEndian, []int64{min(a, b), max(a, b)})
	return int64(h.Sum64() | 1)
}

// addMappings has this catalog keep the mappings of the other one, the last of which
// become its last.
func (m *merge) addMappings(ctx context.Context) error {
	if m.step.From.mapped {
		return nil
	}
	m.step.From.mapped = true
	all, err := m.from.Mappings(ctx)
	for _, together := range all {
		if err == nil {
			err = m.RememberMappings(ctx, together)
		}
	}
	return err
}

// addSets adds the values that hold in the build alone, and the hash of the classes by
// which they were read: not what a scan would say, which counts in ids of one catalog.
func (m *merge) addSets(ctx context.Context) error {
	if !m.step.Valued {
		return nil
	}
	h := blake3.New()
	_, _ = h.Write(binary.LittleEndian.AppendUint64([]byte("merged"), uint64(m.step.State)))
	err := m.from.BuildSets(ctx, m.step.ID, func(sets []other.Set) error {
		hashes := map[int64]Digest{}
		for i := range sets {
			hashes[sets[i].Content] = sets[i].Hash
		}
		here, err := m.lookUp(ctx, hashes)
		if err != nil {
			return err
		}
		var ours []ValueSet
		for _, s := range sets {
			k := here[s.Content]
			if k == nil {
				return fmt.Errorf("%w: build_value.set_id: of a content that the build does not have", ErrDamaged)
			}
			ours = append(ours, ValueSet{Content: k.id, Header: s.Header, Values: s.Values})
			_, _ = h.Write(binary.LittleEndian.AppendUint64(s.Hash[:], uint64(s.Header)))
		}
		return m.AddSets(ours)
	})
	if err != nil {
		return err
	}
	return m.SetValueState(ctx, int64(binary.LittleEndian.Uint64(h.Sum(nil))))
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
	err := file.IsStored(ctx, o.path)
	if err == nil {
		db := conn.Open(o.path, conn.ToRead)
		_, err = quickCheck(ctx, db, o.path)
		err = errors.Join(err, db.Close())
	}
	if err == nil {
		o.from, err = other.Open(ctx, o.path)
	}
	if err != nil {
		return nil, named(o.path, err)
	}
	return o, nil
}

// Close closes the catalog.
func (o *Other) Close() error { return o.from.Close() }

// Path returns the file's path, links resolved.
func (o *Other) Path() string { return o.path }

// MergeStep is a build that is to be merged.
type MergeStep struct {
	other.Build
	From     *Other
	Same     bool // the catalog has the build, or will have it by then: there is nothing to do
	Replaces bool // the catalog has another build of that label, or will have it by then
}

// ErrOtherBuild means that a catalog has another build of that label.
var ErrOtherBuild = errors.New("the catalog has another build of that label")

// PlanMerge lists the builds of other catalogs in the order in which they are to be merged into c:
// that of their times; those of one time in the order of others, and in which they were
// scanned. Two builds of one label are the same when they mount the same archives in the
// same way, which were scanned alike. Otherwise the error is [ErrOtherBuild], unless the
// later one is to replace the earlier.
func PlanMerge(ctx context.Context, c *Catalog, others []*Other, replace bool) (steps []MergeStep, err error) {
	for _, o := range others {
		builds, err := o.from.Builds(ctx)
		if err != nil {
			return nil, named(o.path, err)
		}
		for _, b := range builds {
			steps = append(steps, MergeStep{Build: b, From: o})
		}
	}
	slices.SortStableFunc(steps, func(a, b MergeStep) int { return a.Created.Compare(b.Created) })
	there, err := other.Prints(ctx, c.finder.DB)
	if err != nil {
		return nil, c.named(err)
	}
	for i := range steps {
		s := &steps[i]
		old, found := there[s.Label]
		s.Same, s.Replaces = found && old == s.Print, found && old != s.Print
		if s.Replaces && !replace {
			return nil, named(s.From.path, fmt.Errorf("%w: %q", ErrOtherBuild, s.Label))
		}
		there[s.Label] = s.Print
	}
	return steps, nil
}

// inspectedSince reports whether a later inspector found what there is about a content, or
// the same one: "calligraphy/2" is later than "calligraphy/1".
func inspectedSince(there, here string) bool {
	name, revision := path.Split(there)
	ours, of := path.Split(here)
	later, _ := strconv.Atoi(revision)
	earlier, _ := strconv.Atoi(of)
	return there != "" && (there == here || name != "" && name == ours && later >= earlier)
}
