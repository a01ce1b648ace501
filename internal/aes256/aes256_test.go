package aes256_test

import (
	"bytes"
	"crypto/aes"
	"encoding/hex"
	"strings"
	"testing"

	"pakdb/internal/aes256"
)

const (
	base64Key = "lNJbw660IOC+kU7cnVQ1oeqrXyhk4J6UAZrCBbcnp94=" // of repak's tests
	asciiKey  = "CUE4ParseFixtureAESKey0123456789"             // of CUE4Parse's
)

func TestParseKey(t *testing.T) {
	const digits = "94d25bc3aeb420e0be914edc9d5435a1eaab5f2864e09e9401 9ac205b727a7de"
	hexKey := strings.ReplaceAll(digits, " ", "")
	for name, text := range map[string]string{"base64": base64Key, "hex": hexKey, "0x": "0x" + strings.ToUpper(hexKey),
		"unpadded": strings.TrimRight(base64Key, "="), "space": " " + base64Key + "\n"} {
		if key, err := aes256.ParseKey(text); err != nil || hex.EncodeToString(key) != hexKey {
			t.Errorf("%s: %x, %v", name, key, err)
		}
	}
	if key, err := aes256.ParseKey(asciiKey); err != nil || string(key) != asciiKey {
		t.Errorf("ASCII: %q, %v", key, err)
	}
	for _, text := range []string{"", "short", hexKey[:62], base64Key + "AA", strings.Repeat("é", 16)} {
		if key, err := aes256.ParseKey(text); err == nil {
			t.Errorf("%q gives %x", text, key)
		}
	}
}

func TestAES(t *testing.T) {
	c, err := aes.NewCipher(bytes.Repeat([]byte{7}, aes256.KeySize))
	if err != nil {
		t.Fatal(err)
	}
	plain := aes256.AppendPadding([]byte("hello, pak"), []byte("hello, pak"), 10)
	if string(plain) != "hello, pakhello," {
		t.Fatalf("padding: %q", plain)
	}
	buf := bytes.Clone(plain)
	aes256.EncryptECB(c, buf)
	if bytes.Equal(buf, plain) {
		t.Error("not encrypted")
	}
	if aes256.DecryptECB(c, buf); !bytes.Equal(buf, plain) {
		t.Errorf("ECB: %q", buf)
	}
	long := make([]byte, 64)
	aes256.XORKeyStreamCTR(c, [12]byte{1}, 0, long)
	part := make([]byte, 32)
	if aes256.XORKeyStreamCTR(c, [12]byte{1}, 32, part); !bytes.Equal(part, long[32:]) {
		t.Error("CTR does not continue at an offset")
	}
}
