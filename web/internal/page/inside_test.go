package page_test

import (
	"bytes"
	"fmt"
	"image"
	"strings"
	"testing"

	"pakdb/diff"
	"pakdb/diff/semantic"
	"pakdb/web/internal/page"
)

func TestPageShowsWhatChangedInside(t *testing.T) {
	chromium := browser(t)
	old, new, long := "12", `</script><img src=x onerror="document.title='pwned'">`, strings.Repeat("ä", 4000)
	row := `{Title "a, {b}", Cost 7}`
	in := &semantic.Difference{Text: "--- a\n+++ b\n@@ -1 +1 @@\n-old line\n+<b>new line</b>\n",
		Curves: []semantic.Curve{{Name: "Tide", Old: [][2]float64{{0, 1}, {1, 2}}, New: [][2]float64{{0, 1}, {1, 3}}}},
		Fields: []semantic.Field{{Name: "Stats.Damage", Old: &old, New: &new}, {Name: "Gone", Old: &old}, {Name: "Came", New: &long},
			{Name: "DT[Bow].Cost", Old: &old, New: &long}, {Name: "DT[Axe]", New: &row}, {Name: "[fr] Weapons,Bow", New: &old},
			{Name: "Order", Old: &old, New: &old, Cosmetic: true}, {Name: "name Bow", New: &old, Technical: true}}}
	for i := range 50 {
		in.Fields = append(in.Fields, semantic.Field{Name: fmt.Sprintf("Row%d", i), Old: &old})
	}
	bytesOnly := &semantic.Difference{Ranges: []semantic.Range{{OldSize: 3, NewOffset: 16, NewSize: 4, Old: []byte("Old"), New: []byte("News")}}}
	picture := image.NewNRGBA(image.Rect(0, 0, 2, 2))
	var out bytes.Buffer
	w := page.New(&out, "1.0", "1.1", 20<<20)
	for _, in := range []*semantic.Difference{in, bytesOnly, nil} {
		if err := w.Add(&diff.Change{Kind: diff.Modified, Old: file("a.uasset", 1), New: file("a.uasset", 2)}, in, []*semantic.Pictures{{Object: "T_Sign", Text: "10 % differ", Old: picture, New: picture}}, []string{"not <all>"}); err != nil {
			t.Fatal(err)
		}
	}
	w.SetClasses([]string{"DataTable", "", ""})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got := dom(t, chromium, out.Bytes())
	for _, want := range []string{
		`<p class="said">10 % differ · 1 curve: 1 point differs · 55 values: Cost`,
		`<span class="class">DataTable</span>`,
		`Stats.Damage</th><td><del>12</del> → <ins>&lt;/script&gt;&lt;img src=x`,
		`Gone</th><td><del>12</del></td>`, `Came</th><td><ins>ää`, `… (8000 bytes)</ins>`,
		`<th scope="col">Cost</th><th scope="col">Title</th>`, `<th scope="row">+ Axe</th><td><ins>7</ins></td><td><ins>"a, {b}"</ins></td>`,
		`<h3>fr</h3>`, `Weapons,Bow</th><td><ins>12</ins>`, `aria-label="before: curve of 2 points, after: curve of 2 points"`,
		`<span class="plus">+&lt;b&gt;new line&lt;/b&gt;`, `41 more values</button>`, `>technical (5)</button>`, `alt="T_Sign, after"`,
		`aria-label="Bytes before">00000000  4f 6c 64`, `aria-label="Bytes after">00000010  4e 65 77 73`, `not &lt;all&gt;`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("it does not say %s", want)
		}
	}
	if strings.Contains(got, "<img src=x") {
		t.Error("a value became markup")
	}
}
