package clickhouse

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"pakdb/internal/nearest"
	"pakdb/query"
	catalog "pakdb/schema"
)

// Limits of SQL of users.
const (
	maxRows    = 50_000_000 // of a result
	maxSeconds = 3600       // unless the context ends earlier
	maxRow     = 96 << 20   // bytes of a row, as JSON
)

// pathHead is the one function of the portable queries that ClickHouse lacks.
var pathHead = regexp.MustCompile(`path_head\((\w+), (:\w+)\)`)

// Portable returns a query of package portable as ClickHouse takes it.
func Portable(sql string) string {
	return pathHead.ReplaceAllString(sql, `if($1 IS NULL, NULL, arrayStringConcat(arraySlice(splitByChar('/', ifNull($1, '')), 1, greatest($2, 1) + startsWith(ifNull($1, ''), '/')), '/'))`)
}

// Ask runs one statement that reads. Parameters of the form :name are bound to named
// values. columns is called once, row for each row, whose values are of type int64,
// float64, string or nil.
func (c *Client) Ask(ctx context.Context, sql string, named map[string]driver.Value, columns func([]string) error, row func([]driver.Value) error) error {
	return c.ask(ctx, sql, named, url.Values{"max_result_rows": {strconv.Itoa(maxRows)}, "result_overflow_mode": {"throw"}}, columns, row)
}

// AskFirst is [Client.Ask] for the first rows of a result: the server may stop once it has so
// many, and may give some more.
func (c *Client) AskFirst(ctx context.Context, most int, sql string, named map[string]driver.Value, columns func([]string) error, row func([]driver.Value) error) error {
	return c.ask(ctx, sql, named, url.Values{"max_result_rows": {strconv.Itoa(most)}, "result_overflow_mode": {"break"}}, columns, row)
}

func (c *Client) ask(ctx context.Context, sql string, named map[string]driver.Value, values url.Values, columns func([]string) error, row func([]driver.Value) error) (err error) {
	if all := Statements(sql); len(all) != 1 {
		return query.Usagef("", "%d statements; one is wanted", len(all))
	}
	maps.Copy(values, url.Values{
		"default_format": {"JSONCompactEachRowWithNamesAndTypes"}, "output_format_json_quote_64bit_integers": {"0"}, "output_format_json_quote_denormals": {"1"},
		"readonly": {"2"}, "join_use_nulls": {"1"}, "prefer_column_name_to_alias": {"1"}, "wait_end_of_query": {"1"},
		// To look a large set of paths up in the index of paths takes seconds, and leaves
		// nothing out.
		"use_index_for_in_with_subqueries_max_values": {"10000"},
		"max_execution_time":                          {strconv.Itoa(seconds(ctx))}, "cancel_http_readonly_queries_on_client_close": {"1"},
	})
	if c.memory > 0 {
		values.Set("max_memory_usage", strconv.FormatInt(c.memory, 10))
	}
	for name, v := range named {
		if !identifier.MatchString(name) {
			return query.Usagef("", "parameter %s: letters, digits and _ are allowed", name)
		}
		if _, values["param_"+name], err = bound(v); err != nil {
			return query.Usagef("", "parameter %s: %w", name, err)
		}
	}
	sql = replaceParameters(sql, func(name string) (string, bool) {
		v, ok := named[name]
		kind, _, _ := bound(v)
		return "{" + name + ":" + kind + "}", ok
	})
	body, err := c.do(ctx, request{sql: sql, values: values})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, body.Close()) }()
	lines := bufio.NewScanner(body)
	lines.Buffer(make([]byte, 64<<10), maxRow)
	var names, types []string
	if line(lines, &names) != nil || line(lines, &types) != nil || len(names) != len(types) {
		return errors.Join(noRows{fmt.Errorf("%s: this is no answer to a query for rows", c.address)}, lines.Err())
	}
	if err := columns(names); err != nil {
		return err
	}
	for lines.Scan() {
		one, err := parse(lines.Bytes(), len(names))
		if err != nil {
			return fmt.Errorf("%s: %w", c.address, err)
		}
		if err := row(one); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%s: %w", c.address, err)
	}
	return nil
}

