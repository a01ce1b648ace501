package retropak_test

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/retropak"
)

var update = flag.Bool("update", false, "rewrite the corpus")

// files are assets by what they are. Those of English alone are the samples' own.
var files = map[string]string{
	"prime": "\x87\x65\x43\x21\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x02ENGL\x00\x00\x00\x00\x00\x00\x00\x28\x00\x00\x00\x08\x00\x00\x00\x1e\x00T\x00e\x00s\x00t\x00 \x00W\x00o\x00r\x00l\x00d\x00\x00\x00T\x00\xeb\x00s\x00t\x00\x00",
	"two languages": "\x87\x65\x43\x21\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x01ENGL\x00\x00\x00\x00GERM\x00\x00\x00\x0c" +
		"\x00\x00\x00\x08\x00\x00\x00\x04\x00A\x00\x00\x00\x00\x00\x08\x00\x00\x00\x04\x00B\x00\x00",
	"corruption": "\x87\x65\x43\x21\x00\x00\x00\x03\x00\x00\x00\x01\x00\x00\x00\x02\x00\x00\x00\x02\x00\x00\x00\x1b\x00\x00\x00\x10\x00\x00\x00\x00\x00\x00\x00\x16\x00\x00\x00\x01alpha\x00beta\x00" +
		"ENGL\x00\x00\x00\x29\x00\x00\x00\x00\x00\x00\x00\x0f\x00\x00\x00\x0bTest World\x00\x00\x00\x00\x04xyz\x00",
	"echoes":  "\x87\x65\x43\x21\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00\x01",
	"short":   "\x87\x65\x43\x21\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x02ENGL\x00\x00\x00\x00\x00\x00\x00\x28\x00\x00\x00\x08\x00\x00\x00\x1e\x00T",
	"outside": "\x87\x65\x43\x21\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x01ENGL\x7f\xff\xff\xff\x00\x00\x00\x00",
	"many":    "\x87\x65\x43\x21\x00\x00\x00\x03\x00\x00\x00\x40\x00\x01\x00\x00",
	"no text": "MREA\x00\x00\x00\x00\x00\x00\x00\x00",
}

func strgSummary(f *retropak.Texts) string {
	var b strings.Builder
	for _, s := range f.Strings {
		fmt.Fprintf(&b, "[%s] %d", f.Languages[s.Language], s.Number)
		if s.Name >= 0 {
			b.WriteString(" " + f.Texts[s.Name])
		}
		b.WriteString("=" + f.Texts[s.Text] + "; ")
	}
	return b.String()
}

func TestRead(t *testing.T) {
	for name, want := range map[string]string{
		"prime":         "[ENGL] 0=Test World; [ENGL] 1=Tëst; ",
		"two languages": "[ENGL] 0=A; [GERM] 0=B; ",
		"corruption":    "[ENGL] 0 alpha=Test World; [ENGL] 1 beta=xyz; ",
	} {
		f, err := retropak.ReadTexts([]byte(files[name]))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := strgSummary(f); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
	for name, want := range map[string]error{"echoes": errors.ErrUnsupported, "many": codecs.ErrLimit, "no text": codecs.ErrCorrupt} {
		if _, err := retropak.ReadTexts([]byte(files[name])); !errors.Is(err, want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"short", "outside"} {
		if _, err := retropak.ReadTexts([]byte(files[name])); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for n := range len(files["corruption"]) {
		if _, err := retropak.ReadTexts([]byte(files["corruption"][:n])); err == nil {
			t.Errorf("cut to %d bytes: no error", n)
		}
	}
}

// TestOddText: a text outside of the asset costs none of the others.
func TestOddText(t *testing.T) {
	for name, c := range map[string][3]string{
		"prime":         {"\x00\x00\x00\x08\x00\x00\x00\x1e", "\x7f\x00\x00\x08\x00\x00\x00\x1e", "[ENGL] 1=Tëst; "},
		"two languages": {"GERM\x00\x00\x00\x0c", "GERM\x00\x70\x00\x0c", "[ENGL] 0=A; "},
		"corruption":    {"ENGL\x00\x00\x00\x29\x00\x00\x00\x00", "ENGL\x00\x00\x00\x29\x00\x70\x00\x00", "[ENGL] 1 beta=xyz; "},
	} {
		f, err := retropak.ReadTexts([]byte(strings.Replace(files[name], c[0], c[1], 1)))
		if err == nil || strgSummary(f) != c[2] {
			t.Errorf("%s: %v, %s", name, err, strgSummary(f))
		}
	}
}

// TestSamples reads the texts of paks that were made by the tools of modders.
func TestSamples(t *testing.T) {
	for pak, want := range map[string]string{
		"mp1_small.pak": "STRG/626817b6: [ENGL] 0=Test World; [ENGL] 1=Tëst; \nSTRG/0415d71d: [ENGL] 0=Room; \n",
		"mp3_small.pak": "STRG/0660521a905b8640: [ENGL] 0 alpha=Test World; [ENGL] 1 beta=日本語テキスト; \nSTRG/f8590b9543681f42: [ENGL] 0=Room; \n",
	} {
		a := codecstest.Open(t, retropak.Format(), codecstest.OpenFile(t, codecstest.Sample(t, "retro-pak", pak)), &codecs.Options{})
		got := ""
		for e, err := range a.Entries() {
			if err != nil {
				t.Fatal(err)
			}
			if e.Type != "STRG" || strings.Contains(got, e.Name) {
				continue
			}
			r, err := a.Open(t.Context(), e)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(r)
			if err != nil {
				t.Fatal(err)
			}
			f, err := retropak.ReadTexts(body)
			if err != nil {
				t.Errorf("%s: %v", e.Name, err)
				continue
			}
			got += e.Name + ": " + strgSummary(f) + "\n"
		}
		if got != want {
			t.Errorf("%s: got\n%swant\n%s", pak, got, want)
		}
	}
}

// TestCorpus writes the corpus of the fuzz target, or compares it.
func TestCorpus(t *testing.T) {
	for name, body := range files {
		codecstest.Corpus(t, *update, "FuzzRead", strings.ReplaceAll(name, " ", "_"), fmt.Sprintf("[]byte(%q)", body))
	}
}

func FuzzRead(f *testing.F) {
	f.Fuzz(func(t *testing.T, body []byte) {
		texts, err := retropak.ReadTexts(body)
		if err != nil {
			return
		}
		size := 0
		for _, s := range texts.Texts {
			size += len(s)
		}
		if size > 16*len(body)+1024 {
			t.Fatalf("%d bytes of texts in %d", size, len(body))
		}
		_ = strgSummary(texts)
	})
}
