package maker_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/codecs/gpak"
	"pakdb/codecs/iostore"
	"pakdb/codecs/retropak"
	"pakdb/codecs/unrealpak"
	"pakdb/internal/testkit"
)

// tabled is a kind of archive whose tables cost something.
type tabled struct {
	name   string
	format *codecs.Format
	opt    codecs.CreateOptions
	file   string
}

func tabledKinds() []tabled {
	unreal := func(version string) tabled {
		return tabled{"unreal " + version, unrealpak.Format(), codecs.CreateOptions{Version: version, Method: compress.Zlib}, "x.pak"}
	}
	retro := func(version string) tabled {
		return tabled{"retro " + version, retropak.Format(), codecs.CreateOptions{Version: version}, "x.pak"}
	}
	return []tabled{
		unreal("3"), unreal("5"), unreal("8B"), unreal("11"), unreal("12"),
		{"iostore", iostore.Format(), codecs.CreateOptions{MountPoint: "../../../Game/Content/", Method: compress.Zlib}, "x.utoc"},
		{"sip", gpak.Format(), codecs.CreateOptions{}, "x.sip"},
		retro("MP1"), retro("MP3"),
	}
}

// asset is an entry: its content follows from seed and size.
type asset struct {
	n          int
	name, kind string
	seed       uint64
	size       int
	touched    bool
}

func assets(n int) []asset {
	r := rand.New(rand.NewPCG(7, uint64(n)))
	list := make([]asset, n)
	for i := range list {
		dir := fmt.Sprintf("%s/%s%d", []string{"Characters", "Maps", "Audio/Music", "UI"}[r.IntN(4)], []string{"Hero", "Area", "Set"}[r.IntN(3)], r.IntN(12))
		list[i] = asset{i, fmt.Sprintf("%s/%s_%04x.uasset", dir, []string{"Mesh", "Texture", "Sound"}[r.IntN(3)], i*7919%65536),
			[]string{"TXTR", "CMDL", "STRG"}[r.IntN(3)], r.Uint64(), 300 + r.IntN(1500), false}
	}
	return list
}

// again is what changing an entry costs that was changed before: if it has both
// another name and another content, all of it.
func (a *asset) again() int {
	if a.touched {
		return a.size
	}
	a.touched = true
	return 0
}

func (a asset) content() []byte {
	r := rand.New(rand.NewPCG(a.seed, 1))
	b := make([]byte, a.size)
	for i := range b {
		b[i] = byte(r.Uint32() & 0x1f)
	}
	return b
}

// id is that of a Retro resource.
func (a asset) id(k tabled) string {
	width := 16
	if k.opt.Version == "MP1" {
		width = 8
	}
	return fmt.Sprintf("%s/%0*x", a.kind, width, uint64(a.n+1)*0x9e3779b97f4a7c15>>(64-4*width))
}