// seconds is how long a statement may take.
func seconds(ctx context.Context) int {
	if deadline, ok := ctx.Deadline(); ok {
		return max(1, min(maxSeconds, int(math.Ceil(time.Until(deadline).Seconds()))))
	}
	return maxSeconds
}

// bound returns the type of a parameter, and its value as a request has it.
func bound(v driver.Value) (kind string, value []string, err error) {
	switch v := v.(type) {
	case nil:
		return "Nullable(String)", []string{`\N`}, nil
	case int64:
		return "Int64", []string{strconv.FormatInt(v, 10)}, nil
	case float64:
		return "Float64", []string{strconv.FormatFloat(v, 'g', -1, 64)}, nil
	case string:
		return "String", []string{parameter(v)}, nil
	}
	return "", nil, errors.New("blobs cannot be sent")
}

// noRows is the error of an answer that is not what was asked for.
type noRows struct{ error }

func (e noRows) Unwrap() error { return e.error }

// Hint says what the statement may be that gets such an answer.
func (e noRows) Hint() string {
	return "a statement must yield rows, and have no FORMAT of its own"
}

func line(lines *bufio.Scanner, into *[]string) error {
	if !lines.Scan() {
		return errors.New("the answer is cut short")
	}
	return json.Unmarshal(lines.Bytes(), into)
}

// parse reads a row: an array of JSON.
func parse(text []byte, n int) ([]driver.Value, error) {
	var cells []json.RawMessage
	if err := json.Unmarshal(text, &cells); err != nil || len(cells) != n {
		return nil, fmt.Errorf("a row is no array of %d values", n)
	}
	row := make([]driver.Value, n)
	for i, cell := range cells {
		v, err := value(cell)
		if err != nil {
			return nil, err
		}
		row[i] = v
	}
	return row, nil
}

// value returns a value of JSON: arrays and objects as their text, numbers beyond 64 bits
// as theirs.
func value(cell json.RawMessage) (driver.Value, error) {
	switch text := string(bytes.TrimSpace(cell)); {
	case text == "null":
		return nil, nil
	case text == "true":
		return int64(1), nil
	case text == "false":
		return int64(0), nil
	case text[0] == '"':
		var s string
		err := json.Unmarshal(cell, &s)
		return s, err
	case text[0] == '[' || text[0] == '{':
		return text, nil
	default:
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return n, nil
		}
		if f, err := strconv.ParseFloat(text, 64); err == nil && strings.ContainsAny(text, ".eE") {
			return f, nil
		}
		return text, nil
	}
}

// Builds returns the labels of the builds that are seen, oldest first.
func (c *Client) Builds(ctx context.Context) (labels []string, err error) {
	err = c.Ask(ctx, "SELECT build FROM builds ORDER BY created_at, build", nil, func([]string) error { return nil }, func(row []driver.Value) error {
		label, _ := row[0].(string)
		labels = append(labels, label)
		return nil
	})
	return labels, err
}

// Build implements [query.Builds].
func (c *Client) Build(ctx context.Context, label string) (string, error) {
	labels, err := c.Builds(ctx)
	switch {
	case err != nil:
		return "", err
	case slices.Contains(labels, label):
		return label, nil
	case label == "newest" && len(labels) > 0:
		return labels[len(labels)-1], nil
	}
	hint := nearest.Hint(nearest.Names(label, labels))
	return "", query.Usagef(cmp.Or(hint, "pakdb query --on "+c.address.String()+" @builds lists them"), "%w: %s, in %s", catalog.ErrNoBuild, label, c.address)
}

// Before implements [query.Builds].
func (c *Client) Before(ctx context.Context, label string) (driver.Value, error) {
	labels, err := c.Builds(ctx)
	if i := slices.Index(labels, label); i > 0 {
		return labels[i-1], err
	}
	return nil, err
}
