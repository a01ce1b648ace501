package unrealpak_test

import (
	"bytes"
	"encoding/binary"
	"reflect"
	"strings"
	"testing"
	"unicode/utf16"

	"pakdb/codecs/unrealpak"
)

func TestParse(t *testing.T) {
	got, err := unrealpak.Parse(strings.NewReader("\ufeff\"C:\\Build\\*.uasset\" \"../../../Game/\" -compress -Encrypt\r\n" +
		"\n  plain.txt\n\"-odd name\" \"x\"\n\"../../../Game/gone.txt\" -delete\n"))
	want := []unrealpak.ResponseLine{
		{Line: 1, Source: "C:/Build/*.uasset", Dest: "../../../Game/", Compress: true, Encrypt: true},
		{Line: 3, Source: "plain.txt", Dest: "plain.txt"},
		{Line: 4, Source: "-odd name", Dest: "x"},
		{Line: 5, Source: "../../../Game/gone.txt", Dest: "../../../Game/gone.txt", Delete: true},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	for _, text := range []string{"\"open", "a b c", "-compress", "a -unknown", strings.Repeat("x", 1<<19)} {
		if _, err := unrealpak.Parse(strings.NewReader("ok\n" + text)); err == nil || !strings.Contains(err.Error(), "line 2") {
			t.Errorf("%.20q: %v", text, err)
		}
	}
}

// UnrealPak reads UTF-16 with a byte order mark as well, which editors of Windows write.
func TestParseUTF16(t *testing.T) {
	want := []unrealpak.ResponseLine{{Line: 1, Source: "Ä/*.txt", Dest: "../../../Game/", Compress: true}}
	for name, order := range map[string]binary.AppendByteOrder{"little-endian": binary.LittleEndian, "big-endian": binary.BigEndian} {
		var b []byte
		for _, u := range utf16.Encode([]rune("\ufeff\"Ä\\*.txt\" \"../../../Game/\" -compress\r\n")) {
			b = order.AppendUint16(b, u)
		}
		if got, err := unrealpak.Parse(bytes.NewReader(b)); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		if _, err := unrealpak.Parse(bytes.NewReader(b[2:])); err == nil || !strings.Contains(err.Error(), "byte order mark") {
			t.Errorf("%s without a mark: %v", name, err)
		}
		if got, err := unrealpak.ParseOrder(bytes.NewReader(b[:0:0])); err != nil || len(got) > 0 {
			t.Errorf("%+v, %v", got, err)
		}
	}
}

func TestArrange(t *testing.T) {
	order, err := unrealpak.ParseOrder(strings.NewReader("\"B.txt\" 5\nc.txt 1\n\"D.txt\"\n"))
	if err != nil || len(order) != 3 || order[2].Order != 3 {
		t.Fatalf("%+v, %v", order, err)
	}
	if _, err := unrealpak.ParseOrder(strings.NewReader("a x")); err == nil {
		t.Error("a word is no number")
	}
	lines := []unrealpak.ResponseLine{{Dest: "a.txt", Delete: true}, {Dest: "z.txt"}, {Dest: "A2.txt"}, {Dest: "b.txt"}, {Dest: "C.txt"}, {Dest: "d.txt"}}
	unrealpak.Arrange(lines, order)
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
		lines, err := unrealpak.Parse(strings.NewReader(text))
		if err == nil {
			for _, l := range lines {
				if l.Line < 1 || strings.Contains(l.Source+l.Dest, `\`) {
					t.Errorf("%+v", l)
				}
			}
		}
		order, err := unrealpak.ParseOrder(strings.NewReader(text))
		if err == nil {
			unrealpak.Arrange(lines, order)
		}
	})
}
