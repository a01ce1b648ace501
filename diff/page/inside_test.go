package page_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"pakdb/diff"
	"pakdb/diff/page"
	"pakdb/diff/semantic"
)

// chooser chooses the first line of the list.
const chooser = `setTimeout(() => document.querySelector(".line").click(), 50);`

func TestPageShowsWhatChangedInside(t *testing.T) {
	chromium := browser(t)
	old, new, long := "12", `</script><img src=x onerror="document.title='pwned'">`, strings.Repeat("ä", 4000)
	in := &semantic.Difference{Text: "@@ -1 +1 @@\n-old line\n+<b>new line</b>\n", Ranges: []semantic.Range{{OldSize: 3, NewOffset: 16, NewSize: 4}},
		Fields: []semantic.Field{{Name: "Stats.Damage", Old: &old, New: &new}, {Name: "Gone", Old: &old}, {Name: "Came", New: &long},
			{Name: "guid", Old: &old, New: &old, Cosmetic: true}}}
	for i := range 500 {
		in.Fields = append(in.Fields, semantic.Field{Name: fmt.Sprintf("Rows[%d]", i), Old: &old})
	}
	var out bytes.Buffer
	w := page.New(&out, "1.0", "1.1")
	for _, in := range []*semantic.Difference{in, nil} {
		if err := w.Add(&diff.Change{Kind: diff.Modified, Old: file("a.uasset", 1), New: file("a.uasset", 2)}, in); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(chooser))
	text := strings.Replace(out.String(), "script-src '", "script-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"' '", 1)
	got := dom(t, chromium, []byte(strings.Replace(text, "</body>", "<script>"+chooser+"</script></body>", 1)))
	inside := regexp.MustCompile(`(?s)<div class="inside".*`).FindString(got)
	for _, want := range []string{
		`~ Stats.Damage: <span class="minus">12</span> → <span class="plus">&lt;/script&gt;&lt;img src=x`,
		`<span class="minus">− Gone: 12</span>`,
		`<span class="plus">+ Came: ää`, `… (8000 bytes)</span>`,
		`class="faint" role="listitem">~ guid`, `  (cosmetic)`,
		`>108 more lines: pakdb diff --semantic<`,
	} {
		if !strings.Contains(inside, want) {
			t.Errorf("it does not say %s: %.3000s", want, inside)
		}
	}
	if strings.Contains(got, "<img") || strings.Count(inside, `role="listitem"`) != 400 {
		t.Errorf("a value became markup, or there are %d lines", strings.Count(inside, `role="listitem"`))
	}
}
