package query

import (
	"database/sql/driver"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Args are the values for the parameters of SQL.
type Args struct {
	Named      map[string]driver.Value // by name without : @ or $
	Positional []driver.Value          // for ?, ?1, ?2; and for the parameters of a named query, in its order
}

// maxPositional is SQLite's own limit for ?NNN.
const maxPositional = 32766

// atoi returns a parameter's number, 0 if it is none; it is bounded so that
// what a statement says is never allocated.
func atoi(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 || n > maxPositional {
		return 0
	}
	return n
}

// ParseValue gives a value that was typed its type: null, an integer (also 0x
// and up to 16 hex digits, whose highest bit makes it negative, as hashes are
// stored), a real (with a point or an exponent), 'text' in single quotes, x'hex'
// for a blob; anything else is text as it is. What would not print the same
// as it was typed stays text: 007, +1, and integers of more than 64 bits.
func ParseValue(s string) driver.Value {
	switch {
	case strings.EqualFold(s, "null"):
		return nil
	case len(s) >= 2 && s[0] == '\'' && s[len(s)-1] == '\'':
		return strings.ReplaceAll(s[1:len(s)-1], "''", "'")
	case len(s) >= 3 && (s[0] == 'x' || s[0] == 'X') && s[1] == '\'' && s[len(s)-1] == '\'':
		if b, err := hex.DecodeString(s[2 : len(s)-1]); err == nil {
			return b
		}
	case strings.HasPrefix(s, "0x"):
		if n, err := strconv.ParseUint(s[2:], 16, 64); err == nil {
			return int64(n)
		}
	}
	if n, err := strconv.ParseInt(s, 10, 64); err == nil && strconv.FormatInt(n, 10) == s {
		return n
	}
	if f, ok := parseReal(s); ok {
		return f
	}
	return s
}

// parseReal accepts decimal reals alone: no inf, no hex, no underscores.
func parseReal(s string) (float64, bool) {
	if !strings.ContainsAny(s, "0123456789") || !strings.ContainsAny(s, ".eE") || strings.Trim(s, "0123456789.eE+-") != "" {
		return 0, false
	}
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil && !math.IsInf(f, 0)
}

// ParseArg splits name=value and types the value.
func ParseArg(s string) (name string, v driver.Value, err error) {
	name, text, ok := strings.Cut(s, "=")
	name = strings.TrimLeft(name, ":@$")
	if !ok || name == "" || wordLen(name) != len(name) {
		return "", nil, Usagef("a parameter is given as name=value", "parameter %q", s)
	}
	return name, ParseValue(text), nil
}

// bind returns the values that a statement needs, in the driver's form.
func (a Args) bind(sql string) ([]driver.NamedValue, error) {
	names, positional := parameters(sql)
	var missing []string
	for i := len(a.Positional); i < positional; i++ {
		missing = append(missing, fmt.Sprintf("?%d", i+1))
	}
	var values []driver.NamedValue
	for _, v := range a.Positional {
		values = append(values, driver.NamedValue{Ordinal: len(values) + 1, Value: v})
	}
	for _, name := range names {
		v, ok := a.Named[name]
		if !ok {
			missing = append(missing, ":"+name)
		}
		values = append(values, driver.NamedValue{Ordinal: len(values) + 1, Name: name, Value: v})
	}
	if len(missing) > 0 {
		return nil, Usagef("give it with -p name=value, or as an argument for ?",
			"no value for parameter %s", strings.Join(missing, ", "))
	}
	return values, nil
}

// Parameters returns the names of the parameters of an SQL text, each once.
func Parameters(text string) (all []string) {
	for _, s := range Split(text) {
		names, _ := parameters(s.SQL)
		all = append(all, names...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// check reports values that no statement takes: most likely a typing error.
func (a Args) check(statements []Statement) error {
	var known []string
	positional := 0
	for _, s := range statements {
		names, n := parameters(s.SQL)
		known = append(known, names...)
		positional = max(positional, n)
	}
	if len(a.Positional) > positional {
		return Usagef("arguments bind ?; named parameters are given with -p name=value",
			"%d arguments for %d positional parameters", len(a.Positional), positional)
	}
	for name := range a.Named {
		if !slices.Contains(known, name) {
			return Usagef(suggest(name, known), "no parameter :%s in the SQL", name)
		}
	}
	return nil
}
