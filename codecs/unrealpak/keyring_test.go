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
	for _, text := range []string{guid + "=" + keyringCueKey, "short", guid + "=short"} {
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
	err := file.AddFile([]byte(`{"EncryptionKey":{"Key":"` + keyringRepakKey + `"},
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

// Which of two keys with one GUID is meant would be a guess.
func TestKeyRingConflicts(t *testing.T) {
	hexKey := strings.Repeat("ab", 32)
	var r unrealpak.Keyring
	err := r.AddFile([]byte(`{"EncryptionKey":{"Guid":"` + guid + `","Key":"` + hexKey + `"},
		"SecondaryEncryptionKeys":[{"Name":"x","Guid":"` + guid + `","Key":"` + keyringRepakKey + `"}]}`))
	if err == nil || !strings.Contains(err.Error(), "two keys with GUID") {
		t.Error(err)
	}
}

// Of several main keys none is taken unseen: archives try them.
func TestKeyRingMains(t *testing.T) {
	var r unrealpak.Keyring
	for _, text := range []string{keyringRepakKey, keyringCueKey, keyringRepakKey} {
		if err := r.Add(text); err != nil {
			t.Fatal(err)
		}
	}
	if r.Key([16]byte{}) != nil || len(r.Mains()) != 2 || len(r.All()) != 2 {
		t.Errorf("%d main keys of %d", len(r.Mains()), len(r.All()))
	}
}

// TestKeyFiles reads keys in the forms in which people have them.
func TestKeyFiles(t *testing.T) {
	hexKey, dlc := strings.Repeat("ab", 32), [16]byte{0x33, 0x22, 0x11, 0x00, 0x77, 0x66, 0x55, 0x44, 0xbb, 0xaa, 0x99, 0x88, 0xff, 0xee, 0xdd, 0xcc}
	const id = "00112233-4455-6677-8899-AABBCCDDEEFF"
	for name, text := range map[string]string{
		"FModel's API":       `{"version": "1", "mainKey": "0x` + hexKey + `", "dynamicKeys": [{"name": "dlc", "guid": "` + id + `", "key": "` + keyringRepakKey + `"}]}`,
		"FModel's settings":  `{"PerDirectory": {"C:/Game": {"AesKeys": {"mainKey": "` + hexKey + `", "dynamicKeys": [{"guid": "` + id + `", "key": "` + keyringRepakKey + `"}]}}, "D:/Other": {"AesKeys": {"mainKey": "0x` + strings.Repeat("0", 64) + `", "dynamicKeys": null}}}}`,
		"DefaultCrypto.ini":  "[/Script/CryptoKeys.CryptoKeysSettings]\r\nEncryptionKey=q6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6s=\r\nbEncryptPakIniFiles=True\r\n+SecondaryEncryptionKeys=(Guid=" + id + ",Name=\"dlc\",Key=\"" + keyringRepakKey + "\")\r\n",
		"a list":             "# keys of the game\n0x" + hexKey + "\n\n" + id + "=" + keyringRepakKey + "\n",
		"a list with blanks": "// keys\n" + hexKey + "\n" + strings.ReplaceAll(id, "-", "") + " " + keyringRepakKey,
	} {
		var r unrealpak.Keyring
		if err := r.AddFile([]byte("\xef\xbb\xbf" + text)); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if main := r.Key([16]byte{}); !bytes.Equal(main, bytes.Repeat([]byte{0xab}, 32)) || len(r.Key(dlc)) != 32 || r.Key(dlc)[0] != 0x94 {
			t.Errorf("%s: %x, %x", name, main, r.Key(dlc))
		}
	}
	for name, text := range map[string]string{"nothing": "", "comments": "# none\n", "no key": `{"mainKey": ""}`, "a sentence": "the key is secret", "a bad line": hexKey + "\nshort",
		"ini": "[/Script/CryptoKeys.CryptoKeysSettings]\nbEncryptAllAssetFiles=False\n"} {
		if err := new(unrealpak.Keyring).AddFile([]byte(text)); err == nil || strings.Contains(err.Error(), hexKey) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCryptoJSON(t *testing.T) {
	var ring unrealpak.Keyring
	err := ring.AddFile([]byte("\xef\xbb\xbf" + `{"$types": {"x": "1"}, "EncryptionKey": {"$type": "1", "Name": null, "Guid": null, "Key": "` + keyringRepakKey + `"},
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
		if err := new(unrealpak.Keyring).AddFile([]byte(text)); err == nil {
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
		if err := r.AddFile([]byte(text)); err == nil && len(r.All()) == 0 {
			t.Error("neither keys nor error")
		}
	})
}
