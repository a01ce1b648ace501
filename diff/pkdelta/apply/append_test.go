package apply

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"pakdb/codecs"
	"pakdb/codecs/unrealpak"
	"pakdb/diff/internal/pkdeltatest"
	"pakdb/diff/pkdelta"
	"pakdb/diff/pkdelta/maker"
	"pakdb/diff/pkdelta/program"
	"pakdb/internal/atomicfile"
)

func appendTo(undo string) *ApplyOptions {
	return &ApplyOptions{Mode: Append, Undo: undo, Registry: pkdeltatest.Paks(), Open: pkdeltatest.OpenKeyed(), Keys: [][]byte{[]byte(pkdeltatest.TestKey)}}
}

// patchOf is the patch from one x.pak to another.
func patchOf(t testing.TB, old, new []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	if _, _, err := maker.Make(context.Background(), []pkdelta.Input{pkdeltatest.Input("x.pak", old)}, []pkdelta.Input{pkdeltatest.Input("x.pak", new)}, &out, t.TempDir(), &maker.MakeOptions{Registry: pkdeltatest.Paks(), Open: pkdeltatest.OpenKeyed()}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// update applies a patch to x.pak in a folder, as the commands do.
func update(t testing.TB, dir string, patch []byte, o *ApplyOptions) (*Plan, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "p.pkdelta")
	if err := os.WriteFile(file, patch, 0o666); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	p, err := NewPlan(ctx, file, []string{filepath.Join(dir, "x.pak")}, dir)
	if err != nil {
		return nil, err
	}
	err = p.Prepare(ctx, o)
	if err == nil {
		err = p.Apply(ctx)
	}
	return p, errors.Join(err, p.Close())
}

func readPak(t testing.TB, dir string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "x.pak"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// sameView requires two paks to have the same entries with the same contents, and
// nothing to be wrong with the first.
func sameView(t testing.TB, got, want []byte) {
	t.Helper()
	a, b := pkdeltatest.OpenPak(t, got), pkdeltatest.OpenPak(t, want)
	if w := a.Info().Warnings; len(w) > 0 {
		t.Fatal(w)
	}
	if v, ok := codecs.ArchiveAs[codecs.Verifier](a); ok {
		if err := v.Verify(context.Background(), func(fe *codecs.FormatError) { t.Error("verify:", fe) }); err != nil {
			t.Fatal(err)
		}
	}
	var list []*codecs.Entry
	for e, err := range b.Entries() {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, e)
	}
	n := 0
	for e, err := range a.Entries() {
		if err != nil {
			t.Fatal(err)
		}
		if n >= len(list) || !sameEntry(e, list[n]) {
			t.Fatalf("entry %d: %+v", n, e)
		}
		if e.Flags&codecs.Deleted == 0 && !bytes.Equal(decoded(t, a, e), decoded(t, b, list[n])) {
			t.Fatalf("%s differs", e.Name)
		}
		n++
	}
	if n != len(list) {
		t.Fatalf("%d entries, want %d", n, len(list))
	}
}

func decoded(t testing.TB, a codecs.Archive, e *codecs.Entry) []byte {
	t.Helper()
	r, err := a.Open(context.Background(), e)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(r)
	if err := errors.Join(err, r.Close()); err != nil {
		t.Fatal(e.Name, err)
	}
	return b
}

// TestAppendChain appends twice, in every version of the format that is written,
// takes the second update back, and makes the pak exact.
func TestAppendChain(t *testing.T) {
	t.Parallel()
	for _, version := range unrealpak.Format().Versions {
		for mask := range 4 {
			o := &codecs.CreateOptions{Version: version, MountPoint: "../../../", Method: "zlib", BlockSize: 16 << 10, Keys: pkdeltatest.TestKeys, Encrypt: mask&1 != 0, EncryptIndex: mask&2 != 0}
			if mask&1 == 0 {
				o.Align = 512
			}
			if mask&2 != 0 && version == "3" || mask == 1 || mask == 2 {
				continue
			}
			if name := fmt.Sprint(version, mask); testing.Short() && name != "123" {
				continue
			}
			t.Run(fmt.Sprintf("%s/%d", version, mask), func(t *testing.T) { appendChain(t, pkdeltatest.Versions(t, o)) })
		}
	}
}

func appendChain(t *testing.T, v [3][]byte) {
	patches := [][]byte{patchOf(t, v[0], v[1]), patchOf(t, v[1], v[2])}
	dir := inFolder(t, v[0])
	if err := os.WriteFile(filepath.Join(dir, "x.sig"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	states := [][]byte{v[0]}
	for i, patch := range patches {
		p, err := update(t, dir, patch, appendTo(fmt.Sprint("back", i)))
		if err != nil {
			t.Fatal(err)
		}
		if p.Tail == 0 || len(p.Notes) != 1 {
			t.Fatalf("not appended: %+v", p.Bill)
		}
		before, now := states[len(states)-1], readPak(t, dir)
		if !bytes.HasPrefix(now, before) || int64(len(now)-len(before)) != p.Tail {
			t.Fatal("what was there is not there any more")
		}
		sameView(t, now, v[i+1])
		if again, err := update(t, dir, patch, appendTo("")); err != nil || !again.Applied || again.Stand != 1 {
			t.Fatalf("applied again: %v", err)
		}
		states = append(states, now)
	}
	holds(t, dir, states[2], "back0", "back1", "x.sig")
	others(t, v, patches[1], states[1])
	takeBack(t, dir, "back1")
	holds(t, dir, states[1], "back0", "back1", "x.sig")
	compacts(t, dir, v[1])
}

// others: a pak that was appended to is its version for the other modes too.
func others(t *testing.T, v [3][]byte, patch, appended []byte) {
	t.Helper()
	for _, mode := range []Mode{NewFiles, InPlace} {
		dir := inFolder(t, appended)
		p, err := update(t, dir, patch, &ApplyOptions{Mode: mode, Keys: [][]byte{[]byte(pkdeltatest.TestKey)}})
		if err != nil || !p.Appended[0] {
			t.Fatal(mode, err)
		}
		holds(t, dir, v[2])
	}
}

func takeBack(t *testing.T, dir, name string) {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	if err := Undo(context.Background(), filepath.Join(dir, name), root); err != nil {
		t.Fatal(err)
	}
}

func compacts(t testing.TB, dir string, want []byte) {
	t.Helper()
	c, err := Compact(context.Background(), filepath.Join(dir, "x.pak"), pkdeltatest.Paks(), pkdeltatest.OpenKeyed(), false)
	if err != nil || !c.Exact {
		t.Fatalf("%+v, %v", c, err)
	}
	if !bytes.Equal(readPak(t, dir), want) {
		t.Fatal("not exact")
	}
}

// TestCompactWithoutRecord drops what nothing refers to.
func TestCompactWithoutRecord(t *testing.T) {
	for _, version := range []string{"3", "8B", "11"} {
		v := pkdeltatest.Versions(t, &codecs.CreateOptions{Version: version, Method: "zlib"})
		dir := inFolder(t, v[0])
		if _, err := update(t, dir, patchOf(t, v[0], v[1]), appendTo("")); err != nil {
			t.Fatal(err)
		}
		b := readPak(t, dir)
		b[bytes.LastIndex(b, []byte(recordMagic))] ^= 1
		if err := os.WriteFile(filepath.Join(dir, "x.pak"), b, 0o666); err != nil {
			t.Fatal(err)
		}
		c, err := Compact(context.Background(), filepath.Join(dir, "x.pak"), pkdeltatest.Paks(), pkdeltatest.OpenKeyed(), false)
		if err != nil || c.Exact || c.After != int64(len(v[1])) {
			t.Fatalf("%s: %+v, %v; the exact file has %d bytes", version, c, err, len(v[1]))
		}
		sameView(t, readPak(t, dir), v[1])
		if c, err = Compact(context.Background(), filepath.Join(dir, "x.pak"), pkdeltatest.Paks(), pkdeltatest.OpenKeyed(), false); err != nil || !c.Same {
			t.Fatalf("again: %+v, %v", c, err)
		}
	}
}

// TestNotAppended: what cannot be appended to is made anew, and why is told.
func TestNotAppended(t *testing.T) {
	v := pkdeltatest.Versions(t, &codecs.CreateOptions{Version: "8B", Method: "zlib"})
	other := pkdeltatest.Versions(t, &codecs.CreateOptions{Version: "5", Method: "zlib"})
	locked := pkdeltatest.Versions(t, &codecs.CreateOptions{Version: "8B", Method: "zlib", Keys: pkdeltatest.TestKeys, EncryptIndex: true})
	for name, c := range map[string]struct {
		old, new []byte
		keys     *codecs.Options
	}{
		"no pak":          {pkdeltatest.Noisy(1, 5000), pkdeltatest.Noisy(2, 5000), nil},
		"another version": {v[0], other[1], nil},
		"no key":          {locked[0], locked[1], &codecs.Options{}},
		"all changed":     {pkdeltatest.WritePak(t, nil, []pkdeltatest.Content{{Name: "a", Data: pkdeltatest.Noisy(1, 50_000)}}), pkdeltatest.WritePak(t, nil, []pkdeltatest.Content{{Name: "a", Data: pkdeltatest.Noisy(2, 50_000)}}), nil},
	} {
		for _, undo := range []string{"", "back"} {
			dir := inFolder(t, c.old)
			o := appendTo(undo)
			o.Open = c.keys
			p, err := update(t, dir, patchOf(t, c.old, c.new), o)
			if err != nil || len(p.Notes) != 1 || p.Tail != 0 {
				t.Fatalf("%s: %+v, %v", name, p, err)
			}
			holds(t, dir, c.new, "back")
			if undo != "" {
				takeBack(t, dir, undo)
				holds(t, dir, c.old, "back")
			}
		}
	}
}

// TestAppendToACopy: the old files may lie elsewhere; one that is like them is
// appended to. Meanwhile nobody else may update it.
func TestAppendToACopy(t *testing.T) {
	v := pkdeltatest.Versions(t, &codecs.CreateOptions{Version: "11", Method: "zlib"})
	old, dir, file := inFolder(t, v[0]), inFolder(t, v[0]), filepath.Join(t.TempDir(), "p")
	if err := os.WriteFile(file, patchOf(t, v[0], v[1]), 0o666); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	p, err := NewPlan(ctx, file, []string{old}, dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewPlan(ctx, file, []string{old}, dir); !errors.Is(err, ErrBusy) {
		t.Errorf("a second update: %v", err)
	}
	if err := p.Prepare(ctx, appendTo("")); err != nil || p.Tail == 0 {
		t.Fatalf("%+v, %v", p.Bill, err)
	}
	p.Free = p.Need - 1
	var space *SpaceError
	if err := p.Apply(ctx); !errors.As(err, &space) || space.Need > int64(len(v[1])) {
		t.Errorf("without room: %v", err)
	}
	p.Free = p.Need
	if err := errors.Join(p.Apply(ctx), p.Close()); err != nil {
		t.Fatal(err)
	}
	sameView(t, readPak(t, dir), v[1])
	holds(t, old, v[0])
	compacts(t, dir, v[1])
	holds(t, dir, v[1])
}

// TestAppendProperty: random versions one after the other, each appended, and at
// the end exact.
func TestAppendProperty(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("makes some hundred patches")
	}
	pool := make([][]byte, 12)
	for i := range pool {
		pool[i] = pkdeltatest.Words(uint64(i+1), 20+i*i*400)
		if i%3 == 2 {
			pool[i] = pkdeltatest.Noisy(uint64(i), 10+i*900)
		}
	}
	rapid.Check(t, func(r *rapid.T) {
		o := &codecs.CreateOptions{
			Version:   rapid.SampledFrom(unrealpak.Format().Versions).Draw(r, "version"),
			Method:    rapid.SampledFrom(unrealpak.Format().Methods[:3]).Draw(r, "method"),
			BlockSize: 4096, Keys: pkdeltatest.TestKeys, Encrypt: rapid.Bool().Draw(r, "encrypt"),
			Align: rapid.SampledFrom([]int64{0, 16, 2048}).Draw(r, "align"),
		}
		dir := inFolder(t, nil)
		var last []byte
		for i := range rapid.IntRange(2, 4).Draw(r, "versions") {
			var list []pkdeltatest.Content
			for n, k := range rapid.SliceOfNDistinct(rapid.IntRange(0, len(pool)-1), 1, len(pool), rapid.ID[int]).Draw(r, "entries") {
				list = append(list, pkdeltatest.Content{Name: fmt.Sprintf("d%d/%d", n%3, rapid.IntRange(0, 3).Draw(r, "name")*100+n), Data: pool[k]})
			}
			if o.Version > "5" || len(o.Version) > 1 {
				list = append(list, pkdeltatest.Content{Name: "gone", Gone: true})
			}
			now := pkdeltatest.WritePak(t, o, list)
			if i == 0 {
				if err := os.WriteFile(filepath.Join(dir, "x.pak"), now, 0o666); err != nil {
					t.Fatal(err)
				}
			} else if !bytes.Equal(last, now) {
				p, err := update(t, dir, patchOf(t, last, now), appendTo(""))
				if err != nil {
					r.Fatal(err)
				}
				if p.Tail > 0 {
					sameView(r2t{t, r}, readPak(t, dir), now)
				}
			}
			last = now
		}
		if !bytes.Equal(readPak(t, dir), last) {
			compacts(t, dir, last)
		}
	})
}

// r2t reports to rapid what it is told.
type r2t struct {
	testing.TB
	r *rapid.T
}

func (x r2t) Fatal(args ...any)            { x.r.Fatal(args...) }
func (x r2t) Fatalf(f string, args ...any) { x.r.Fatalf(f, args...) }
func (x r2t) Error(args ...any)            { x.r.Error(args...) }

// TestAppendInterrupted looks at the states that a crash can leave.
func TestAppendInterrupted(t *testing.T) {
	v := pkdeltatest.Versions(t, &codecs.CreateOptions{Version: "11", Method: "zlib"})
	patch := patchOf(t, v[0], v[1])
	done := inFolder(t, v[0])
	if _, err := update(t, done, patch, appendTo("back")); err != nil {
		t.Fatal(err)
	}
	after := readPak(t, done)
	cuts, grow := journalsOf(t, v[0], patch)
	r := rand.New(rand.NewPCG(1, 2))
	for range 40 {
		// While it is appended: anything may stand behind the old end.
		tail := after[len(v[0]):][:r.IntN(len(after)-len(v[0])+1)]
		if r.IntN(2) == 0 {
			tail = make([]byte, len(tail))
		}
		dir := inFolder(t, append(bytes.Clone(v[0]), tail...))
		recoversBy(t, dir, journalAppend, cuts, true)
		holds(t, dir, v[0])
		// While the footer is written.
		footer := 221 + len(recordMagic)
		half := bytes.Clone(after)
		half = append(half[:len(half)-footer], v[0][len(v[0])-221:]...)
		if r.IntN(2) == 0 {
			copy(half[len(after)-footer:], after[len(after)-footer:][:r.IntN(footer)])
		}
		dir = inFolder(t, half)
		if r.IntN(2) == 0 {
			if err := os.WriteFile(filepath.Join(dir, journalAppend), cuts, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		recoversBy(t, dir, journalName, grow, true)
		holds(t, dir, after)
	}
	// Half of a journal was never followed; another file is not cut.
	dir := inFolder(t, v[0])
	if err := os.WriteFile(filepath.Join(dir, journalAppend), cuts[:len(cuts)-1], 0o666); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	if did, err := Recover(context.Background(), root); did || err != nil {
		t.Fatal(did, err)
	}
	holds(t, dir, v[0])
	dir = inFolder(t, v[2])
	recoversBy(t, dir, journalAppend, cuts, true)
	holds(t, dir, v[2])
}

// journalsOf returns the two journals of an append: that which takes it back, and
// that which completes it.
func journalsOf(t *testing.T, old, patch []byte) (cuts, grow []byte) {
	t.Helper()
	ctx, dir := context.Background(), inFolder(t, old)
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	file, err := root.Open("x.pak")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	r, err := pkdelta.NewReader(bytes.NewReader(patch))
	if err != nil {
		t.Fatal(err)
	}
	a := newApplier(r.Header, []io.ReaderAt{&program.Part{ReaderAt: file, File: file}}, atomicfile.In(ctx, root), appendTo(""))
	if err := a.prepare(ctx, r); err != nil {
		t.Fatal(err)
	}
	place := a.place.(*appending)
	journal := place.journalSpool()
	list, err := place.actions(ctx, journal)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{place.append(ctx), journal.Spill(), sealJournal(journal.F, int64(len(journal.Head))+journal.Size, list)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	journal.F = nil
	if cuts, err = root.ReadFile(journalAppend); err != nil {
		t.Fatal(err)
	}
	if grow, err = root.ReadFile(journalNew); err != nil {
		t.Fatal(err)
	}
	// Everything but the footer is written, and the pak is what it was.
	sameEntries(t, readPak(t, dir), old)
	return cuts, grow
}

func sameEntries(t *testing.T, got, want []byte) {
	t.Helper()
	a, b := pkdeltatest.OpenPak(t, got), pkdeltatest.OpenPak(t, want)
	if g, w := fmt.Sprintf("%+v", a.Info()), fmt.Sprintf("%+v", b.Info()); g != w {
		t.Fatalf("%s\n%s", g, w)
	}
}
