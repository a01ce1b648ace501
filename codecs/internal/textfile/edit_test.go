package textfile_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/internal/textfile"
)

// One value changes; comments, order, operators and ends of lines stay.
func TestSet(t *testing.T) {
	const ini = "\xef\xbb\xbf; head\r\n[/Script/Engine.Engine]\r\nSpeed = 600 \r\n+Paths=\"A\"\r\n+Paths=B\n\n[Other]\nSpeed=1\nLong=a \\\n b\n"
	const table = "\xef\xbb\xbfKey,SourceString,Comment\r\nA,\"Hello, you\",x\r\nB,Bye,\r\n"
	const object = "{\n  \"a\": [1, {\"b.c\": \"x\\u00e4<\"}],\t\"d\": null, \"e\": {}\n}\n"
	const doc = "\xef\xbb\xbf<?xml version=\"1.0\"?>\r\n<!-- head -->\r\n<Items a = '1'>\n\t<Item id=\"x\" n:v='2'>A &amp; B</Item>\n\t<Item id=\"y\"/><!-- c --><Item>\n<![CDATA[<raw>]]></Item>\n<p>one<b>two</b></p></Items>\n"
	for _, tt := range []struct{ name, content, field, value, want string }{
		{"a.xml", doc, "Items.Item", "<ä> & \"b\"\n", strings.Replace(doc, "A &amp; B", "&lt;ä&gt; &amp; \"b\"\n", 1)},
		{"a.xml", doc, "items@a", "it's", strings.Replace(doc, "'1'", "'it&#39;s'", 1)},
		{"a.xml", doc, "Items.Item@v", "3", strings.Replace(doc, "'2'", "'3'", 1)},
		{"a.xml", doc, "Items.Item[1]@id", "\"\n", strings.Replace(doc, `"y"`, `"&#34;&#xA;"`, 1)},
		{"a.xml", doc, "Items.p.b", "", strings.Replace(doc, "two", "", 1)},
		{"a.xml", doc, "Items.Item", "\x01", ""},
		{"a.xml", "<a>\r\n1\r\n</a>", "a", "2\r3", "<a>2&#xD;3</a>"},
		{"a.ini", ini, "/Script/Engine.Engine[Speed]", "720", strings.Replace(ini, "600", "720", 1)},
		{"a.ini", ini, "/script/engine.engine[paths]", "C D", strings.Replace(ini, `"A"`, `"C D"`, 1)},
		{"a.ini", ini, "/Script/Engine.Engine[Paths][1]", "ä", strings.Replace(ini, `=B`, `=ä`, 1)},
		{"a.ini", ini, "Other[Speed]", "", strings.Replace(ini, "=1", "=", 1)},
		{"a.ini", ini, "Other[Long]", "b", ""},
		{"a.ini", ini, "Other[Speed]", "1\n2", ""},
		{"a.ini", ini, "Other[Speed]", " 1 2 ", ""},
		{"a.ini", "A=\xe4\n", "[A]", "b", "A=b\n"},
		{"a.ini", "A=\xe4\nB=1", "[B]", "b", "A=\xe4\nB=b"},
		{"a.ini", "\xff\xfeA\x00=\x001\x00\r\x00\n\x00", "[A]", "ä", "\xff\xfeA\x00=\x00\xe4\x00\r\x00\n\x00"},
		{"a.json", object, "a[0]", "2.5", strings.Replace(object, "1", "2.5", 1)},
		{"a.json", object, "a[1].b.c", `"<`, strings.Replace(object, `"x\u00e4<"`, `"\"<"`, 1)},
		{"a.json", object, "d", "true", strings.Replace(object, "null", "true", 1)},
		{"a.json", object, "a[0]", "much", ""},
		{"a.csv", table, "A[SourceString]", `Hi "you"`, strings.Replace(table, `"Hello, you"`, `"Hi ""you"""`, 1)},
		{"a.csv", table, "B[SourceString]", "a,b", strings.Replace(table, "Bye", `"a,b"`, 1)},
		{"a.csv", table, "B[Comment]", "new", strings.Replace(table, "Bye,", "Bye,new", 1)},
	} {
		f, err := textfile.Open(tt.name, []byte(tt.content))
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		i := f.Find(tt.field)
		if i < 0 {
			t.Errorf("%s: no %s among %+v", tt.name, tt.field, f.Values)
			continue
		}
		err = f.Set(i, tt.value)
		switch {
		case tt.want == "" && errors.Is(err, textfile.ErrNoEdit):
		case err != nil || string(f.Data()) != tt.want:
			t.Errorf("%s: %s=%q: %q, %v, want %q", tt.name, tt.field, tt.value, f.Data(), err, tt.want)
		}
	}
}

