package mods_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"pakdb/codecs/codecstest"
	"pakdb/codecs/internal/property"
	"pakdb/codecs/mods"
	"pakdb/codecs/unreal"
)

// A field of a package of UE1 to UE3 that is removed, and set again, has the value that it had,
// and no other differs.
func TestClassicRemovedAndAdded(t *testing.T) {
	back, refused := 0, map[string]int{}
	for _, s := range classicSamples(t) {
		first := s.open(t)
		for i := range first.Objects() {
			d, err := first.Draft(i)
			if err != nil {
				t.Fatalf("%s: %d: %v", s.name, i, err)
			}
			if len(d.List().Nodes) == 0 {
				continue
			}
			for _, n := range d.List().Children(-1) {
				object, field := fmt.Sprint("#", i), n.Name
				if n.Index > 0 {
					field = fmt.Sprintf("%s[%d]", field, n.Index)
				}
				p := s.open(t)
				old, err := p.Get(object, field)
				if err != nil {
					t.Fatal(err)
				}
				if err = p.Remove(object, field); err == nil {
					err = p.Set(object, field, fmt.Sprint(old))
				}
				var none *property.NoFieldError
				if errors.As(err, &none) || errors.Is(err, property.ErrRefused) || errors.Is(err, property.ErrValue) {
					refused[n.Type.String()]++
					continue
				}
				if err != nil {
					t.Errorf("%s: %s.%s: %v", s.name, object, field, err)
					continue
				}
				asset, _, err := p.Files(context.Background())
				if errors.Is(err, unreal.ErrInside) {
					continue
				}
				if err != nil {
					t.Errorf("%s: %s.%s: %v", s.name, object, field, err)
					continue
				}
				back++
				q := s.after(asset, nil).open(t)
				y, err := q.Draft(i)
				if err != nil {
					t.Errorf("%s: %v", s.name, err)
					continue
				}
				for _, c := range property.Changed(first.Decoder(), d.List(), q.Decoder(), y.List()) {
					t.Errorf("%s: %s.%s: %s was %q, is %q", s.name, object, field, c.Path, c.Old, c.New)
				}
			}
		}
	}
	if t.Logf("%d fields were added again; refused %v", back, refused); back < 50 {
		t.Error("most are refused")
	}
}

