package property_test

import (
	"errors"
	"strings"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/internal/property"
)

// exportC reads the unversioned fixture with other schemas.
func exportC(t *testing.T, lib *property.Library) *property.Export {
	t.Helper()
	all := handmade()
	f := all[len(all)-1]
	var o property.Export
	property.NewDecoder(f.facts(), property.Options{Schemas: lib}).Export(&o, 0, f.bytes(t))
	return &o
}

// Schemas that cannot be used lose the list, and say which class is to blame.
func TestBadSchemas(t *testing.T) {
	cycle := property.NewLibrary()
	cycle.Add(&property.Schema{Name: "C", Path: "/Script/G", Super: "D", SuperPath: "/Script/G", Positions: 1})
	cycle.Add(&property.Schema{Name: "D", Path: "/Script/G", Super: "C", SuperPath: "/Script/G", Positions: 1})
	huge := property.NewLibrary()
	huge.Add(&property.Schema{Name: "C", Path: "/Script/G", Positions: 1 << 30})
	orphan := property.NewLibrary()
	orphan.Add(&property.Schema{Name: "C", Path: "/Script/G", Super: "Gone", SuperPath: "/Script/G", Positions: 1})
	hole := property.NewLibrary()
	hole.Add(&property.Schema{Name: "C", Path: "/Script/G", Positions: 9})
	other := property.NewLibrary()
	other.Add(&property.Schema{Name: "C", Path: "/Script/Other", Positions: 9})
	for _, c := range []struct {
		name    string
		lib     *property.Library
		class   error
		says    string
		missing string
	}{
		{"none", property.NewLibrary(), codecs.ErrNotFound, "no schema for /Script/G.C", "/Script/G.C"},
		{"a cycle of parents", cycle, codecs.ErrLimit, "parents of C: 64", ""},
		{"positions", huge, codecs.ErrLimit, "1073741824 positions", ""},
		{"no parent", orphan, codecs.ErrNotFound, "no schema for /Script/G.Gone", "/Script/G.Gone"},
		{"an editor's property", hole, codecs.ErrNotFound, "position 0, of a property that mappings leave out", ""},
		{"of another package", other, codecs.ErrNotFound, "no schema for /Script/G.C", "/Script/G.C"},
	} {
		o := exportC(t, c.lib)
		if o.Status != property.Lost || !errors.Is(o.Why, c.class) || !strings.Contains(o.Why.Error(), c.says) {
			t.Errorf("%s: %s, %v; want %q", c.name, o.Status, o.Why, c.says)
		}
		if o.Coverage.Lost != 1 || (c.missing != "") != (o.Coverage.Missing[c.missing] == 1) || c.missing == "" && len(o.Coverage.Missing) > 0 {
			t.Errorf("%s: %+v", c.name, o.Coverage)
		}
	}
}

// Libraries on top of others: the own schema comes first, names without case.
func TestLibrary(t *testing.T) {
	base := property.NewLibrary()
	base.Add(&property.Schema{Name: "A", Path: "/P", Positions: 1})
	base.AddEnum(&property.EnumSchema{Name: "E", Path: "/P", Members: []property.Member{{Name: "X", Value: 3}}})
	base.Add(&property.Schema{Name: "Bare"})
	top := property.NewLibrary(base)
	top.Add(&property.Schema{Name: "A", Path: "/P", Positions: 2})
	for _, c := range []struct {
		path, name string
		want       int // positions; -1: none
	}{{"/P", "A", 2}, {"/p", "a", 2}, {"", "a", 2}, {"/Q", "A", -1}, {"/Any", "bare", 0}, {"", "none", -1}} {
		s := top.Struct(c.path, c.name)
		if (s == nil) != (c.want < 0) || s != nil && s.Positions != c.want {
			t.Errorf("%s.%s: %+v, want %d", c.path, c.name, s, c.want)
		}
	}
	if e := top.Enum("/P", "e"); e == nil || e.NameOf(3) != "X" || e.NameOf(0) != "" {
		t.Errorf("%+v", e)
	}
}

// TestFlags: a value of several flags is named as tags name it, and no other value is.
func TestFlags(t *testing.T) {
	flags := &property.EnumSchema{Name: "EMask", Members: []property.Member{{"None", 0}, {"Near", 1}, {"Far", 8}, {"Top", 4}, {"EMask_MAX", 16}}}
	numbered := &property.EnumSchema{Name: "EKind", Members: []property.Member{{"Red", 0}, {"Green", 1}, {"Blue", 2}, {"Grey", 3}, {"Black", 4}, {"EKind_MAX", 5}}}
	for _, tt := range []struct {
		enum *property.EnumSchema
		v    int64
		want string
	}{{flags, 0, "None"}, {flags, 8, "Far"}, {flags, 9, "Near | Far"}, {flags, 13, "Near | Top | Far"}, {flags, 3, ""}, {flags, 17, ""}, {flags, -1, ""},
		{numbered, 3, "Grey"}, {numbered, 5, "EKind_MAX"}, {numbered, 6, ""}} {
		if got := tt.enum.NameOf(tt.v); got != tt.want {
			t.Errorf("%s %d: %q, want %q", tt.enum.Name, tt.v, got, tt.want)
		}
	}
}