// Damaged texts are errors of the file, and none takes time or memory beyond its size.
func TestOpenDamaged(t *testing.T) {
	for name, content := range map[string]string{
		"deep.xml":     strings.Repeat("<a>", 30000) + strings.Repeat("</a>", 30000),
		"crossed.xml":  "<A><B>1</C></A>",
		"encoding.xml": `<?xml version="1.0" encoding="ISO-8859-1"?><A>x</A>`,
		"deep.json":    strings.Repeat("[", 30000) + strings.Repeat("]", 30000),
	} {
		if _, err := textfile.Open(name, []byte(content)); !errors.Is(err, codecs.ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A text that several keys share is not changed in place.
func TestSetLocres(t *testing.T) {
	var all [][]byte
	for version := range 4 {
		all = append(all, write(version, texts))
	}
	for _, name := range []string{"en.locres", "de.locres"} {
		b, err := os.ReadFile(codecstest.Sample(t, "unreal-properties", "cue4parse-UE5_8", name))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b)
	}
	changed := 0
	for k, b := range all {
		first, err := textfile.Open("a.locres", bytes.Clone(b))
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range first.Values {
			f, err := textfile.Open("a.locres", b)
			if err != nil {
				t.Fatal(err)
			}
			for _, now := range []string{"a longer text than before ☃", "", "x"} {
				if err := f.Set(i, now); err != nil {
					t.Errorf("%d: %s: %v", k, v.Field, err)
				}
			}
			if err := f.Set(i, v.Text); err != nil {
				t.Errorf("%d: %s: %v", k, v.Field, err)
			}
			for j := range f.Values {
				if f.Values[j].Text != first.Values[j].Text || f.Values[j].Field != first.Values[j].Field {
					t.Errorf("%d: %s changed", k, f.Values[j].Field)
				}
			}
			changed++
		}
	}
	if changed < 20 {
		t.Error(changed)
	}
}

// Whatever is opened and changed reads back as asked.
func FuzzSet(f *testing.F) {
	for i, name := range []string{"a.locres", "a.ini", "a.json", "a.csv", "a.xml"} {
		f.Add(i, []byte("<a b='c'><d>1</d><!-- x --><d e=\"\"/></a>"), 0, "<>'\"&")
		f.Add(i, write(3, texts), 1, "text")
		f.Add(i, []byte("[A]\nB=1\n+B=\"x\"\n"), 0, "2")
		f.Add(i, []byte(`{"a": [1, "b"]}`), 1, "c")
		f.Add(i, []byte("a,b\n1,\"2\"\n"), 0, fmt.Sprint(name, "\""))
	}
	f.Fuzz(func(t *testing.T, kind int, content []byte, at int, value string) {
		name := []string{"a.locres", "a.ini", "a.json", "a.csv", "a.xml"}[uint(kind)%5]
		file, err := textfile.Open(name, content)
		if err != nil || len(file.Values) == 0 {
			return
		}
		i := int(uint(at) % uint(len(file.Values)))
		field := file.Values[i].Field
		if file.Set(i, value) != nil {
			return
		}
		again, err := textfile.Open(name, file.Data())
		if err != nil || again.Values[i].Text != value || again.Values[i].Field != field {
			t.Errorf("%s is not %q: %v", field, value, err)
		}
	})
}