// Each kind of value, in each generation; texts so long that the sizes around them take more
// bytes, and counts that do.
func TestClassicKinds(t *testing.T) {
	long := strings.Repeat("long ", 15_000)
	for _, tt := range []struct{ sample, object, field, value string }{
		{"TestUC1.u", "DefaultProperties", "Byte", "7"},
		{"TestUC1.u", "DefaultProperties", "Int", "-123456"},
		{"TestUC1.u", "DefaultProperties", "Float", "28.8"},
		{"TestUC1.u", "DefaultProperties", "NameProperty", "PakdbNewName"},
		{"TestUC1.u", "DefaultProperties", "String", "short"},
		{"TestUC1.u", "DefaultProperties", "String", long},
		{"TestUC1.u", "DefaultProperties", "String", "ein längerer Text, ☃"},
		{"TestUC1.u", "DefaultProperties", "Object", "None"},
		{"TestUC1.u", "DefaultProperties", "IntFixedArray[1]", "77"},
		{"TestUC1.u", "DefaultProperties", "Vector.Y", "-2.5"},
		{"TestUC1.u", "DefaultProperties", "Color.G", "9"},
		{"TestUC1.u", "DefaultProperties", "Struct.String", long},
		{"TestUC2.u", "DefaultProperties", "Byte", "7"},
		{"TestUC2.u", "DefaultProperties", "Int", "-123456"},
		{"TestUC2.u", "DefaultProperties", "Float", "28.8"},
		{"TestUC2.u", "DefaultProperties", "NameProperty", "PakdbNewName"},
		{"TestUC2.u", "DefaultProperties", "String", "short"},
		{"TestUC2.u", "DefaultProperties", "String", long},
		{"TestUC2.u", "DefaultProperties", "String", "ein längerer Text, ☃"},
		{"TestUC2.u", "DefaultProperties", "Object", "None"},
		{"TestUC2.u", "DefaultProperties", "IntFixedArray[1]", "77"},
		{"TestUC2.u", "DefaultProperties", "Vector.Y", "-2.5"},
		{"TestUC2.u", "DefaultProperties", "Color.G", "9"},
		{"TestUC2.u", "DefaultProperties", "Struct.String", long},
		{"TestUC3.u", "Default__DefaultProperties", "Byte", "7"},
		{"TestUC3.u", "Default__DefaultProperties", "Int", "-123456"},
		{"TestUC3.u", "Default__DefaultProperties", "Float", "28.8"},
		{"TestUC3.u", "Default__DefaultProperties", "NameProperty", "PakdbNewName"},
		{"TestUC3.u", "Default__DefaultProperties", "String", "short"},
		{"TestUC3.u", "Default__DefaultProperties", "String", long},
		{"TestUC3.u", "Default__DefaultProperties", "String", "ein längerer Text, ☃"},
		{"TestUC3.u", "Default__DefaultProperties", "Object", "None"},
		{"TestUC3.u", "Default__DefaultProperties", "IntFixedArray[1]", "77"},
		{"TestUC3.u", "Default__DefaultProperties", "Vector.Y", "-2.5"},
		{"TestUC3.u", "Default__DefaultProperties", "Color.G", "9"},
		{"TestUC3.u", "Default__DefaultPropertiesBase", "BoolFalse", "false"},
		{"TestUC3.u", "Default__DefaultProperties", "Enum2", "EEnum1"},
		{"HeadExplo_v120_28.u", "HeadExplodeMessage", "bIsUnique", "false"},
		{"HeadExplo_v120_28.u", "HeadExplodeMessage", "bIsConsoleMessage", "true"},
		{"HeadExplo_v120_28.u", "MutHeadExplo", "Description", long},
		{"HeadExplo_v120_28.u", "HeadsExplodeRules", "HeadIncSize", "0.5"},
		{"ServerAdverts_v512.u", "Default__ServerAdverts", "Version", "a longer version"},
		{"ServerAdverts_v512.u", "Default__Info_ServerAdverts", "bOnlyRelevantToOwner", "false"},
		{"GUI_v859.upk", "GUI_Buttons_02", "MipTailBaseIdx", "9"},
	} {
		s := sample{name: tt.sample}
		var err error
		if s.asset, err = os.ReadFile(codecstest.Sample(t, "unreal-package", tt.sample)); err != nil {
			t.Fatal(err)
		}
		p := s.open(t)
		if err := p.Set(tt.object, tt.field, tt.value); err != nil {
			t.Errorf("%s: %v", tt.sample, err)
			continue
		}
		asset, _, err := p.Files(context.Background())
		if err != nil {
			t.Errorf("%s: %s: %v", tt.sample, tt.field, err)
			continue
		}
		q := s.after(asset, nil).open(t)
		if want := strings.TrimPrefix(tt.value, "None"); !q.Holds(tt.object, tt.field, want) {
			got, err := q.Get(tt.object, tt.field)
			t.Errorf("%s: %s is %v (%v)", tt.sample, tt.field, got, err)
		}
		for i := range p.Objects() {
			if x := q.Reread(i); x.Status == property.Lost {
				t.Errorf("%s: export %d is lost: %v", tt.sample, i, x.Why)
			}
		}
	}
}

// What is not written of packages of UE1 to UE3.
func TestClassicRefused(t *testing.T) {
	b, err := os.ReadFile(codecstest.Sample(t, "unreal-package", "TestUC3.u"))
	if err != nil {
		t.Fatal(err)
	}
	s := sample{asset: b}
	if err := s.open(t).Duplicate("#0", "Other"); !errors.Is(err, unreal.ErrNoWriting) {
		t.Errorf("%v", err)
	}
	if b, err = os.ReadFile(codecstest.Sample(t, "unreal-package", "compressed", "PlotManagerMap.u")); err != nil {
		t.Fatal(err)
	}
	if _, err := mods.Open(context.Background(), b, nil, mods.Options{}); !errors.Is(err, unreal.ErrNoWriting) {
		t.Errorf("%v", err)
	}
	swapped := bytes.Clone(s.asset)
	swapped[4]++ // another version
	if _, err := mods.Open(context.Background(), swapped, nil, mods.Options{}); !errors.Is(err, unreal.ErrNoWriting) {
		t.Errorf("%v", err)
	}
}
