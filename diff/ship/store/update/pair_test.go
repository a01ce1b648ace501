package update_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/zstd"

	"pakdb/codecs"
	"pakdb/codecs/all"
	"pakdb/codecs/compress"
	"pakdb/codecs/unrealpak"
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/internal/deltatest"
	"pakdb/diff/ship/store/publish"
	"pakdb/internal/testkit"
)

// pakOf is an Unreal pak with zlib.
func pakOf(t testing.TB, o codecs.CreateOptions, entries []deltatest.Content) []byte {
	t.Helper()
	o.Method = "zlib"
	return deltatest.WritePak(t, &o, entries)
}

// prose draws n bytes that compress.
func prose(r *rand.Rand, n int) []byte {
	var b []byte
	for len(b) < n {
		b = fmt.Appendf(b, "%s %x ", []string{"mesh", "texture", "sound", "actor", "level"}[r.IntN(5)], r.Uint32N(1<<20))
	}
	return b[:n]
}

// assets draws entries of a build.
func assets(n, size int) (list []deltatest.Content) {
	r := rand.New(rand.NewPCG(7, 7))
	for i := range n {
		list = append(list, deltatest.Content{Name: fmt.Sprintf("Game/Content/Dir%02d/Asset%04d.uasset", i/20, i), Data: prose(r, size/2+r.IntN(size))})
	}
	return list
}

// updated is the next build: of a hundred entries nine are edited, two moved and
// edited, one is new and one gone.
func updated(list []deltatest.Content) (next []deltatest.Content) {
	r := rand.New(rand.NewPCG(8, 8))
	edit := func(b []byte) []byte {
		at := r.IntN(len(b))
		return slices.Concat(b[:at], []byte("edited"), b[at:])
	}
	for i, e := range list {
		switch k := i % 100; {
		case k%11 == 5:
			e.Data = edit(e.Data)
		case k == 1 || k == 51:
			e.Name, e.Data = "Game/Content/Moved/"+filepath.Base(e.Name), edit(e.Data)
		case k == 70:
			continue
		case k == 80:
			next = append(next, deltatest.Content{Name: e.Name + "2", Data: prose(r, 5000)})
		}
		next = append(next, e)
	}
	return next
}

// modded is a build with its entries in another order, some of them changed.
func modded(list []deltatest.Content) []deltatest.Content {
	list = slices.Clone(list)
	for i := 3; i < len(list); i += 40 {
		list[i].Data = append(slices.Clone(list[i].Data), "a mod's"...)
	}
	rand.New(rand.NewPCG(9, 9)).Shuffle(len(list), func(i, k int) { list[i], list[k] = list[k], list[i] })
	return list
}

// testPair is a store of two builds of a pak, made once.
type testPair struct {
	store         string
	old, new, mod folder
	appended      folder // the old one with a byte behind it
}

var pairOnce sync.Once
var thePair testPair

func mixedPair(t *testing.T) *testPair {
	t.Helper()
	pairOnce.Do(func() {
		dir, err := os.MkdirTemp("", "pakdb-store")
		if err != nil {
			t.Fatal(err)
		}
		old := assets(testkit.Of(75, 600), 8000) // what fails and is made good again is the same for an eighth of the entries
		p := testPair{store: dir}
		p.old = folder{"Game.pak": pakOf(t, codecs.CreateOptions{}, old)}
		p.new = folder{"Game.pak": pakOf(t, codecs.CreateOptions{}, updated(old))}
		p.appended = folder{"Game.pak": append(bytes.Clone(p.old["Game.pak"]), 'x')}
		p.mod = folder{"Game.pak": pakOf(t, codecs.CreateOptions{}, modded(old))}
		runPublish(t, dir, "1", p.old)
		runPublish(t, dir, "2", p.new, 1)
		thePair = p
	})
	if thePair.store == "" {
		t.Fatal("no pair")
	}
	return &thePair
}

func TestMain(m *testing.M) {
	if os.Getenv(childOf) != "" {
		os.Exit(runChild())
	}
	code := testkit.Main(m)
	for _, dir := range []string{thePair.store, plainDir} {
		_ = os.RemoveAll(dir) // "" is none
	}
	os.Exit(code)
}

