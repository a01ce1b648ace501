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
		return where + ": whoever is between can change what is fetched: use https, and --trust"
	case u.Scheme == "http":
		return where + ": whoever is between can see what is fetched, and keep new builds back: use https"
	case !signed:
		return where + ": whoever can write to the store decides what is installed: --trust takes only what its owner has signed"
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
