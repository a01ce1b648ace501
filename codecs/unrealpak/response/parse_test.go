package response_test

import (
	"reflect"
	"strings"
	"testing"

	"pakdb/codecs/unrealpak/response"
)

func TestParse(t *testing.T) {
	got, err := response.Parse(strings.NewReader("\ufeff\"C:\\Build\\*.uasset\" \"../../../Game/\" -compress -Encrypt\r\n" +
		"\n  plain.txt\n\"-odd name\" \"x\"\n\"../../../Game/gone.txt\" -delete\n"))
	want := []response.Line{
		{Line: 1, Source: "C:/Build/*.uasset", Dest: "../../../Game/", Compress: true, Encrypt: true},
		{Line: 3, Source: "plain.txt", Dest: "plain.txt"},
		{Line: 4, Source: "-odd name", Dest: "x"},
		{Line: 5, Source: "../../../Game/gone.txt", Dest: "../../../Game/gone.txt", Delete: true},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	for _, text := range []string{"\"open", "a b c", "-compress", "a -unknown", strings.Repeat("x", 1<<19)} {
		if _, err := response.Parse(strings.NewReader("ok\n" + text)); err == nil || !strings.Contains(err.Error(), "line 2") {
			t.Errorf("%.20q: %v", text, err)
		}
	}
}

func TestArrange(t *testing.T) {
	order, err := response.ParseOrder(strings.NewReader("\"B.txt\" 5\nc.txt 1\n\"D.txt\"\n"))
	if err != nil || len(order) != 3 || order[2].Order != 3 {
		t.Fatalf("%+v, %v", order, err)
	}
	if _, err := response.ParseOrder(strings.NewReader("a x")); err == nil {
		t.Error("a word is no number")
	}
	lines := []response.Line{{Dest: "a.txt", Delete: true}, {Dest: "z.txt"}, {Dest: "A2.txt"}, {Dest: "b.txt"}, {Dest: "C.txt"}, {Dest: "d.txt"}}
	response.Arrange(lines, order)
	var got []string
	for _, l := range lines {
		got = append(got, l.Dest)
	}
	if want := "C.txt d.txt b.txt A2.txt z.txt a.txt"; strings.Join(got, " ") != want {
		t.Errorf("%v, want %s", got, want)
	}
}

func FuzzResponse(f *testing.F) {
	f.Add("\"a/*.uasset\" \"../../../Game/\" -compress -encrypt\n\"gone\" -delete\n")
	f.Add("\"unterminated\n")
	f.Add("a b c\n-odd\n\"\" \"\"\n")
	f.Fuzz(func(t *testing.T, text string) {
		lines, err := response.Parse(strings.NewReader(text))
		if err == nil {
			for _, l := range lines {
				if l.Line < 1 || strings.Contains(l.Source+l.Dest, `\`) {
					t.Errorf("%+v", l)
				}
			}
		}
		order, err := response.ParseOrder(strings.NewReader(text))
		if err == nil {
			response.Arrange(lines, order)
		}
	})
}