// From the build before, a modded one, and nothing: what is fetched is what the
// bill says, in few requests, and a modded build costs little more.
func TestMixedPair(t *testing.T) {
	testkit.NotShort(t)
	p := mixedPair(t)
	server := httptest.NewServer(http.FileServer(http.Dir(p.store)))
	defer server.Close()
	fetched := map[string]int64{}
	for name, start := range map[string]folder{"old": p.old, "appended": p.appended, "modded": p.mod, "nothing": {}} {
		at := start.write(t, t.TempDir())
		bill, r, err := runUpdate(t.Context(), server.URL, at, "")
		if err != nil {
			t.Fatal(err)
		}
		same(t, name, readFolder(t, at), p.new)
		if r.Requests() > 40 || r.Fetched() != bill.Known+bill.Fetch || r.Requests() != bill.Asked+int64(bill.Requests) {
			t.Errorf("%s: %d requests, %d bytes; the bill says %d and %d", name, r.Requests(), r.Fetched(), bill.Asked+int64(bill.Requests), bill.Known+bill.Fetch)
		}
		if name == "modded" && bill.Coded < testkit.Of(5, 40) {
			t.Errorf("%d deltas of contents are used", bill.Coded)
		}
		fetched[name] = r.Fetched()
		if name == "appended" && bill.Fetch > fetchedByPatch(t, p)*5/4 {
			t.Errorf("%d bytes for a pak with a byte appended, the patch between files has %d", bill.Fetch, fetchedByPatch(t, p))
		}
		t.Logf("from %s: %d bytes, %d of them to know what, in %d requests; %d deltas", name, r.Fetched(), bill.Known, r.Requests(), bill.Coded)
	}
	if size := int64(len(p.new["Game.pak"])); fetched["nothing"] > size+size/50 {
		t.Errorf("from nothing %d bytes, the pak has %d", fetched["nothing"], size)
	}
	if fetched["modded"] > fetched["nothing"]/4 { // most of it are frames that the modded entries share with others
		t.Errorf("from a modded pak %d bytes, from nothing %d", fetched["modded"], fetched["nothing"])
	}
}

// fetchedByPatch is the size of the patch between the files of the pair.
func fetchedByPatch(t *testing.T, p *testPair) int64 {
	t.Helper()
	bill, _, err := runUpdate(t.Context(), p.store, p.old.write(t, t.TempDir()), "")
	if err != nil || bill.ByDelta != 1 {
		t.Fatalf("no patch is used: %+v, %v", bill, err)
	}
	return bill.Fetch
}

// What the tables of a pak and the heads of its entries say is not fetched,
// whatever the version and the file that the client has.
func TestTablesFollow(t *testing.T) {
	testkit.NotShort(t)
	for _, version := range testkit.Some([]string{"3", "4", "5", "7", "8A", "8B", "9", "10", "11", "12"}, 2) {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			list, dir := assets(300, 3000), t.TempDir()
			list[7].Data = list[7].Data[:0]
			old := folder{"Game.pak": pakOf(t, codecs.CreateOptions{Version: version}, list)}
			list[100].Data = append(list[100].Data, "changed"...)
			next := folder{"Game.pak": pakOf(t, codecs.CreateOptions{Version: version}, list)}
			runPublish(t, dir, "1", old)
			runPublish(t, dir, "2", next, 1)
			at := folder{"Game.pak": append(old["Game.pak"], 0)}.write(t, t.TempDir())
			bill, _, err := runUpdate(t.Context(), dir, at, "")
			if err != nil {
				t.Fatal(err)
			}
			same(t, version, readFolder(t, at), next)
			if bill.Fetch > 500 || bill.Known > 5000 {
				t.Errorf("%d bytes fetched, after %d of lists", bill.Fetch, bill.Known)
			}
			t.Logf("%d bytes fetched, after %d of lists", bill.Fetch, bill.Known)
		})
	}
}

