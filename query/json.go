package query

import (
	"bufio"
	"database/sql/driver"
	"encoding/hex"
	"strconv"
	"strings"
	"unicode/utf8"
)

// jsonRows writes objects with the columns in their order: as one array, or as
// JSON lines.
type jsonRows struct {
	buf   *bufio.Writer
	array bool
	keys  [][]byte // quoted, with the colon and what is before it
	n     int64
	line  []byte
}

func (j *jsonRows) head(columns []string) error {
	j.n, j.keys = 0, nil
	sep := "{"
	valid := make([]string, len(columns)) // names that differ in bytes outside of UTF-8 alone are one name in JSON
	for i, name := range columns {
		valid[i] = strings.ToValidUTF8(name, "\uFFFD")
	}
	for _, name := range unique(valid) {
		key := append(appendString([]byte(sep), name), ':')
		j.keys = append(j.keys, key)
		sep = ","
	}
	return nil
}

// unique numbers the names that occur again: name, name_2. A number that is a
// name already is passed over.
func unique(names []string) []string {
	taken := map[string]bool{}
	for _, name := range names {
		taken[name] = true
	}
	seen := map[string]bool{}
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = name
		for n := 2; seen[name] && taken[all[i]]; n++ {
			all[i] = name + "_" + strconv.Itoa(n)
		}
		seen[name], taken[all[i]] = true, true
	}
	return all
}

func (j *jsonRows) row(values []driver.Value) error {
	b := j.line[:0]
	switch {
	case j.array && j.n == 0:
		b = append(b, "[\n"...)
	case j.array:
		b = append(b, ",\n"...)
	case j.n > 0:
		b = append(b, '\n')
	}
	for i, v := range values {
		b = appendJSON(append(b, j.keys[i]...), v)
	}
	b = append(b, '}')
	j.n++
	j.line = b
	_, err := j.buf.Write(b)
	return err
}

func (j *jsonRows) end() error {
	closing := ""
	switch {
	case j.array && j.n == 0:
		closing = "[]\n"
	case j.array:
		closing = "\n]\n"
	case j.n > 0:
		closing = "\n"
	}
	_, err := j.buf.WriteString(closing)
	return err
}

func appendJSON(b []byte, v driver.Value) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...)
	case int64:
		return strconv.AppendInt(b, v, 10)
	case float64:
		return append(b, real(v)...)
	case []byte:
		b = append(b, '"')
		b = hex.AppendEncode(b, v)
		return append(b, '"')
	}
	return appendString(b, text(v, ""))
}

// appendString quotes s; bytes that are no UTF-8 become U+FFFD, for JSON has no
// other way. Control characters of Latin-1 are escapes too: terminals obey U+009B.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	start := 0
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r >= ' ' && r != '"' && r != '\\' && (r < 0x7f || r > 0x9f) && (r != utf8.RuneError || n > 1) && r != 0x2028 && r != 0x2029 {
			i += n
			continue
		}
		b = appendEscape(append(b, s[start:i]...), r)
		i += n
		start = i
	}
	return append(append(b, s[start:]...), '"')
}

func appendEscape(b []byte, r rune) []byte {
	switch r {
	case '"', '\\':
		return append(b, '\\', byte(r))
	case '\n':
		return append(b, `\n`...)
	case '\r':
		return append(b, `\r`...)
	case '\t':
		return append(b, `\t`...)
	}
	const digits = "0123456789abcdef"
	return append(b, '\\', 'u', digits[r>>12&15], digits[r>>8&15], digits[r>>4&15], digits[r&15])
}
