package unrealpak_test

import (
	"strings"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/compress"
	"pakdb/codecs/unrealpak"
	"pakdb/internal/aes256"
)

// FuzzOpen starts from one pak of each kind; the key is the one they are
// encrypted with, so that mutations behind the encryption are reached too.
func FuzzOpen(f *testing.F) {
	key := keyed(f, cueKey)
	var seeds [][]byte
	for _, o := range []codecs.CreateOptions{
		{Version: "3"}, {Version: "5", Method: compress.Zlib}, {Version: "8A", Method: compress.LZ4}, {Version: "8B", Encrypt: true},
		{Version: "9"}, {Version: "10", Method: compress.Gzip}, {Version: "11", Method: compress.Zlib, Encrypt: true},
		{Version: "11", EncryptIndex: true}, {Version: "12", Method: compress.Zstd},
	} {
		o.Keys, o.BlockSize = key.Keys, 1024
		seeds = append(seeds, codecstest.Write(f, unrealpak.Format(), &o, []codecstest.Item{
			{Entry: &codecs.Entry{Name: "Game/Config/a.ini"}, Data: []byte(strings.Repeat("Key=Value\n", 300))},
			{Entry: &codecs.Entry{Name: "b.txt"}, Data: []byte("text")},
		}))
	}
	seeds = append(seeds, buildModern(f, 13, false), buildModern(f, 15, true))
	codecstest.FuzzOpen(f, unrealpak.Format(), key, seeds...)
}

func FuzzResponse(f *testing.F) {
	f.Add("\"a/*.uasset\" \"../../../Game/\" -compress -encrypt\n\"gone\" -delete\n")
	f.Add("\"unterminated\n")
	f.Add("a b c\n-odd\n\"\" \"\"\n")
	f.Fuzz(func(t *testing.T, text string) {
		lines, err := unrealpak.ParseResponse(strings.NewReader(text))
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

func FuzzKeys(f *testing.F) {
	f.Add(repakKey)
	f.Add(`{"EncryptionKey":{"Key":"` + repakKey + `"},"SecondaryEncryptionKeys":[{"Name":"x","Guid":"00112233445566778899AABBCCDDEEFF","Key":"0x00"}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		if key, err := aes256.ParseKey(text); err == nil && len(key) != 32 {
			t.Errorf("%d bytes", len(key))
		}
		if keys, err := unrealpak.ParseCryptoJSON([]byte(text)); err == nil && keys == nil {
			t.Error("neither keys nor error")
		}
	})
}