// A mod that another packer wrote, whose records have other block sizes, has all
// parts of the recipe but those of what it changed.
func TestOtherPacker(t *testing.T) {
	testkit.NotShort(t)
	list, dir := assets(1500, 300), t.TempDir()
	mod := append(pakOf(t, codecs.CreateOptions{Version: "8B"}, list), 0)
	old := withBlockSize(t, pakOf(t, codecs.CreateOptions{Version: "8B"}, list), 65536)
	list[700].Data = []byte("changed")
	next := withBlockSize(t, pakOf(t, codecs.CreateOptions{Version: "8B"}, list), 65536)
	runPublish(t, dir, "1", folder{"Game.pak": old})
	runPublish(t, dir, "2", folder{"Game.pak": next}, 1)
	at := folder{"Game.pak": mod}.write(t, t.TempDir())
	bill, _, err := runUpdate(t.Context(), dir, at, "")
	if err != nil {
		t.Fatal(err)
	}
	same(t, "another packer", readFolder(t, at), folder{"Game.pak": next})
	if bill.Known > 8<<10 {
		t.Errorf("%d bytes to know what to fetch", bill.Known)
	}
	t.Logf("%d bytes to know what, %d fetched", bill.Known, bill.Fetch)
}

// withBlockSize writes the block size of each entry of one block anew.
func withBlockSize(t *testing.T, pak []byte, size uint32) []byte {
	t.Helper()
	pak = bytes.Clone(pak)
	a, err := unrealpak.Format().Open(t.Context(), codecs.Source{ReaderAt: bytes.NewReader(pak), Name: "x.pak", Size: int64(len(pak))}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = a.Close() }()
	n := 0
	for e, err := range a.Entries() {
		if err != nil {
			t.Fatal(err)
		}
		if e.Method == compress.Zlib && len(e.Blocks) <= 1 {
			binary.LittleEndian.PutUint32(pak[e.Offset-4:], size)
			n++
		}
	}
	if n == 0 {
		t.Fatal("no entry of one block")
	}
	return pak
}

// One entry of many is changed: what a client must know of the others is little.
func TestOneOfMany(t *testing.T) {
	testkit.NotShort(t)
	list, dir := assets(testkit.Of(2000, 4000), 300), t.TempDir()
	old := folder{"Game.pak": pakOf(t, codecs.CreateOptions{}, list)}
	list[len(list)/2].Data = []byte("changed")
	changed := folder{"Game.pak": pakOf(t, codecs.CreateOptions{}, list)}
	runPublish(t, dir, "1", old)
	runPublish(t, dir, "2", changed, 1)
	mod := folder{"Game.pak": bytes.Clone(old["Game.pak"])}
	mod["Game.pak"] = append(mod["Game.pak"], 0) // the patch between files does not fit
	at := mod.write(t, t.TempDir())
	bill, r, err := runUpdate(t.Context(), dir, at, "")
	if err != nil {
		t.Fatal(err)
	}
	same(t, "one of many", readFolder(t, at), changed)
	if bill.Known > 8<<10 || bill.Fetch > 64<<10 {
		t.Errorf("%d bytes to know what to fetch, %d fetched", bill.Known, bill.Fetch)
	}
	t.Logf("%d bytes to know what, %d in all", bill.Known, r.Fetched())
}

// Content that moves out of a file that stays as it is, is not fetched.
func TestMovedOutOfUnchanged(t *testing.T) {
	testkit.NotShort(t)
	list, dir := assets(60, 8000), t.TempDir()
	a, b := pakOf(t, codecs.CreateOptions{}, list[:40]), pakOf(t, codecs.CreateOptions{}, list[40:])
	runPublish(t, dir, "1", folder{"a.pak": a, "b.pak": b})
	next := folder{"a.pak": a, "b.pak": pakOf(t, codecs.CreateOptions{}, list[20:])}
	runPublish(t, dir, "2", next)
	at := folder{"a.pak": a, "b.pak": b}.write(t, t.TempDir())
	bill, _, err := runUpdate(t.Context(), dir, at, "")
	if err != nil {
		t.Fatal(err)
	}
	same(t, "moved", readFolder(t, at), next)
	if bill.Looked != int64(len(a)) || bill.Fetch > 20_000 {
		t.Errorf("%d bytes looked at, %d fetched", bill.Looked, bill.Fetch)
	}
}

