package web

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// guard decides which requests are answered.
type guard struct {
	hosts []string // beside those of this machine
	token string   // "": nobody needs one
}

// cookie holds the token in browsers.
const cookie = "pakdb_token"

// check returns why a request is refused, nil if it is not. page says that it asks for the
// page alone, which has no data in it.
func (g *guard) check(r *http.Request, page bool) error {
	if !g.knows(r.Host) {
		return refuse(http.StatusMisdirectedRequest, "pakdb serve --host NAME admits another name", "this server does not go by the name %q", r.Host)
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return refuse(http.StatusMethodNotAllowed, "", "nothing here can be changed: %s", r.Method)
	}
	// A link that someone follows on another site may lead here: it gets the page, which
	// then asks for the data itself.
	follows := page && r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
	if r.Header.Get("Sec-Fetch-Site") == "cross-site" && !follows {
		return refuse(http.StatusForbidden, "", "another site asks")
	}
	if !page && !g.admits(r) {
		return refuse(http.StatusUnauthorized, "give the token of this server", "no token, or another one")
	}
	return nil
}

// knows reports whether a request goes to a name of this server. A name of another that
// leads here is a trick by which pages of others would read the answers.
func (g *guard) knows(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.ToLower(strings.TrimSuffix(strings.Trim(name, "[]"), "."))
	if ip, err := netip.ParseAddr(name); err == nil && ip.Unmap().IsLoopback() {
		return true
	}
	return name == "localhost" || slices.ContainsFunc(g.hosts, func(host string) bool { return strings.EqualFold(host, name) })
}

func (g *guard) admits(r *http.Request) bool {
	if g.token == "" {
		return true
	}
	if given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok && g.equals(given) {
		return true
	}
	c, err := r.Cookie(cookie)
	return err == nil && g.equals(c.Value)
}

// equals compares hashes, in a time that shows nothing of the token.
func (g *guard) equals(given string) bool {
	a, b := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(g.token))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// enter takes a token and gives it to the browser as a cookie.
func (g *guard) enter(w http.ResponseWriter, r *http.Request) {
	var given struct{ Token string }
	switch {
	case !g.knows(r.Host):
		fail(w, refuse(http.StatusMisdirectedRequest, "", "this server does not go by the name %q", r.Host))
	case r.Method != http.MethodPost:
		fail(w, refuse(http.StatusMethodNotAllowed, "", "a token is posted"))
	case !slices.Contains([]string{"", "same-origin", "none"}, r.Header.Get("Sec-Fetch-Site")) || r.Header.Get("Content-Type") != "application/json":
		fail(w, refuse(http.StatusForbidden, "", "another site asks"))
	case json.NewDecoder(io.LimitReader(r.Body, 4096)).Decode(&given) != nil || !g.equals(given.Token):
		fail(w, refuse(http.StatusUnauthorized, "", "another token"))
	default:
		http.SetCookie(w, &http.Cookie{Name: cookie, Value: given.Token, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode,
			Secure: r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https"})
		writeJSON(w, struct{}{})
	}
}

// protect sets what all answers have.
func protect(h http.Header) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; sandbox")
}

// policy is what the page may do: run the scripts of this server, and ask it alone.
func policy(nonce string) string {
	return "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-" + nonce + "'; img-src 'self' data: blob:; media-src 'self' blob:; " +
		"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}

func newNonce() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails
	return base64.StdEncoding.EncodeToString(b[:])
}
