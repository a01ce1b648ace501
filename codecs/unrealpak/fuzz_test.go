package unrealpak_test

import (
	"strings"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/compress"
	"pakdb/codecs/unrealpak"
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
