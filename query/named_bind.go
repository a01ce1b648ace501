package query

import (
	"context"
	"database/sql/driver"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Bind gives every parameter of q its value: what args says, by name or by
// position, or the default. Values are of the parameter's type, so that text
// stays text when it looks like a number.
func (db *DB) Bind(ctx context.Context, q *Named, given map[string]string, positional []string) (Args, error) {
	args := Args{Named: map[string]driver.Value{}}
	if len(positional) > len(q.Params) {
		return args, Usagef(q.Usage(), "@%s takes at most %d arguments", q.Name, len(q.Params))
	}
	texts := maps.Clone(given)
	if texts == nil {
		texts = map[string]string{}
	}
	for i, text := range positional {
		texts[q.Params[i].Name] = text
	}
	for _, p := range q.Params {
		text, ok := texts[p.Name]
		delete(texts, p.Name)
		if !ok {
			text = p.Default
		}
		if text == "-" && !ok {
			return args, Usagef(q.Usage(), "@%s needs a value for %s", q.Name, p.Name)
		}
		v, err := db.value(ctx, p, text, args)
		if err != nil {
			return args, err
		}
		args.Named[p.Name] = v
	}
	for name := range texts {
		return args, Usagef(q.Usage(), "@%s has no parameter %s", q.Name, name)
	}
	return args, nil
}

// Given reports whether one of n values without names is that of a parameter.
func (q *Named) Given(param string, n int) bool {
	return slices.ContainsFunc(q.Params[:min(n, len(q.Params))], func(p Param) bool { return p.Name == param })
}

// value types a text as p says. Parameters before p are bound already.
func (db *DB) value(ctx context.Context, p Param, text string, bound Args) (driver.Value, error) {
	if strings.EqualFold(text, "null") {
		return nil, nil
	}
	switch p.Type {
	case "build":
		if before, ok := bound.Named["build"].(string); ok && text == "previous" {
			return db.previous(ctx, before)
		}
		return db.Build(ctx, text)
	case "integer":
		if n, err := strconv.ParseInt(text, 0, 64); err == nil {
			return n, nil
		}
		return nil, Usagef("", "%s: %q is not an integer", p.Name, text)
	case "number":
		if f, err := strconv.ParseFloat(text, 64); err == nil {
			return f, nil
		}
		return nil, Usagef("", "%s: %q is not a number", p.Name, text)
	}
	if v, ok := ParseValue(text).(string); ok {
		return v, nil // takes 'quotes' off
	}
	return text, nil
}
