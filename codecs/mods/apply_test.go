package mods_test

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"

	"pakdb/codecs/codecstest"
	"pakdb/codecs/internal/property"
	"pakdb/codecs/mods"
)

// Removals come last, from the last element to the first, the innermost first.
func TestOrdered(t *testing.T) {
	edits := []mods.Edit{
		{Op: mods.Remove, Field: "A[2]"}, {Op: mods.Remove, Field: "A[10]"}, {Op: mods.Remove, Field: "A[10].B[1]"}, {Op: mods.Remove, Field: "C"},
		{Op: mods.Append, Field: "A"}, {Op: mods.Multiply, Field: "D"}, {Op: mods.Set, Field: "E"}, {Op: mods.Add, Field: "F"},
		{Op: mods.Rename, Field: "G[x]"}, {Op: mods.Copy, Field: "G[y]"},
	}
	mods.Ordered(edits)
	var got []string
	for _, e := range edits {
		got = append(got, fmt.Sprint(e.Op, " ", e.Field))
	}
	want := []string{"copy G[y]", "rename G[x]", "append A", "multiply D", "set E", "add F", "remove C", "remove A[10].B[1]", "remove A[10]", "remove A[2]"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Products are rounded to the type of the field, and printed shortest.
func TestMultiply(t *testing.T) {
	const name = "unreal-writing/values/tagged-number-prop.before."
	read := func(ext string) []byte {
		b, err := os.ReadFile(codecstest.Sample(t, name+ext))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	p, err := mods.Open(t.Context(), read("uasset"), read("uexp"), mods.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		value, by, want string
		err             error
	}{
		{"24", "1.2", "29", nil},
		{"-5", "0.5", "-3", nil},
		{"3", "1/3", "1", nil},
		{"2147483647", "2", "", property.ErrValue},
		{"3", "much", "", property.ErrValue},
	} {
		if err := p.Apply(mods.Edit{Field: "MaxCharges", Op: mods.Set, Value: tt.value}); err != nil {
			t.Fatal(err)
		}
		err := p.Apply(mods.Edit{Field: "MaxCharges", Op: mods.Multiply, Value: tt.by})
		got, _ := p.Get("", "MaxCharges")
		if !errors.Is(err, tt.err) || tt.want != "" && fmt.Sprint(got) != tt.want {
			t.Errorf("%s * %s is %v, %v, want %s, %v", tt.value, tt.by, got, err, tt.want, tt.err)
		}
	}
	if err := p.Apply(mods.Edit{Field: "MaxCharges", Op: mods.Add, Value: "1"}); !errors.Is(err, mods.ErrExists) {
		t.Errorf("adding a field that exists: %v", err)
	}
	if err := p.Apply(mods.Edit{Field: "MaxCharges", Op: "divide"}); !errors.Is(err, property.ErrValue) {
		t.Errorf("an unknown operation: %v", err)
	}
}
