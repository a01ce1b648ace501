package mods_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/gpak"
	"pakdb/codecs/internal/property"
	"pakdb/codecs/mods"
	"pakdb/internal/testkit"
)

func sipFiles(t *testing.T, name string) (map[string][]byte, *mods.Database) {
	t.Helper()
	files := map[string][]byte{}
	src := codecstest.OpenFile(t, codecstest.Sample(t, "gpak", name))
	for _, it := range codecstest.Items(t, codecstest.Open(t, gpak.Format(), src, nil)) {
		files[it.Entry.Name] = it.Data
	}
	return files, mods.NewDatabase(maps.Keys(files), func(path string) ([]byte, error) { return files[path], nil })
}

// Every value of the game database is changed and back again: only it differs in between,
// and the file is the same after.
func TestPrototypes(t *testing.T) {
	changed, refused := map[string]int{}, 0
	for _, sip := range []string{"Calligraphy_v10_mhpaktool.sip", "Calligraphy_v11_mhpaktool.sip", "mu_cdata_1.5.sip", "mu_cdata_1.6.sip"} {
		files, db := sipFiles(t, sip)
		for name, content := range files {
			if !mods.IsPrototype(name) {
				continue
			}
			p, err := mods.OpenPrototype(name, content, db, true) // some assets are of no type
			if err != nil {
				if path.Base(name) != "Noise.curve" && !errors.Is(err, codecs.ErrCorrupt) && len(content) > 0 {
					t.Errorf("%s: %s: %v", sip, name, err)
				}
				continue
			}
			fields := p.Fields()
			few := testkit.Of(12, 1000)
			if len(content) > 1<<16 {
				few = 2
			}
			for _, field := range fields[:min(len(fields), few)] {
				old, err := p.Get("", field)
				if err != nil {
					t.Errorf("%s: %s: %s: %v", sip, name, field, err)
					continue
				}
				to := "none"
				switch v := old.(type) {
				case float64:
					to = "28.8"
				case int64:
					to = "-4711"
				case string:
					if v == "0" || v == "1" {
						to = map[string]string{"0": "1", "1": "0"}[v]
					}
				}
				err = p.Set("", field, to)
				if errors.Is(err, property.ErrRefused) {
					refused++ // an embedded prototype
					continue
				}
				after, _, _ := p.Files(context.Background())
				if err != nil || differences(content, after) > 1 {
					t.Errorf("%s: %s: %s: %v, %d ranges differ", sip, name, field, err, differences(content, after))
				}
				if err := p.Set("", field, fmt.Sprint(old)); err != nil {
					t.Errorf("%s: %s: %s: %v", sip, name, field, err)
				}
				changed[fmt.Sprintf("%T", old)]++
				if after, _, _ := p.Files(context.Background()); !bytes.Equal(after, content) {
					t.Fatalf("%s: %s: %s: other bytes", sip, name, field)
				}
			}
		}
	}
	t.Logf("%v values changed, %d embedded prototypes", changed, refused)
	if changed["float64"] < 100 || changed["int64"] < 20 || changed["string"] < 100 || refused == 0 {
		t.Error("few values")
	}
}

// differences counts the words of 8 bytes around the first and the last difference.
func differences(a, b []byte) int {
	if len(a) != len(b) {
		return 2
	}
	first, last := -1, 0
	for i := range a {
		if a[i] != b[i] {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	return (last - first + 8) / 8
}

func TestPrototypeLists(t *testing.T) {
	files, db := sipFiles(t, "Calligraphy_v11_mhpaktool.sip")
	const name = "Calligraphy/PvP/FactionMode/Modes/FactionMode1Shutdown_Moved.prototype"
	open := func() *mods.Prototype {
		p, err := mods.OpenPrototype(name, files[name], db, false)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	p := open()
	for _, e := range []mods.Edit{
		{Op: mods.Append, Field: "Keywords10", Value: "Calligraphy/Metagame/Blueprints/MetaGameModeShutdown.defaults"},
		{Op: mods.Remove, Field: "Keywords10[0]"},
		{Op: mods.Multiply, Field: "Effect10.Count10", Value: "1.2"},
		{Op: mods.Set, Field: "icon10", Value: "Asset_1_3"},
	} {
		if err := p.Apply(e); err != nil {
			t.Fatalf("%+v: %v", e, err)
		}
	}
	content, _, _ := p.Files(context.Background())
	q, err := mods.OpenPrototype(name, content, db, false)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range q.Fields() {
		v, _ := q.Get("", f)
		got = append(got, fmt.Sprint(f, "=", v))
	}
	for _, want := range []string{"Effect10.Count10=60", "Icon10=Asset_1_3",
		"Keywords10[0]=Calligraphy/Metagame/Blueprints/MetaGameModeShutdown.defaults", "Keywords10[1]=Calligraphy/Metagame/Blueprints/MetaGameModeShutdown.defaults"} {
		if !slices.Contains(got, want) {
			t.Errorf("no %s in %v", want, got)
		}
	}
	for _, c := range []struct {
		e     mods.Edit
		class error
		want  string
	}{
		{mods.Edit{Op: mods.Set, Field: "Damge10", Value: "1"}, codecs.ErrNotFound, "no field Damge10"},
		{mods.Edit{Op: mods.Set, Field: "Damage10", Value: "much"}, property.ErrValue, `Damage10: "much": want a number`},
		{mods.Edit{Op: mods.Set, Field: "Count10", Value: "9223372036854775808"}, property.ErrValue, "integer of 64 bits"},
		{mods.Edit{Op: mods.Set, Field: "On10", Value: "2"}, property.ErrValue, "want 1 or 0"},
		{mods.Edit{Op: mods.Set, Field: "Icon10", Value: "Asset"}, property.ErrValue, "want one of Asset_1_0, "},
		{mods.Edit{Op: mods.Set, Field: "Name10", Value: "A text"}, property.ErrValue, "the id of a text"},
		{mods.Edit{Op: mods.Set, Field: "Curve10", Value: "Calligraphy/None.curve"}, codecs.ErrNotFound, "no curve Calligraphy/None.curve in the archive"},
		{mods.Edit{Op: mods.Set, Field: "Curve10", Value: "Calligraphy/None.type"}, property.ErrValue, "want the path of a curve"},
		{mods.Edit{Op: mods.Set, Field: "Effect10", Value: "none"}, property.ErrRefused, "embedded prototype"},
		{mods.Edit{Op: mods.Remove, Field: "Damage10"}, property.ErrRefused, "only elements of lists"},
		{mods.Edit{Op: mods.Copy, Field: "Damage10", Value: "X"}, property.ErrRefused, "copy in a prototype"},
		{mods.Edit{Op: mods.Append, Field: "Damage10", Value: "1"}, codecs.ErrNotFound, "no field"},
	} {
		p := open()
		if err := p.Apply(c.e); !errors.Is(err, c.class) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.e, err, c.want)
		}
		if content, _, _ := p.Files(context.Background()); !bytes.Equal(content, files[name]) {
			t.Errorf("%+v: other bytes", c.e)
		}
	}
}
