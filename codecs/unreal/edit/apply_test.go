package edit_test

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"

	"pakdb/codecs/codecstest"
	"pakdb/codecs/unreal/edit"
	"pakdb/codecs/unreal/property"
)

// Removals come last, from the last element to the first, the innermost first.
func TestOrdered(t *testing.T) {
	edits := []edit.Edit{
		{Op: edit.Remove, Field: "A[2]"}, {Op: edit.Remove, Field: "A[10]"}, {Op: edit.Remove, Field: "A[10].B[1]"}, {Op: edit.Remove, Field: "C"},
		{Op: edit.Append, Field: "A"}, {Op: edit.Multiply, Field: "D"}, {Op: edit.Set, Field: "E"}, {Op: edit.Add, Field: "F"},
		{Op: edit.Rename, Field: "G[x]"}, {Op: edit.Copy, Field: "G[y]"},
	}
	edit.Ordered(edits)
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
	p, err := edit.Open(t.Context(), read("uasset"), read("uexp"), edit.Options{})
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
		if err := p.Apply(edit.Edit{Field: "MaxCharges", Op: edit.Set, Value: tt.value}); err != nil {
			t.Fatal(err)
		}
		err := p.Apply(edit.Edit{Field: "MaxCharges", Op: edit.Multiply, Value: tt.by})
		got, _ := p.Get("", "MaxCharges")
		if !errors.Is(err, tt.err) || tt.want != "" && fmt.Sprint(got) != tt.want {
			t.Errorf("%s * %s is %v, %v, want %s, %v", tt.value, tt.by, got, err, tt.want, tt.err)
		}
	}
	if err := p.Apply(edit.Edit{Field: "MaxCharges", Op: edit.Add, Value: "1"}); !errors.Is(err, edit.ErrExists) {
		t.Errorf("adding a field that exists: %v", err)
	}
	if err := p.Apply(edit.Edit{Field: "MaxCharges", Op: "divide"}); !errors.Is(err, property.ErrValue) {
		t.Errorf("an unknown operation: %v", err)
	}
}
