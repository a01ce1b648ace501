package delta_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pakdb/diff/ship/delta"
	"pakdb/internal/testkit"
)

// protectedKey is fixedKey with the password "a password", by scrypt with little
// memory, so that tests are quick.
const protectedKey = `untrusted comment: minisign encrypted secret key
RWRTY0IyAAcOFRwjKjE4P0ZNVFtiaXB3foWMk5qhqK+2vcTL0tkAgAAAAAAAAAAAAAEAAAAA/hdMadMM9nZmeDScQ6vV11Yt+CwCWBdhsMnqXMawKvyjGvRMe7jRejgzLkk8qVsG+MmoDcXJfmB9Abw/MiSgSGaL0mVPfOVItOw3qJcMcdyoJf6C9ooN5568ZyPrI1uJXySfSE1g8Zc=
`

func TestProtectedKeys(t *testing.T) {
	if _, err := delta.ParseSecretKey(protectedKey); !errors.Is(err, delta.ErrPassword) {
		t.Errorf("without a password: %v", err)
	}
	for password, want := range map[string]error{"a password": nil, "another": delta.ErrPassword, "": delta.ErrPassword} {
		key, err := delta.ParseProtectedKey(protectedKey, password)
		if !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", password, err, want)
		}
		if err == nil && *key != *fixedKey() {
			t.Errorf("%q: another key, %s", password, key)
		}
	}
	crlf := strings.ReplaceAll(protectedKey, "\n", "\r\n")
	if _, err := delta.ParseProtectedKey(crlf, "a password"); err != nil {
		t.Errorf("with the ends of lines of Windows: %v", err)
	}
	damaged := strings.Replace(protectedKey, "encrypted secret key\nRWRT", "encrypted secret key\nRWRS", 1)
	for _, text := range []string{"", "x", fixedKey().String(), damaged, protectedKey[:len(protectedKey)/2]} {
		if key, err := delta.ParseProtectedKey(text, "a password"); err == nil {
			t.Errorf("%q is read as %s", text, key)
		}
	}
}

// TestMinisignReadsProtected: minisign signs with a key that Protected wrote. That
// ParseProtectedKey reads it, the script delta_password asks.
func TestMinisignReadsProtected(t *testing.T) {
	tool, err := exec.LookPath("minisign")
	if err != nil || !testkit.Deep() {
		t.Skip("takes minisign, 1 GiB of memory and ten seconds")
	}
	text, err := fixedKey().Protected("a password")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := delta.ParseSecretKey(text); !errors.Is(err, delta.ErrPassword) {
		t.Errorf("%v", err)
	}
	dir := t.TempDir()
	secret, message := filepath.Join(dir, "key"), filepath.Join(dir, "m")
	for name, text := range map[string]string{secret: text, message: "message"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), tool, "-S", "-s", secret, "-m", message)
	cmd.Stdin = strings.NewReader("a password\n")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	sig, err := os.ReadFile(message + ".minisig")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fixedKey().Public().Verify([]byte("message"), string(sig)); err != nil {
		t.Error(err)
	}
}
