package clickhouse

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"pakdb/query"
)

// Scheme is what addresses begin with.
const Scheme = "clickhouse://"

// The password comes from one of these variables; the second names a file.
const (
	PasswordVariable     = "PAKDB_CLICKHOUSE_PASSWORD"
	PasswordFileVariable = "PAKDB_CLICKHOUSE_PASSWORD_FILE"
)

// Address is a database on a server.
type Address struct {
	User, Host, Database string
	Secure               bool // by HTTPS

	password string
}

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`)

const addressHint = Scheme + "user@host:8123/database, with ?secure=1 for HTTPS"

// ParseAddress reads clickhouse://[user@]host[:port][/database][?secure=1]. The user is
// "default" and so is the database, the port 8123, or 8443 for HTTPS. A password in it is
// refused, since others see command lines. Errors are of class [query.ErrUsage].
func ParseAddress(text string) (*Address, error) {
	u, err := url.Parse(text)
	if err != nil || !strings.HasPrefix(text, Scheme) || u.Hostname() == "" || u.Fragment != "" {
		return nil, query.Usagef(addressHint, "this is no address of ClickHouse")
	}
	if _, has := u.User.Password(); has {
		return nil, query.Usagef("set "+PasswordVariable+", or "+PasswordFileVariable+" to the name of a file", "the password must not be in the address: others see command lines")
	}
	a := &Address{User: u.User.Username(), Database: strings.TrimPrefix(u.Path, "/")}
	for key, values := range u.Query() {
		if key != "secure" || len(values) != 1 || values[0] != "1" && values[0] != "0" {
			return nil, query.Usagef(addressHint, "%s: nothing else than secure=1 may follow the question mark", Scheme+u.Host)
		}
		a.Secure = values[0] == "1"
	}
	if a.User == "" {
		a.User = "default"
	}
	if a.Database == "" {
		a.Database = "default"
	}
	if !identifier.MatchString(a.Database) {
		return nil, query.Usagef(addressHint, "database %q: letters, digits and _ are allowed", a.Database)
	}
	port := u.Port()
	if port == "" {
		port = map[bool]string{false: "8123", true: "8443"}[a.Secure]
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return nil, query.Usagef(addressHint, "port %s: a number up to 65535 is allowed", port)
	}
	a.Host = net.JoinHostPort(u.Hostname(), port)
	return a, a.readPassword()
}

func (a *Address) readPassword() error {
	a.password = os.Getenv(PasswordVariable)
	if file := os.Getenv(PasswordFileVariable); a.password == "" && file != "" {
		text, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("%s: %w", PasswordFileVariable, err)
		}
		a.password = strings.TrimRight(string(text), "\r\n")
	}
	if strings.ContainsFunc(a.password, unicode.IsControl) { // which no header can have
		return query.Usagef("a file has the password alone, in one line", "the password has a line break, or another control character")
	}
	return nil
}

// Exposed reports that a password goes over the network as it is.
func (a *Address) Exposed() bool {
	host, _, _ := net.SplitHostPort(a.Host)
	ip := net.ParseIP(host)
	return a.password != "" && !a.Secure && host != "localhost" && (ip == nil || !ip.IsLoopback())
}

// String returns the address without a password.
func (a *Address) String() string { return Scheme + a.User + "@" + a.Host + "/" + a.Database }

func (a *Address) url(values url.Values) string {
	u := url.URL{Scheme: "http", Host: a.Host, Path: "/", RawQuery: values.Encode()}
	if a.Secure {
		u.Scheme = "https"
	}
	return u.String()
}
