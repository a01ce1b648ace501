package indexer_test

import (
	"fmt"
	"reflect"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/all"
	"pakdb/indexer"
	"pakdb/internal/testkit"
)

// withProperty returns a registry by whose mappings a class has one property more, in front
// of its own.
func withProperty(class string) *codecs.Registry {
	r := *all.Registry()
	values := *r.Values
	r.Values = &values
	read := values.Mappings
	values.Mappings = func(name string, data []byte) (*codecs.Mappings, error) {
		m, err := read(name, data)
		if err != nil {
			return nil, err
		}
		structs := reflect.ValueOf(m.Parsed).Elem().FieldByName("Structs")
		for i := range structs.Len() {
			s := structs.Index(i).Elem()
			if s.FieldByName("Name").String() != class {
				continue
			}
			fields := s.FieldByName("Fields")
			for k := range fields.Len() {
				position := fields.Index(k).FieldByName("Position")
				position.SetInt(position.Int() + 1)
			}
			first := reflect.New(fields.Type().Elem()).Elem()
			first.FieldByName("Name").SetString("Another")
			first.FieldByName("Count").SetInt(1)
			typ := reflect.New(first.FieldByName("Type").Type().Elem())
			for kind, k := typ.Elem().FieldByName("Kind"), uint64(0); fmt.Sprint(kind) != "Int"; k++ {
				kind.SetUint(k)
			}
			first.FieldByName("Type").Set(typ)
			all := reflect.MakeSlice(fields.Type(), 0, 1+fields.Len())
			fields.Set(reflect.AppendSlice(reflect.Append(all, first), fields))
			n := s.FieldByName("Positions")
			n.SetInt(n.Int() + 1)
		}
		return m, nil
	}
	return &r
}

// TestOtherMappings: where a class differs in the mappings and one of its objects cannot be
// read, all that was read by it is marked, and the report names the class. An object that
// is read in full, as other values, nobody can tell.
func TestOtherMappings(t *testing.T) {
	const unversioned = pakTwin + "Unversioned-Zlib/CUE4ParseFixtures-Minimal-Zlib-Windows"
	dir := sampleDir(t, zenTwin+"global.utoc", zenTwin+"global.ucas", unversioned+".utoc", unversioned+".ucas")
	c := newCatalog(t)
	right := c.mustScan(indexer.Options{Label: "right", Mappings: mappingsOf(t), Paths: []string{dir}})
	if len(right.Opaque.Doubted) > 0 {
		t.Errorf("%v do not fit their own mappings", right.Opaque.Doubted)
	}
	classes := testkit.Some([]string{"Texture2D", "DataTable", "SceneComponent", "BodySetup"}, 1)
	if testkit.All() {
		classes = c.rows("SELECT DISTINCT class FROM properties WHERE build = 'right' AND origin IN ('list', 'zero')")
	}
	wrong, silent := 0, 0
	for i, class := range classes {
		m := mappingsOf(t)
		m[0].Data = append(m[0].Data, byte(i)) // other ones
		report := c.scanWith(withProperty(class), indexer.Options{Label: "wrong", Mappings: m, Paths: []string{dir}})
		got := c.rows(`SELECT count(*), coalesce(sum(w.origin <> 'guessed'), 0) FROM properties w
			LEFT JOIN properties r ON r.build = 'right' AND r.path = w.path AND r.export = w.export AND r.field = w.field AND r.value IS w.value
			WHERE w.build = 'wrong' AND r.path IS NULL`)[0]
		var differ, unmarked int
		if _, err := fmt.Sscanf(got, "%d|%d", &differ, &unmarked); err != nil {
			t.Fatal(err)
		}
		wrong, silent = wrong+differ, silent+unmarked
		if len(report.Opaque.Doubted) > 0 && unmarked > 0 || len(report.Opaque.Doubted) == 0 && !testkit.All() {
			t.Errorf("%s: %d of %d wrong values are not marked; doubted are %v", class, unmarked, differ, report.Opaque.Doubted)
		}
	}
	t.Logf("%d of %d wrong values are not marked", silent, wrong)
	if wrong == 0 {
		t.Error("nothing is wrong")
	}
}
