package cli

import (
	"fmt"
	"os"
	"strings"

	"pakdb/query/export"
)

// Server returns the database of ClickHouse at an address, and warns if a password will be
// sent as it is. The caller closes it.
func Server(a *App, address string) (*export.Server, error) {
	s, err := export.NewServer(address)
	if err == nil && s.Exposed() {
		a.Warn("the password goes over the network as it is; ?secure=1 uses HTTPS")
	}
	return s, err
}

// ReadToken reads a token that a server and its clients share from a file.
func ReadToken(file string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", Usage(err)
	}
	token := strings.TrimSpace(string(text))
	if len(token) < 16 || len(token) > 4000 || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r >= 0x7f || strings.ContainsRune("\",;\\", r) }) {
		return "", WithHint(fmt.Errorf("%w: %s: a token has 16 to 4000 letters, digits and signs of ASCII, none of \" , ; \\", ErrUsage, file), "openssl rand -hex 16 makes one")
	}
	return token, nil
}
