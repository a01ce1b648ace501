package textfile_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/internal/textfile"
	"pakdb/codecs/unreal"
)

func configInspect(b []byte) (*codecs.Facts, error) {
	return textfile.ConfigInspector().Inspect(context.Background(), bytes.NewReader(b), int64(len(b)), &codecs.Entry{Name: "A.ini"})
}

const configSample = `; comment
Loose=1
[/Script/Engine.Engine]
Name = "Ünit"  
+List=(A=1,B="x")
.List=b
-List=c
!List=ClearArray
!Other
Long=one\
two
Empty=
nothing
`

var want = []string{" :Loose=1", "/Script/Engine.Engine :Name=Ünit", `/Script/Engine.Engine +:List=(A=1,B="x")`,
	"/Script/Engine.Engine .:List=b", "/Script/Engine.Engine -:List=c", "/Script/Engine.Engine !:List=ClearArray",
	"/Script/Engine.Engine !:Other=", "/Script/Engine.Engine :Long=onetwo", "/Script/Engine.Engine :Empty=", "/Script/Engine.Engine :=nothing"}

func wide(s string) []byte {
	b := []byte("\xff\xfe")
	for _, u := range utf16.Encode([]rune(s)) {
		b = binary.LittleEndian.AppendUint16(b, u)
	}
	return b
}

func bigEndian(s string) []byte {
	b := []byte("\xfe\xff")
	for _, u := range utf16.Encode([]rune(s)) {
		b = binary.BigEndian.AppendUint16(b, u)
	}
	return b
}

func forms() map[string][]byte {
	return map[string][]byte{"utf8": []byte(configSample), "bom": []byte("\xef\xbb\xbf" + configSample), "crlf": []byte(strings.ReplaceAll(configSample, "\n", "\r\n")),
		"utf16": wide(configSample), "utf16be": bigEndian(configSample), "latin1": []byte(strings.ReplaceAll(configSample, "Ü", "\xdc"))}
}

func TestForms(t *testing.T) {
	for name, body := range forms() {
		facts, err := configInspect(body)
		if err != nil || len(facts.Problems) > 0 {
			t.Errorf("%s: %v, %+v", name, err, facts)
			continue
		}
		f := facts.Detail.(*unreal.ConfigFacts)
		var got []string
		for _, l := range f.Lines {
			got = append(got, fmt.Sprintf("%s %s:%s=%s", f.Texts[l.Section], l.Op, f.Texts[l.Key], f.Texts[l.Value]))
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestConfigProblems(t *testing.T) {
	for _, c := range []struct {
		body, field string
		off         int64
		class       error
	}{
		{"[A]\nB=\x00\n", "text", 6, codecs.ErrCorrupt},
		{string(bigEndian("A=1\n")) + "x", "text", 10, codecs.ErrTruncated},
		{string(wide("A=1\n")) + "x", "text", 10, codecs.ErrTruncated},
	} {
		facts, err := configInspect([]byte(c.body))
		if err != nil || len(facts.Problems) != 1 {
			t.Errorf("%q: %v, %+v", c.body, err, facts)
			continue
		}
		if p := facts.Problems[0]; p.Field != c.field || p.Off != c.off || !errors.Is(p, c.class) {
			t.Errorf("%q: %v", c.body, p)
		}
	}
}

// A line with a NUL costs none of the others.
func TestOddLine(t *testing.T) {
	for _, body := range [][]byte{[]byte("A=1\nB=\x00\nC=3\n"), wide("A=1\nB=\x00\nC=3\n")} {
		facts, err := configInspect(body)
		if err != nil || len(facts.Problems) != 1 || !strings.Contains(facts.Problems[0].Error(), "left out: 1") {
			t.Errorf("%v, %+v", err, facts)
			continue
		}
		if f := facts.Detail.(*unreal.ConfigFacts); len(f.Lines) != 2 || f.Texts[f.Lines[1].Key] != "C" {
			t.Errorf("%+v", f)
		}
	}
}

func TestConfigMatch(t *testing.T) {
	for _, c := range []struct {
		name, head string
		want       bool
	}{
		{"a.ini", "", true}, {"a.INI", "x", true}, {"a.int", "[A]", true}, {"a.det", string(wide("[A]")), true}, {"a.frt", string(bigEndian("[A]")), true}, {"a.int", "x", false}, {"a.txt", "[A]", false},
	} {
		if got := textfile.ConfigInspector().Match(&codecs.Entry{Name: c.name}, []byte(c.head)); got != c.want {
			t.Errorf("%s %q: %v", c.name, c.head, got)
		}
	}
}

func TestConfigCorpus(t *testing.T) {
	for name, body := range forms() {
		codecstest.Corpus(t, *update, "FuzzConfigInspect", name, fmt.Sprintf("[]byte(%q)", body))
	}
}

func FuzzConfigInspect(f *testing.F) {
	f.Fuzz(func(t *testing.T, body []byte) {
		facts, err := configInspect(body)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range facts.Problems {
			if p.Off < 0 || p.Off > int64(len(body)) || p.Field == "" {
				t.Fatalf("%v: no place", p)
			}
		}
		facts.Detail.Batch()
	})
}

func BenchmarkConfigInspect(b *testing.B) {
	body := bytes.Repeat([]byte(configSample), 2000)
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		if _, err := configInspect(body); err != nil {
			b.Fatal(err)
		}
	}
}
