package archive

import "testing"

func TestIsBinary(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, "hello\n\tworld\r\n": false, "日本": false, "日本\xe6": false, // the last is cut
		"\x00": true, "a\x1b[31m": true, "\xff\xfe": true, "caf\xe9 ol\xe9": true, "\u0085": true,
	} {
		if got := isBinary([]byte(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
