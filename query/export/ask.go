package export

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/url"
	"strconv"
	"strings"
	"time"

	"pakdb/internal/terminal"
	"pakdb/query"
)

// Ask sends a statement that reads, as it is. parameters are values of {name:Type} in it,
// memory the bytes that it may take, 0 for what the server allows. columns is called once, row
// for each row, whose values are nil, int64, float64 or string.
func (s *Server) Ask(ctx context.Context, statement string, parameters map[string]string, memory int64, columns func([]string) error, row func([]driver.Value) error) (err error) {
	values := url.Values{
		"readonly":       {"2"}, // it reads, and settings may be given
		"default_format": {"JSONCompactEachRowWithNamesAndTypes"}, "output_format_json_quote_64bit_integers": {"0"}, "output_format_json_quote_denormals": {"1"},
		"cancel_http_readonly_queries_on_client_close": {"1"},
	}
	for name, v := range parameters {
		values.Set("param_"+name, parameter(v))
	}
	if memory > 0 {
		values.Set("max_memory_usage", strconv.FormatInt(memory, 10))
	}
	if until, ok := ctx.Deadline(); ok {
		values.Set("max_execution_time", strconv.Itoa(int(math.Ceil(max(time.Until(until).Seconds(), 1)))))
	}
	body, err := s.post(ctx, statement, values, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, body.Close()) }()
	dec := json.NewDecoder(body)
	dec.UseNumber()
	var names []string
	for n := 0; ; n++ {
		var list []any
		into := any(&list)
		if n == 0 {
			into = &names
		}
		if err := dec.Decode(into); errors.Is(err, io.EOF) && n != 1 {
			return nil
		} else if err != nil {
			return errors.Join(ctx.Err(), s.broken(n, io.MultiReader(dec.Buffered(), body)))
		}
		switch n {
		case 0:
			err = columns(names)
		case 1: // the types
		default:
			err = row(cells(list))
		}
		if err != nil {
			return err
		}
	}
}

// broken returns the error of an answer that goes on with something else than rows.
func (s *Server) broken(n int, rest io.Reader) error {
	text, _ := io.ReadAll(io.LimitReader(rest, 300))
	if n == 0 {
		return query.Usagef("leave FORMAT out", "%s: the answer is not rows: %s", s, terminal.Printable(string(text)))
	}
	return fmt.Errorf("%s: the answer breaks off after %d rows: %s", s, max(n-2, 0), terminal.Printable(string(text)))
}

// cells returns values of JSON as SQLite would have them. Lists are their JSON.
func cells(list []any) []driver.Value {
	row := make([]driver.Value, len(list))
	for i, v := range list {
		switch v := v.(type) {
		case nil:
		case string:
			row[i] = v
		case bool:
			row[i] = int64(0)
			if v {
				row[i] = int64(1)
			}
		case json.Number:
			row[i] = number(v)
		default:
			text, _ := json.Marshal(v) // of what was JSON
			row[i] = string(text)
		}
	}
	return row
}

// number returns an integer, or what is none as a real; an integer of more than 64 bits is
// its text.
func number(v json.Number) driver.Value {
	if n, err := v.Int64(); err == nil {
		return n
	}
	if f, err := v.Float64(); err == nil && strings.ContainsAny(v.String(), ".eE") {
		return f
	}
	return v.String()
}

// Builds returns the labels of the builds on the server, the oldest first.
func (s *Server) Builds(ctx context.Context) (labels []string, err error) {
	err = s.Ask(ctx, "SELECT build FROM builds ORDER BY created_at, build", nil, 0, func([]string) error { return nil }, func(row []driver.Value) error {
		labels = append(labels, fmt.Sprint(row[0]))
		return nil
	})
	return labels, err
}

// parameter returns a value of a parameter as a request has it: what would end it or begin
// an escape is escaped.
func parameter(text string) string {
	return strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`, "\x00", `\0`).Replace(text)
}
