package catalog

import (
	"fmt"
	"net"
	"net/netip"
	"os"
	"strings"
	"time"

	"pakdb/cmd/pakdb/internal/cli"
)

type options struct {
	addr      string
	tokenFile string
	hosts     []string
	read      []string
	open      bool
	time      time.Duration
}

// check refuses what would show the catalog to anyone, and returns the token.
func (o *options) check() (token string, err error) {
	if _, _, err := net.SplitHostPort(o.addr); err != nil {
		return "", fmt.Errorf("%w: --addr %q: want HOST:PORT", cli.ErrUsage, o.addr)
	}
	if o.time <= 0 {
		return "", fmt.Errorf("%w: --timeout %s: want more", cli.ErrUsage, o.time)
	}
	if o.tokenFile == "" {
		if !o.local() {
			return "", cli.WithHint(fmt.Errorf("%w: --addr %s: others could read all of the catalog", cli.ErrUsage, o.addr),
				"--token-file FILE asks them for a token; openssl rand -hex 16 > FILE makes one")
		}
		return "", nil
	}
	text, err := os.ReadFile(o.tokenFile)
	if err != nil {
		return "", cli.Usage(err)
	}
	token = strings.TrimSpace(string(text))
	if len(token) < 16 || len(token) > 4000 || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r >= 0x7f || strings.ContainsRune("\",;\\", r) }) {
		return "", cli.WithHint(fmt.Errorf("%w: %s: a token has 16 to 4000 letters, digits and signs of ASCII, none of \" , ; \\", cli.ErrUsage, o.tokenFile), "openssl rand -hex 16 makes one")
	}
	return token, nil
}

// local reports whether nobody but this machine can reach the address.
func (o *options) local() bool {
	host, _, _ := net.SplitHostPort(o.addr) // check looked at it
	ip, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && ip.Unmap().IsLoopback()
}

// names are what the server goes by: those that were given, and the address itself where it
// names one.
func (o *options) names() []string {
	host, _, _ := net.SplitHostPort(o.addr)
	if ip, err := netip.ParseAddr(host); host != "" && (err != nil || !ip.IsUnspecified()) {
		return append([]string{host}, o.hosts...)
	}
	return o.hosts
}
