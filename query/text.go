package query

import (
	"database/sql/driver"
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// text writes a value as text formats show it.
func text(v driver.Value, null string) string {
	switch v := v.(type) {
	case nil:
		return null
	case string:
		return v
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return real(v)
	case []byte:
		return "x'" + hex.EncodeToString(v) + "'"
	case time.Time: // what the driver makes of a column declared as DATETIME
		return v.Format(time.RFC3339Nano)
	}
	return fmt.Sprint(v)
}

// real writes the shortest decimal that reads back as f, and as a real. The
// infinities are written as SQLite does, for lack of a literal.
func real(f float64) string {
	switch {
	case math.IsInf(f, 1):
		return "9.0e+999"
	case math.IsInf(f, -1):
		return "-9.0e+999"
	}
	form := byte('f')
	if a := math.Abs(f); a != 0 && (a < 1e-5 || a >= 1e15) {
		form = 'e'
	}
	s := strconv.FormatFloat(f, form, -1, 64)
	if mantissa, exponent, _ := strings.Cut(s, "e"); !strings.Contains(mantissa, ".") {
		s = mantissa + ".0"
		if exponent != "" {
			s += "e" + exponent
		}
	}
	return s
}

// isNumber reports whether v belongs to the right of a column.
func isNumber(v driver.Value) bool {
	switch v.(type) {
	case int64, float64:
		return true
	}
	return false
}

// visible replaces what would break a line, or command a terminal: names in
// archives are anyone's. keep is left as it is.
func visible(s, keep string) string {
	if isPlain(s) {
		return s
	}
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if !shown(r, n, keep) {
			return s[:i] + escape(s[i:], keep)
		}
		i += n
	}
	return s
}

// isPlain reports whether s is printable ASCII, as nearly all text is: it takes
// one column a byte and needs no escapes.
func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// replace is r.Replace for texts that mostly have none of the characters in any.
func replace(r *strings.Replacer, any, s string) string {
	if !strings.ContainsAny(s, any) {
		return s
	}
	return r.Replace(s)
}

func shown(r rune, n int, keep string) bool {
	return (r != utf8.RuneError || n > 1) && (strconv.IsGraphic(r) || strings.ContainsRune(keep, r))
}

func escape(s, keep string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case shown(r, n, keep):
			b.WriteString(s[i : i+n])
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		default:
			q := strconv.QuoteRuneToASCII(r)
			b.WriteString(q[1 : len(q)-1])
		}
		i += n
	}
	return b.String()
}