// What repeats over more than a frame is fetched as a whole: about what zstd makes
// of the file.
func TestWhole(t *testing.T) {
	testkit.NotShort(t)
	r := rand.New(rand.NewPCG(3, 3))
	var lines [][]byte
	for range 3000 {
		lines = append(lines, prose(r, 60))
	}
	var b []byte
	for len(b) < testkit.Of(300<<10, 1<<20) {
		b = append(append(b, lines[r.IntN(len(lines))]...), '\n')
	}
	z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression))
	if err != nil {
		t.Fatal(err)
	}
	limit := int64(len(z.EncodeAll(b, nil)))
	dir, at := t.TempDir(), filepath.Join(t.TempDir(), "new")
	runPublish(t, dir, "1", folder{"big.txt": b, "small.txt": b[:3000]})
	bill, r2, err := runUpdate(t.Context(), dir, at, "")
	if err != nil {
		t.Fatal(err)
	}
	same(t, "whole", readFolder(t, at), folder{"big.txt": b, "small.txt": b[:3000]})
	if bill.ByDelta != 1 || r2.Fetched() > limit+limit/10 {
		t.Errorf("%d files by a patch, %d bytes fetched, zstd makes %d", bill.ByDelta, r2.Fetched(), limit)
	}
	t.Logf("%d bytes fetched, zstd makes %d", r2.Fetched(), limit)
}

// A store is public: what is encrypted stays so, whatever keys the publisher has.
func TestEncryptedStays(t *testing.T) {
	secret := []byte("a secret that nobody may read in a store, and long enough to be found")
	list := []deltatest.Content{{Name: "Game/a.txt", Data: bytes.Repeat(secret, 40)}, {Name: "Game/b.txt", Data: prose(rand.New(rand.NewPCG(1, 1)), 5000)}}
	keys := func([16]byte) []byte { return bytes.Repeat([]byte{7}, 32) }
	dir := t.TempDir()
	for i, o := range []codecs.CreateOptions{{Keys: keys, Encrypt: true}, {Keys: keys, Encrypt: true, EncryptIndex: true}} {
		list[0].Data = append(list[0].Data, byte('0'+i))
		want := folder{"Game.pak": pakOf(t, o, list)}
		publishWith(t, dir, fmt.Sprint(i), want, &publish.Options{Registry: all.Registry(), Open: &codecs.Options{Keys: keys}, Deltas: 1})
		at := t.TempDir()
		if _, _, err := runUpdate(t.Context(), dir, at, ""); err != nil { // without keys
			t.Fatal(err)
		}
		same(t, "encrypted", readFolder(t, at), want)
	}
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	decoded := 0
	for name, b := range readFolder(t, dir) {
		if err := d.Reset(bytes.NewReader(b)); err != nil {
			t.Fatal(err)
		}
		var plain bytes.Buffer
		n, _ := io.Copy(&plain, d) // up to where no frame follows
		decoded += int(n)
		for _, what := range [][]byte{secret[:20], []byte("Game/a.txt")} {
			indexed := string(what) == "Game/a.txt" && strings.HasPrefix(name, "p/") // the first pak's index is not encrypted
			if !indexed && (bytes.Contains(b, what) || bytes.Contains(plain.Bytes(), what)) {
				t.Errorf("%s has %q", name, what)
			}
		}
	}
	if decoded < 2000 {
		t.Errorf("only %d bytes of the store could be looked at", decoded)
	}
}

func publishWith(t *testing.T, dir, label string, f folder, o *publish.Options) *publish.Published {
	t.Helper()
	files, err := delta.OpenFiles([]string{f.write(t, t.TempDir())})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = files.Close() }()
	p, err := publish.Publish(quick(t.Context()), dir, label, files.Inputs, o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
