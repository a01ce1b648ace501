package search

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWords(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{" ,;!", ""},
		{"Press any key.", "press any key"},
		{"UltronBoss", "ultronboss ultron boss"},
		{"BP_XMLReader2_C", "bp xmlreader2 xml reader c"},
		{"Level02", "level02 level"},
		{"/Game/Maps/A.umap", "game maps a umap"},
		{"Überfall auf Łódź, naïve café", "uberfall auf lodz naive cafe"},
		{"Спасибо, ёлка", "спасибо елка"},
		{"cafe\u0301", "cafe"},
		{"敵を倒せ", "敵を を倒 倒せ せ"},
		{"HP回復", "hp 回復 復"},
		{"\xff\xfea", "a"},
		{strings.Repeat("x", 100), strings.Repeat("x", 64)},
		{strings.Repeat("ü", 100), strings.Repeat("u", 32)},
	} {
		if d := cmp.Diff(strings.Fields(c.want), Words(c.text)); d != "" && c.want+strings.Join(Words(c.text), "") != "" {
			t.Errorf("%q (-want +got)\n%s", c.text, d)
		}
	}
}

func TestIndexHasEachWordOnce(t *testing.T) {
	text := strings.Join([]string{"Red Door", "RedDoor", "0123456789ABCDEF0123456789ABCDEF", "door"}, Separator)
	if got, want := Index(text), "red door reddoor "; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// FuzzWords: the words of any text are words of the index, and those of a word are itself.
func FuzzWords(f *testing.F) {
	for _, text := range []string{"UltronBoss", "Überfall", "敵を倒せ", "a\xffb", "ǅ", "İstanbul"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		index := " " + Index(text+" .") // no long number alone
		for _, w := range Words(text) {
			if strings.Contains(text, Separator) {
				return
			}
			if w != "" && !strings.Contains(index, " "+w+" ") {
				t.Errorf("%q: %q is not in the index", text, w)
			}
			if len(w) > maxWord {
				t.Errorf("%q has %d bytes", w, len(w))
			}
		}
	})
}

func BenchmarkIndex(b *testing.B) {
	text := strings.Repeat("The quick brown Fox jumps over "+Separator+"BP_UltronBoss_C"+Separator, 16)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Index(text)
	}
}
