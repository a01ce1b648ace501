package blake2b_test

import (
	"encoding/hex"
	"strings"
	"testing"

	"pakdb/internal/blake2b"
)

// The vectors are of RFC 7693 and of Python's hashlib.
func TestVectors(t *testing.T) {
	for _, c := range []struct{ in, want512, want256 string }{
		{"abc", "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d17d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923",
			"bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319"},
		{"", "786a02f742015903c6c6fd852552d272912f4740e15847618a86e217f71f5419d25e1031afee585313896444934eb04b903a685b1448b755d56f701afe9be2ce",
			"0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8"},
		{strings.Repeat("a", 128), "fc6c71f688f43ea7d60817478808f3cac753e61571865c95adbc2d9122c943a76b92c2cb1047ef3fe7bf6e436ec1d0a99a9e5b216780bf7fed9d7ca91d3a8f3b",
			"ae2aa48507885c4c950fb809b2076f959cde9f8ea6da260d9a3587df33dac450"},
		{strings.Repeat("pakdb", 100), "7d8233f1165b94b2f1ac19f18442abb5539ac4794069f44e592a04fa80075643cb72e96ba9b16e824ddce55592a55802f8c41e3ab731215a1da72e187151f230",
			"92368b144a6d75d4ad018f394f53a7bae5491fb292ced89b4ab3a40ee315668b"},
	} {
		got512, got256 := blake2b.Sum512([]byte(c.in)), blake2b.Sum256([]byte(c.in))
		if hex.EncodeToString(got512[:]) != c.want512 || hex.EncodeToString(got256[:]) != c.want256 {
			t.Errorf("of %d bytes: %x, %x", len(c.in), got512, got256)
		}
	}
}
