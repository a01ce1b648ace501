package unrealpak_test

import (
	"bytes"
	"strings"
	"testing"

	"pakdb/codecs/unrealpak"
	"pakdb/internal/aes256"
)

// The keys of samples that others made, which are public.
const (
	keyringRepakKey = "lNJbw660IOC+kU7cnVQ1oeqrXyhk4J6UAZrCBbcnp94="
	keyringCueKey   = "CUE4ParseFixtureAESKey0123456789"
)

const guid = "0123456789ABCDEF0011223344556677"

func TestKeyRing(t *testing.T) {
	hexKey := strings.Repeat("ab", 32)
	var r unrealpak.Keyring
	if r.Print() != "" || r.Key([16]byte{}) != nil {
		t.Error("an empty ring holds a key")
	}
	for _, text := range []string{keyringRepakKey, keyringRepakKey, guid + "=0x" + hexKey} {
		if err := r.Add(text); err != nil {
			t.Error(err)
		}
	}
	id := [16]byte{0x67, 0x45, 0x23, 0x01, 0xef, 0xcd, 0xab, 0x89, 0x33, 0x22, 0x11, 0x00, 0x77, 0x66, 0x55, 0x44}
	if got := r.Key(id); !bytes.Equal(got, bytes.Repeat([]byte{0xab}, 32)) {
		t.Errorf("key by GUID: %x", got)
	}
	want, err := aes256.ParseKey(keyringRepakKey)
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Key([16]byte{}); !bytes.Equal(got, want) {
		t.Errorf("main key: %x", got)
	}
	for _, text := range []string{keyringCueKey, guid + "=" + keyringCueKey, "short", guid + "=short"} {
		if err := r.Add(text); err == nil || strings.Contains(err.Error(), keyringCueKey) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// The print depends on the keys, not on how or in which order they came.
func TestKeyRingPrint(t *testing.T) {
	hexKey := strings.Repeat("ab", 32)
	ring := func(texts ...string) *unrealpak.Keyring {
		var r unrealpak.Keyring
		for _, s := range texts {
			if err := r.Add(s); err != nil {
				t.Fatal(err)
			}
		}
		return &r
	}
	var file unrealpak.Keyring
	err := file.AddCryptoJSON([]byte(`{"EncryptionKey":{"Key":"` + keyringRepakKey + `"},
		"SecondaryEncryptionKeys":[{"Name":"dlc","Guid":"` + guid + `","Key":"` + hexKey + `"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	both := ring(guid+"="+hexKey, keyringRepakKey)
	if both.Print() != file.Print() || both.Print() == ring(keyringRepakKey).Print() || len(both.Print()) != 16 {
		t.Errorf("prints %q %q %q", both.Print(), file.Print(), ring(keyringRepakKey).Print())
	}
	first := ring(keyringRepakKey)
	first.Fill(ring(keyringCueKey, guid+"="+hexKey))
	if first.Print() != both.Print() {
		t.Error("Fill replaced the main key, or left the other out")
	}
}

// Which of two keys is meant would be a guess, wherever they come from.
func TestKeyRingConflicts(t *testing.T) {
	hexKey := strings.Repeat("ab", 32)
	for name, text := range map[string]string{
		"two main keys": `{"EncryptionKey":{"Key":"` + hexKey + `"},"SecondaryEncryptionKeys":[{"Name":"x","Key":"` + keyringRepakKey + `"}]}`,
		"main keys that differ by GUID": `{"EncryptionKey":{"Guid":"` + guid + `","Key":"` + hexKey + `"},
			"SecondaryEncryptionKeys":[{"Name":"x","Guid":"` + guid + `","Key":"` + keyringRepakKey + `"}]}`,
		"another than was given": `{"EncryptionKey":{"Key":"` + hexKey + `"}}`,
	} {
		var r unrealpak.Keyring
		if name == "another than was given" {
			if err := r.Add(keyringRepakKey); err != nil {
				t.Fatal(err)
			}
		}
		if err := r.AddCryptoJSON([]byte(text)); err == nil || !strings.Contains(err.Error(), "two ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCryptoJSON(t *testing.T) {
	var ring unrealpak.Keyring
	err := ring.AddCryptoJSON([]byte("\xef\xbb\xbf" + `{"$types": {"x": "1"}, "EncryptionKey": {"$type": "1", "Name": null, "Guid": null, "Key": "` + keyringRepakKey + `"},
		"bEnablePakSigning": false,
		"SecondaryEncryptionKeys": [{"Name": "DLC", "Guid": "00112233445566778899AABBCCDDEEFF", "Key": "` + keyringCueKey + `"}]}`))
	keys := ring.Key
	if err != nil {
		t.Fatal(err)
	}
	dlc := [16]byte{0x33, 0x22, 0x11, 0x00, 0x77, 0x66, 0x55, 0x44, 0xbb, 0xaa, 0x99, 0x88, 0xff, 0xee, 0xdd, 0xcc}
	if main := keys([16]byte{}); len(main) != 32 || main[0] != 0x94 || string(keys(dlc)) != keyringCueKey || keys([16]byte{1}) != nil {
		t.Errorf("%x %q %x", main, keys(dlc), keys([16]byte{1}))
	}
	for _, text := range []string{"", "{}", `{"EncryptionKey":{"Key":"x"}}`, `{"SecondaryEncryptionKeys":[{"Guid":"x","Key":"` + keyringRepakKey + `"}]}`} {
		if err := new(unrealpak.Keyring).AddCryptoJSON([]byte(text)); err == nil {
			t.Errorf("%s: accepted", text)
		}
	}
}

func FuzzKeys(f *testing.F) {
	f.Add(keyringRepakKey)
	f.Add(`{"EncryptionKey":{"Key":"` + keyringRepakKey + `"},"SecondaryEncryptionKeys":[{"Name":"x","Guid":"00112233445566778899AABBCCDDEEFF","Key":"0x00"}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		if key, err := aes256.ParseKey(text); err == nil && len(key) != 32 {
			t.Errorf("%d bytes", len(key))
		}
		var r unrealpak.Keyring
		if err := r.AddCryptoJSON([]byte(text)); err == nil && len(r.All()) == 0 {
			t.Error("neither keys nor error")
		}
	})
}
