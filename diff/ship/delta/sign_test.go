package delta_test

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"pakdb/diff/ship/delta"
)

// fixedKey is always the same, so that what it signs has the same bytes.
func fixedKey() *delta.SecretKey {
	return &delta.SecretKey{ID: [8]byte{0, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0x0e},
		Key: [64]byte(ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, 32)))}
}

// The texts of keys and signatures stay as earlier versions wrote them.
func TestTextsOfKeysAndSignatures(t *testing.T) {
	key := fixedKey()
	for what, c := range map[string]struct{ got, want string }{
		"secret key": {key.String(), `untrusted comment: minisign secret key 0ECDAB8967452300, not encrypted
RWQAAEIyAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACNFZ4mrzQ4HBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHB+pKbGPinFIKvvVQexMuxfmVR3auvr57kkIe6mkURtIsqPe6/56HaFE1WRIbUS2JeAq0ITdHydMiA0Y5Ffxrxxc=
`},
		"public key": {key.Public().String(), `untrusted comment: minisign public key 0ECDAB8967452300
RWQAI0VniavNDupKbGPinFIKvvVQexMuxfmVR3auvr57kkIe6mkURtIs
`},
		"signature": {key.Sign([]byte("message"), "a comment"), `untrusted comment: signature by pakdb, key 0ECDAB8967452300
RUQAI0VniavNDgv04lSIJ0Nwfl2ZlbIYMfYHVimQbLTxScEwkkjwrVTSxi4XsoPvmPoJMDPMTi0qKh1emDO06QkSvNuF/po7wwg=
trusted comment: a comment
iCJDD0Q380RvXybWCL5k4WhcUABsXt4ivuIb8OfJYkrU8u3sNcH1U/aiovaHiqLHXnun+fLy09oopZkARHZ8BQ==
`},
	} {
		if c.got != c.want {
			t.Errorf("%s:\n%s, want\n%s", what, c.got, c.want)
		}
	}
}

// Minisign accepts what Sign makes, and Verify what minisign makes.
func TestMinisignAgrees(t *testing.T) {
	tool, err := exec.LookPath("minisign")
	if err != nil {
		t.Skip("minisign is not installed")
	}
	key, message, dir := fixedKey(), []byte("message"), t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	run := func(args ...string) {
		t.Helper()
		if out, err := exec.CommandContext(t.Context(), tool, args...).CombinedOutput(); err != nil {
			t.Errorf("minisign %q: %v\n%s", args, err, out)
		}
	}
	signed, public, secret := file("m", string(message)), file("k.pub", key.Public().String()), file("k", key.String())
	file("m.minisig", key.Sign(message, "a comment"))
	run("-V", "-p", public, "-m", signed)
	run("-S", "-s", secret, "-m", signed, "-x", filepath.Join(dir, "theirs"), "-t", "their comment")
	theirs, err := os.ReadFile(filepath.Join(dir, "theirs"))
	if err != nil {
		t.Fatal(err)
	}
	if comment, err := key.Public().Verify(message, string(theirs)); err != nil || comment != "their comment" {
		t.Error(comment, err)
	}
	if _, err := key.Public().Verify([]byte("another"), string(theirs)); !errors.Is(err, delta.ErrSignature) {
		t.Errorf("another message: %v", err)
	}
}
