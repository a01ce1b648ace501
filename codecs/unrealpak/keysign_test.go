package unrealpak_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/compress"
	"pakdb/codecs/unrealpak"
)

func named(name string, data []byte) codecstest.Item {
	return codecstest.Item{Entry: &codecs.Entry{Name: name}, Data: data}
}

// A package without the usual magic is no proof of a wrong key where something
// else in the pak proves the right one.
func TestNeighboursProveTheKey(t *testing.T) {
	rnd := rand.New(rand.NewPCG(4, 5))
	odd := named("Game/Odd.uasset", noise(rnd, 4096)) // no magic, no padding, no sense
	for name, neighbour := range map[string]codecstest.Item{
		"a magic":             named("Game/Map.umap", append([]byte("\xC1\x83\x2A\x9E"), noise(rnd, 60)...)),
		"padding":             named("Game/A.bin", noise(rnd, 4096+9)),
		"text":                named("Game/A.ini", []byte(strings.Repeat("[Section]\nKey=Value\n", 4))[:64]),
		"zeros":               named("Game/A.bin", append(noise(rnd, 8), make([]byte, 24)...)),
		"a compressed block":  {Entry: &codecs.Entry{Name: "Game/A.bin", Method: compress.Zlib}, Data: bytes.Repeat(noise(rnd, 256), 32)},
		"a block without sum": {Entry: &codecs.Entry{Name: "Game/A.bin", Method: compress.LZ4}, Data: bytes.Repeat(noise(rnd, 256), 32)},
	} {
		for _, version := range unrealpak.Format().Versions {
			if neighbour.Entry.Method == compress.LZ4 && len(version) == 1 && version < "8" {
				continue
			}
			for _, items := range [][]codecstest.Item{{odd, neighbour}, {neighbour, odd}} {
				key := keyed(t, repakKey)
				b := codecstest.Write(t, unrealpak.Format(), &codecs.CreateOptions{Version: version, Encrypt: true, Keys: key.Keys}, items)
				a := codecstest.Open(t, unrealpak.Format(), codecstest.Bytes("k.pak", b), key)
				if diff := codecstest.Equal(items, codecstest.Items(t, a)); diff != "" {
					t.Errorf("%s in version %s: %s", name, version, diff)
				}
				wrong := codecstest.Open(t, unrealpak.Format(), codecstest.Bytes("k.pak", b), keyed(t, cueKey))
				for e := range wrong.Entries() {
					_, err := codecstest.ReadEntry(context.Background(), wrong, e)
					if !errors.Is(err, codecs.ErrWrongKey) && len(version) == 1 && version < "8" {
						t.Errorf("%s in version %s: %s with the wrong key: %v", name, version, e.Name, err)
					}
				}
			}
		}
	}
}

// A content that means something proves the key by itself, whatever its name.
func TestContentProvesTheKey(t *testing.T) {
	for _, data := range []string{
		"hello, no magic here",
		"0123456789abcdef", // neither padding nor enough to be sure: no reason to refuse
		strings.Repeat("just a text ", 8),
		strings.Repeat("\x00\x01\x00\x00", 8),
		"x",
		"",
	} {
		for _, name := range []string{"A.uasset", "A.umap", "A.png", "A.txt"} {
			for _, version := range unrealpak.Format().Versions {
				items := []codecstest.Item{named(name, []byte(data))}
				key := keyed(t, repakKey)
				b := codecstest.Write(t, unrealpak.Format(), &codecs.CreateOptions{Version: version, Encrypt: true, Keys: key.Keys}, items)
				a := codecstest.Open(t, unrealpak.Format(), codecstest.Bytes("k.pak", b), key)
				if diff := codecstest.Equal(items, codecstest.Items(t, a)); diff != "" {
					t.Errorf("%s of %q in version %s: %s", name, data, version, diff)
				}
			}
		}
	}
}

// A block that is damaged does not make the key a wrong one where the key is
// proven otherwise.
func TestDamagedBlockIsNoWrongKey(t *testing.T) {
	text := []byte(strings.Repeat("a text that is compressed\n", 400))
	for _, version := range []string{"5", "8A", "11"} {
		key := keyed(t, repakKey)
		items := []codecstest.Item{
			{Entry: &codecs.Entry{Name: "a.txt", Method: compress.Zlib}, Data: text},
			{Entry: &codecs.Entry{Name: "b.txt", Method: compress.Zlib}, Data: text},
		}
		b := codecstest.Write(t, unrealpak.Format(), &codecs.CreateOptions{Version: version, Encrypt: true, Keys: key.Keys}, items)
		first := codecstest.Open(t, unrealpak.Format(), codecstest.Bytes("d.pak", b), key)
		for e := range first.Entries() {
			b[e.Offset] ^= 1
			break
		}
		a := codecstest.Open(t, unrealpak.Format(), codecstest.Bytes("d.pak", b), key)
		for e := range a.Entries() {
			_, err := codecstest.ReadEntry(context.Background(), a, e)
			if e.Name == "a.txt" && (!errors.Is(err, codecs.ErrCorrupt) || errors.Is(err, codecs.ErrWrongKey)) || e.Name == "b.txt" && err != nil {
				t.Errorf("version %s: %s: %v", version, e.Name, err)
			}
		}
	}
}

// Noise, which is what a wrong key gives, never proves a key: of any entries
// that do not prove it under one key, none does under another.
func TestNoiseProvesNothing(t *testing.T) {
	key := keyed(t, repakKey)
	rapid.Check(t, func(rt *rapid.T) {
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		version := rapid.SampledFrom(unrealpak.Format().Versions).Draw(rt, "version")
		var items []codecstest.Item
		for i := range rapid.IntRange(1, 6).Draw(rt, "entries") {
			ext := rapid.SampledFrom([]string{"uasset", "umap", "png", "bin"}).Draw(rt, "ext")
			items = append(items, named(fmt.Sprintf("%d.%s", i, ext), noise(rnd, rapid.IntRange(0, 3000).Draw(rt, "size"))))
		}
		items = append(items, named("sure.uasset", append([]byte("\xC1\x83\x2A\x9E"), noise(rnd, 1020)...)))
		var out codecstest.Buffer
		if err := writeAll(&out, &codecs.CreateOptions{Version: version, Encrypt: true, Keys: key.Keys}, items); err != nil {
			rt.Fatal(err)
		}
		right, err := unrealpak.Format().Open(context.Background(), codecstest.Bytes("k.pak", out.Bytes()), key)
		if err != nil {
			rt.Fatal(err)
		}
		if diff := codecstest.Equal(items, codecstest.Items(t, right)); diff != "" {
			rt.Fatal(diff)
		}
		wrong, err := unrealpak.Format().Open(context.Background(), codecstest.Bytes("k.pak", out.Bytes()), keyed(t, cueKey))
		if err != nil {
			rt.Fatal(err)
		}
		if version >= "8B" || len(version) > 1 && version != "8A" {
			return // there the last entry says nothing: it has no padding
		}
		for e := range wrong.Entries() {
			if _, err := codecstest.ReadEntry(context.Background(), wrong, e); e.Size > 0 && !errors.Is(err, codecs.ErrWrongKey) {
				rt.Errorf("%s of version %s: %v", e.Name, version, err)
			}
		}
	})
}
