package show_test

import (
	"context"
	"slices"
	"testing"

	"pakdb/internal/testkit/schematest"
	"pakdb/query/show"
	"pakdb/schema"
)

// piece is an entry of 10 bytes at an offset, with the ids that it refers to.
type piece struct {
	typ   string
	id    uint64
	off   int64
	needs []int64
	weak  bool
}

// localities makes a build of two archives, of which the second has no names,
// and measures its named resources.
func localities(t *testing.T, weak bool, first, second []piece, names ...schema.Name) []show.Locality {
	t.Helper()
	g := open(t, func(b *schema.Build) {
		content := byte(0)
		for i, pieces := range [][]piece{first, second} {
			id := schematest.Start(t, b, schema.Archive{Format: "test", Quick: schema.Digest{byte(i)}})
			for n, p := range pieces {
				content++
				e := &schema.Entry{Ordinal: int64(n), Name: p.typ + "/" + string(rune('a'+p.id)), Type: p.typ, Method: "none",
					ID: [2]uint64{0, p.id}, IDBits: 32, Offset: p.off, Stored: 10, HasContent: true, Content: schema.Digest{content},
					Facts:   &schema.Facts{Inspector: "test/1", Kind: "test"},
					Symbols: []schema.Symbol{{Space: "asset", Key: int64(p.id)}}}
				for _, need := range p.needs {
					ref := schema.Ref{Kind: "parsed", Space: "asset", Key: need}
					if p.weak {
						ref.Flags = 1
					}
					e.Facts.Refs = append(e.Facts.Refs, ref)
				}
				if err := b.Add(id, e); err != nil {
					t.Fatal(err)
				}
			}
			if i == 0 {
				for n, name := range names {
					name.Ordinal, name.IDBits = int64(n), 32
					b.AddName(id, name)
				}
			}
			b.EndArchive(id, nil)
			b.Mount(schema.Mount{Archive: id, Name: string(rune('A' + i))})
		}
	})
	all, err := g.Locality(context.Background(), weak)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func name(name, typ string, id uint64) schema.Name {
	return schema.Name{Name: name, Type: typ, ID: [2]uint64{0, id}}
}

func TestLocality(t *testing.T) {
	base := show.Locality{Archive: "A", Name: "x", Path: "MLVL/b"}
	for _, tt := range []struct {
		name          string
		weak          bool
		first, second []piece
		root          schema.Name
		want          show.Locality // what differs from base
	}{
		{"packed well", false, []piece{{typ: "TXTR", id: 2, off: 0}, {typ: "TXTR", id: 3, off: 10}, {typ: "MLVL", id: 1, off: 20, needs: []int64{2, 3}}}, nil,
			name("x", "MLVL", 1), show.Locality{Entries: 3, Stored: 30, Spread: 30}},
		// 3 at 100, back to 2 at 0, on to 1 at 50
		{"out of order", false, []piece{{typ: "TXTR", id: 2, off: 0}, {typ: "MLVL", id: 1, off: 50, needs: []int64{3, 2}}, {typ: "TXTR", id: 3, off: 100}}, nil,
			name("x", "MLVL", 1), show.Locality{Entries: 3, Stored: 30, Spread: 110, Seek: 110 + 40, FileOrder: 80}},
		// begins at the copy of 2 at 100, because 200 is behind the world; then 3
		// ahead at 115, not at 95
		{"nearest copy ahead", false, []piece{{typ: "TXTR", id: 2, off: 0}, {typ: "TXTR", id: 3, off: 95}, {typ: "TXTR", id: 2, off: 100},
			{typ: "TXTR", id: 3, off: 115}, {typ: "MLVL", id: 1, off: 130, needs: []int64{2, 3}}, {typ: "TXTR", id: 2, off: 200}}, nil,
			name("x", "MLVL", 1), show.Locality{Entries: 3, Stored: 30, Spread: 40, Seek: 5 + 5, FileOrder: 10}},
		{"nearest copy behind", false, []piece{{typ: "TXTR", id: 3, off: 0}, {typ: "TXTR", id: 3, off: 20}, {typ: "TXTR", id: 2, off: 40},
			{typ: "MLVL", id: 1, off: 50, needs: []int64{2, 3}}}, nil,
			name("x", "MLVL", 1), show.Locality{Entries: 3, Stored: 30, Spread: 40, Seek: 30 + 20, FileOrder: 10}},
		{"in another archive", false, []piece{{typ: "MLVL", id: 1, off: 0, needs: []int64{4, 9}}}, []piece{{typ: "CMDL", id: 4, off: 700, needs: []int64{1}}},
			name("x", "MLVL", 1), show.Locality{Entries: 1, Stored: 10, Spread: 10, Elsewhere: 1}},
		{"circle", false, []piece{{typ: "CMDL", id: 4, off: 0, needs: []int64{1, 4}}, {typ: "MLVL", id: 1, off: 10, needs: []int64{4, 1}}}, nil,
			name("x", "MLVL", 1), show.Locality{Entries: 2, Stored: 20, Spread: 20}},
		{"weak, not followed", false, []piece{{typ: "TXTR", id: 2, off: 0}, {typ: "MLVL", id: 1, off: 50, needs: []int64{2}, weak: true}}, nil,
			name("x", "MLVL", 1), show.Locality{Entries: 1, Stored: 10, Spread: 10}},
		{"weak, followed", true, []piece{{typ: "TXTR", id: 2, off: 0}, {typ: "MLVL", id: 1, off: 50, needs: []int64{2}, weak: true}}, nil,
			name("x", "MLVL", 1), show.Locality{Entries: 2, Stored: 20, Spread: 60, Seek: 40, FileOrder: 40}},
		{"loaded alone", false, []piece{{typ: "TXTR", id: 2, off: 0}, {typ: "MLVL", id: 1, off: 50, needs: []int64{2}}}, nil,
			name("x_NODEPEND", "MLVL", 1), show.Locality{Name: "x_NODEPEND", Entries: 1, Stored: 10, Spread: 10}},
		{"of a type that is", false, []piece{{typ: "TXTR", id: 2, off: 0}, {typ: "CSNG", id: 3, off: 40, needs: []int64{2}}, {typ: "MLVL", id: 1, off: 50, needs: []int64{3}}}, nil,
			name("x", "MLVL", 1), show.Locality{Entries: 2, Stored: 20, Spread: 20}},
		{"name of nothing", false, []piece{{typ: "MLVL", id: 1, off: 0}}, nil, name("x", "TXTR", 1), show.Locality{Path: "-"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want := tt.want
			want.Archive = base.Archive
			if want.Name == "" {
				want.Name = base.Name
			}
			switch want.Path {
			case "":
				want.Path = base.Path
			case "-":
				want.Path = ""
			}
			if got := localities(t, tt.weak, tt.first, tt.second, tt.root); !slices.Equal(got, []show.Locality{want}) {
				t.Errorf("\ngot  %+v\nwant %+v", got, want)
			}
		})
	}
}