// write makes an archive of assets in a folder, which it returns.
func (k tabled) write(t testing.TB, list []asset) string {
	t.Helper()
	dir := t.TempDir()
	err := codecs.WriteFile(context.Background(), filepath.Join(dir, k.file), k.format, &k.opt, func(w codecs.Writer) error {
		for _, a := range list {
			e := &codecs.Entry{Name: a.name}
			if strings.HasPrefix(k.name, "retro") {
				e.Name = a.id(k)
			}
			if err := w.Add(context.Background(), e, bytes.NewReader(a.content())); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// changes are what updates do to a list of assets.
func changes() []struct {
	name string
	do   func([]asset) []asset
} {
	return []struct {
		name string
		do   func([]asset) []asset
	}{
		{"same", func(l []asset) []asset { return l }},
		{"11 removed", func(l []asset) []asset {
			for i := range 11 {
				at := (i*len(l)/11 + 5) % len(l)
				l = slices.Delete(l, at, at+1)
			}
			return l
		}},
		{"shuffled", func(l []asset) []asset {
			rand.New(rand.NewPCG(3, 3)).Shuffle(len(l), func(i, j int) { l[i], l[j] = l[j], l[i] })
			return l
		}},
		{"one added", func(l []asset) []asset {
			return slices.Insert(l, len(l)/3, asset{1 << 20, "Maps/Area3/Mesh_new.uasset", "TXTR", 99, 100, false})
		}},
		{"one enlarged", func(l []asset) []asset {
			l[len(l)/2].size += 100
			return l
		}},
		{"one renamed", func(l []asset) []asset {
			l[len(l)/4].name, l[len(l)/4].n = "Maps/Area5/Texture_renamed.uasset", 1<<21
			return l
		}},
	}
}

// coded is what a changed entry costs at most beside what its tables do: of those
// that no recipe makes, all of it.
func (k tabled) coded(size int) int {
	if k.opt.Version == "MP1" || k.opt.Version == "MP3" {
		return size
	}
	return 0
}

// TestTableCosts states what archives' tables cost: 11 entries removed, one
// added, enlarged or renamed, or all of them in another order.
func TestTableCosts(t *testing.T) {
	t.Parallel()
	n := testkit.Of(300, 1200)
	for _, k := range testkit.Some(tabledKinds(), 2) {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			old := k.write(t, assets(n))
			for _, c := range changes() {
				size := roundTrip(t, []string{old}, []string{k.write(t, c.do(assets(n)))})
				t.Logf("%s: %d", c.name, size)
				limit := 450
				switch c.name {
				case "shuffled":
					limit += 22 * n / 10
				case "one enlarged":
					limit += k.coded(1800)
				}
				if size > limit {
					t.Errorf("%s: %d bytes, at most %d expected", c.name, size, limit)
				}
			}
		})
	}
}

// TestMergedTables: several paks become one of another name, and it becomes
// several; where path hashes have a seed, each has its own.
func TestMergedTables(t *testing.T) {
	testkit.NotShort(t)
	t.Parallel()
	for _, version := range testkit.Some([]string{"11", "3", "5", "8B", "10", "12"}, 2) {
		t.Run(version, func(t *testing.T) {
			n := 0
			write := func(list []asset) string {
				n++
				k := tabled{"unreal", unrealpak.Format(), codecs.CreateOptions{Version: version, Method: compress.Zlib}, fmt.Sprintf("%d.pak", n)}
				if len(version) == 2 && version != "8B" {
					k.opt.Seed = uint64(n) * 0x12345678
				}
				return k.write(t, list)
			}
			list := assets(200)
			parts := []string{write(list[:80]), write(list[75:150]), write(list[150:])} // five of them twice
			merged := write(slices.Concat(list[100:180], list[:100], list[190:]))
			limit := 200
			if version == "3" { // the records before entries of other paks say where these were
				limit = 1250
			}
			if size := roundTrip(t, parts, []string{merged}); size > limit {
				t.Errorf("merged: %d bytes, at most %d expected", size, limit)
			}
			if size := roundTrip(t, []string{merged}, parts); size > 11_000 {
				t.Errorf("parted: %d bytes", size)
			}
			if size := roundTrip(t, parts[:1], []string{write(list[:80])}); size > 116 { // of these 16 are the hash of the file that goes
				t.Errorf("renamed: %d bytes", size)
			}
		})
	}
}

// TestTablesOfAnyBuild: whatever becomes of the entries, the patch makes the new
// archive, and costs no more than what changed does.
func TestTablesOfAnyBuild(t *testing.T) {
	t.Parallel()
	kinds := tabledKinds()
	rapid.Check(t, func(r *rapid.T) {
		k := kinds[rapid.IntRange(0, len(kinds)-1).Draw(r, "kind")]
		list := assets(rapid.IntRange(0, 40).Draw(r, "entries"))
		old := k.write(t, list)
		cost := 0
		for i := range rapid.IntRange(0, 12).Draw(r, "changes") {
			at := 0
			if len(list) > 0 {
				at = rapid.IntRange(0, len(list)-1).Draw(r, "at")
			}
			fresh := asset{1<<20 + i, fmt.Sprintf("New/%d/Ünïcode%d.uasset", i%3, i), "TXTR", uint64(i), 10 * i, false}
			switch what := rapid.IntRange(0, 4).Draw(r, "what"); {
			case what == 0 || len(list) == 0:
				list = slices.Insert(list, at, fresh)
				cost += 100 + 10*i
			case what == 1:
				list = slices.Delete(list, at, at+1)
				cost += 30
			case what == 2:
				to := rapid.IntRange(0, len(list)-1).Draw(r, "to")
				list[at], list[to] = list[to], list[at]
				cost += 60
			case what == 3:
				cost += list[at].again() + 120 + k.coded(list[at].size)
				list[at].size += 7
			default:
				cost += list[at].again() + 60 + k.coded(list[at].size)
				list[at].name, list[at].n = fresh.name, fresh.n
			}
		}
		size := roundTrip(t, []string{old}, []string{k.write(t, list)})
		if limit := 500 + 2*cost; size > limit {
			r.Errorf("%s: %d bytes, at most %d expected", k.name, size, limit)
		}
	})
}
