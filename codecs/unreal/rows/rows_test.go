package rows

import (
	"os"
	"testing"

	"pakdb/codecs/codecstest"
	"pakdb/codecs/internal/pkg"
	"pakdb/codecs/internal/property"
)

// samplePackage opens a package that is in one file.
func samplePackage(t *testing.T, elem ...string) *Package {
	t.Helper()
	f, err := os.Open(codecstest.Sample(t, elem...))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	st, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	p, err := pkg.Read(t.Context(), f, st.Size())
	if err != nil {
		t.Fatal(err)
	}
	in := &window{r: f, size: st.Size(), exports: p.Exports, fresh: true}
	return &Package{PackageFacts: &p.PackageFacts, Bytes: in.bytes}
}

// TestLimitOfRows: what is beyond the limit is counted as lost, and nothing else is.
func TestLimitOfRows(t *testing.T) {
	p := samplePackage(t, "unreal-properties", "uelib", "TestUC2.u")
	all, _, err := of(p, maxRows)
	if err != nil {
		t.Fatal(err)
	}
	whole := p.Coverage
	some, _, err := of(p, 10)
	if err != nil {
		t.Fatal(err)
	}
	if whole.Lost != 0 || p.Coverage.Lost == 0 || p.Coverage.Exports != whole.Exports ||
		p.Coverage.Exact+p.Coverage.Tailed+p.Coverage.Lost != whole.Exports {
		t.Errorf("coverage %+v, without a limit %+v", p.Coverage, whole)
	}
	if got, want := some.Rows[1].Len(), all.Rows[1].Len(); got < 10 || got >= want {
		t.Errorf("%d rows, without a limit %d", got, want)
	}
	if got, want := some.Rows[0].Len(), all.Rows[0].Len(); got != want || got != len(p.Exports) {
		t.Errorf("%d exports, want %d", got, want)
	}
}

// TestTypeNames: a property has one type, with tags and without.
func TestTypeNames(t *testing.T) {
	kind := func(k property.Kind, name string, elem *property.Type) *property.Type {
		return property.NewType(k, name, "/Script/Game", nil, elem)
	}
	tagged := kind(property.Byte, "EMode", nil)
	untagged := kind(property.Enum, "EMode", kind(property.Byte, "", nil))
	for _, tt := range []struct {
		a, b *property.Type
		want string
	}{
		{tagged, untagged, "Enum<EMode>"},
		{kind(property.Array, "", tagged), kind(property.Array, "", untagged), "Array<Enum<EMode>>"},
		{kind(property.Object, "", nil), kind(property.WeakObject, "", nil), "Object"},
		{kind(property.MulticastInline, "", nil), kind(property.MulticastDelegate, "", nil), "MulticastDelegate"},
		{nil, kind(property.Unknown, "", nil), "Unknown"},
	} {
		if a, b := typeName(tt.a), typeName(tt.b); a != tt.want || b != tt.want {
			t.Errorf("%q and %q, want %q", a, b, tt.want)
		}
	}
	if got := TypeText(kind(property.Array, "", untagged)); got != "Array<Enum</Script/Game.EMode,Byte>>" {
		t.Error(got)
	}
	for text, want := range map[string]string{"EMode::A": "A", "A": "A", "": "", "A | B": "A | B"} {
		if got := member(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
