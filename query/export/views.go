package export

import (
	"context"
	"database/sql"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pakdb/schema"
)

// Version is the version of the views. It grows when a column changes its meaning; new
// columns and views leave it alone.
const Version = 1

// Views returns the views that have rows of builds, with the columns that mean the same in
// every catalog.
func Views() (all []*schema.View) {
	for _, v := range schema.Views() {
		if slices.ContainsFunc(v.Columns, func(c schema.ViewColumn) bool { return c.Name == "build" }) {
			v.Columns = slices.DeleteFunc(v.Columns, func(c schema.ViewColumn) bool { return !travels(c) })
			all = append(all, v)
		}
	}
	return all
}

// travels reports whether a column is to be copied: build names the partition, and numbers of
// rows mean nothing without their catalog, nor does the place of an archive on the machine that
// scanned it. What pakdb alone reads of the catalog is NULL in a copy.
func travels(c schema.ViewColumn) bool {
	return c.Name != "build" && c.Name != "location" && !strings.HasPrefix(c.Doc, "pakdb only") && !(c.Type == "integer" && strings.HasSuffix(c.Name, "_id"))
}

// Names returns the names of all views.
func Names() (names []string) {
	for _, v := range Views() {
		names = append(names, v.Name)
	}
	return names
}

// statement returns the SELECT of the rows of a build, whose label is ?1. All columns sort,
// so that the same build gives the same rows in the same order; places come first, so that
// neighbours are alike.
func statement(v *schema.View) string {
	var list []string
	places, rest := make([]string, 7), []string{}
	for _, c := range v.Columns {
		name := `"` + c.Name + `"`
		if c.Type == "any" {
			list = append(list, "CAST("+name+" AS TEXT) AS "+name)
		} else {
			list = append(list, name)
		}
		by := name + " COLLATE BINARY"
		if i := slices.Index([]string{"path", "archive", "export_ordinal", "ordinal", "position", "seq", "line"}, c.Name); i >= 0 {
			places[i] = by
		} else {
			rest = append(rest, by)
		}
	}
	order := slices.DeleteFunc(append(places, rest...), func(s string) bool { return s == "" })
	return "SELECT " + strings.Join(list, ", ") + " FROM " + v.Name + " WHERE build = ?1 ORDER BY " + strings.Join(order, ", ")
}

// each calls row for each row of a build, whose values are nil, string, int64 or float64.
// The slice is overwritten by the next row.
func each(ctx context.Context, db *sql.DB, v *schema.View, build string, row func([]any) error) error {
	values, into := make([]any, len(v.Columns)), make([]any, len(v.Columns))
	for i := range values {
		into[i] = &values[i]
	}
	return schema.Classify(schema.Each(ctx, db, func(rows *sql.Rows) error {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		for i, c := range v.Columns {
			var err error
			if values[i], err = value(&c, values[i]); err != nil {
				return err
			}
		}
		return row(values)
	}, statement(v), build))
}

// value returns a value as files have it, or an error if the column is of another type.
// Texts that are not UTF-8 have U+FFFD in place of what is not.
func value(c *schema.ViewColumn, v any) (any, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case string:
		switch c.Type {
		case "text", "any", "time":
			return strings.ToValidUTF8(v, "\uFFFD"), nil
		}
	case []byte:
		switch c.Type {
		case "blob":
			return hex.EncodeToString(v), nil
		case "text", "any":
			return strings.ToValidUTF8(string(v), "\uFFFD"), nil
		}
	case int64:
		switch c.Type {
		case "integer":
			return v, nil
		case "boolean":
			if v == 0 || v == 1 {
				return v, nil
			}
		case "number", "real":
			return float64(v), nil
		case "text":
			return strconv.FormatInt(v, 10), nil
		}
	case float64:
		if c.Type == "number" || c.Type == "real" {
			return v, nil
		}
	}
	return nil, fmt.Errorf("column %s: %T %v where %s is expected", c.Name, v, v, c.Type)
}
