package place

import (
	"net/netip"
	"net/url"
	"strings"
)

// Doubt tells what is not sure about what comes from a location, "" for nothing. signed: only
// what the owner of a key has signed is taken. Folders and this machine are not doubted.
func Doubt(location string, signed bool) string {
	u, err := url.Parse(location)
	if err != nil || !strings.Contains(location, "://") {
		return ""
	}
	if endpoint := u.Query().Get("endpoint"); IsBucket(location) && strings.Contains(endpoint, "://") {
		if u, err = url.Parse(endpoint); err != nil {
			return ""
		}
	}
	if isHere(u.Hostname()) {
		return ""
	}
	where := u.Scheme + "://" + u.Host
	switch {
	case u.Scheme == "http" && !signed:
		return where + ": others on the network can change the data: use https, and --trust"
	case u.Scheme == "http":
		return where + ": others on the network can see the data, and hold back new builds: use https"
	case !signed:
		return where + ": anyone who can write to the store can change the game: --trust accepts only builds that its owner signed"
	}
	return ""
}

// isHere reports whether a host is this machine.
func isHere(host string) bool {
	if strings.EqualFold(host, "localhost") || strings.HasSuffix(strings.ToLower(host), ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}
