package schema

import (
	"cmp"
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"modernc.org/sqlite"

	"pakdb/schema/internal/conn"
)

// ValueEdit is a change of a value that a statement asks for.
type ValueEdit struct {
	Op            string // update, insert or delete
	Archive, Path string // of the row; Archive is "" for a new one
	Object, Field string // Object is "#3" for the export of that number
	Value         string // the new one
}

// ErrEdit is the class of errors about rows that cannot be changed as asked.
var ErrEdit = errors.New("the statement asks for a change that cannot be made")

// editableViews are the views whose values statements change. A trigger passes each row to
// pakdb_edit. Other columns and other views have none, so that SQLite refuses to change them.
var editableViews = []string{"properties", "data_table_rows", "translations", "calligraphy_fields", "calligraphy_curves"}

const editTriggers = `
CREATE TEMP TRIGGER edit_update INSTEAD OF UPDATE OF value ON properties BEGIN
	SELECT pakdb_edit('update', OLD.archive, OLD.path, '#' || OLD.export_ordinal, OLD.field, OLD.value, NEW.value);
END;
CREATE TEMP TRIGGER edit_insert INSTEAD OF INSERT ON properties BEGIN
	SELECT pakdb_edit('insert', NEW.build, NEW.path, NEW.export, NEW.field, NULL, NEW.value);
END;
CREATE TEMP TRIGGER edit_delete INSTEAD OF DELETE ON properties BEGIN
	SELECT pakdb_edit('delete', OLD.archive, OLD.path, '#' || OLD.export_ordinal, OLD.field, NULL, NULL);
END;
CREATE TEMP TRIGGER edit_cell INSTEAD OF UPDATE OF value ON data_table_rows BEGIN
	SELECT pakdb_edit('update', OLD.archive, OLD.path, '#' || OLD.export_ordinal, 'Rows[' || OLD.row_name || '].' || OLD.field, OLD.value, NEW.value);
END;
CREATE TEMP TRIGGER edit_row INSTEAD OF INSERT ON data_table_rows BEGIN
	SELECT pakdb_edit('insert', NEW.build, NEW.path, coalesce('#' || NEW.export_ordinal, NEW.data_table), 'Rows[' || NEW.row_name || '].' || NEW.field, NULL, NEW.value);
END;
CREATE TEMP TRIGGER edit_text INSTEAD OF UPDATE OF text ON translations BEGIN
	SELECT pakdb_edit('update', OLD.archive, OLD.path, '', OLD.namespace || '[' || OLD.key || ']', OLD.text, NEW.text);
END;
CREATE TEMP TRIGGER edit_field INSTEAD OF UPDATE OF value ON calligraphy_fields BEGIN
	SELECT pakdb_edit('update', OLD.archive, OLD.path, '', '#' || OLD.ordinal, OLD.value, NEW.value);
END;
CREATE TEMP TRIGGER edit_point INSTEAD OF UPDATE OF value ON calligraphy_curves BEGIN
	SELECT pakdb_edit('update', OLD.archive, OLD.path, '', 'Values[' || OLD.position || ']', CAST(OLD.value AS REAL), NEW.value);
END;
`

// ValueEdits runs statements that change the values of a build: UPDATE, INSERT and DELETE on
// the view properties, UPDATE and INSERT on data_table_rows, and UPDATE on translations,
// calligraphy_fields and calligraphy_curves. It returns the changes that they ask for. The catalog is read alone.
func ValueEdits(ctx context.Context, path, build, statements string) (edits []ValueEdit, err error) {
	var refused error
	record := Function{Name: "pakdb_edit", Args: 7, Call: func(_ context.Context, v []driver.Value) (driver.Value, error) {
		e, changed, err := newValueEdit(build, v)
		if err == nil && changed {
			edits = append(edits, e)
		}
		refused = err
		return nil, err
	}}
	r := readOnly(ctx, path, []Function{record}, nil, false)
	defer func() { err = errors.Join(err, r.Close()) }()
	c, err := r.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = c.Close() }()
	// A trigger on a view begins to write, which query_only forbids. Nothing is written: the
	// file is open for reading alone, and the authorizer admits the triggers of these views.
	setUp := "PRAGMA query_only = 0;"
	for _, view := range editableViews {
		setUp += fmt.Sprintf("CREATE TEMP VIEW %s AS SELECT * FROM main.%[1]s WHERE build = '%s';", view, strings.ReplaceAll(build, "'", "''"))
	}
	err = c.Raw(func(driverConn any) error {
		guard := driverConn.(sqlite.AuthorizerRegisterer)
		if err := guard.RegisterAuthorizer(nil); err != nil {
			return err
		}
		_, err := driverConn.(driver.ExecerContext).ExecContext(ctx, setUp+editTriggers, nil)
		return errors.Join(err, guard.RegisterAuthorizer(authorizeEdits))
	})
	if err != nil {
		return nil, err
	}
	if _, err := c.ExecContext(ctx, statements); err != nil {
		return nil, cmp.Or(refused, conn.Classify(err))
	}
	return edits, nil
}

// newValueEdit returns the change of a row; changed is false if it keeps its value.
func newValueEdit(build string, v []driver.Value) (e ValueEdit, changed bool, err error) {
	text := func(i int) string { s, _ := v[i].(string); return s }
	e = ValueEdit{Op: text(0), Archive: text(1), Path: text(2), Object: text(3), Field: text(4)}
	fail := func(format string, args ...any) (ValueEdit, bool, error) {
		why := fmt.Sprintf(format, args...)
		for _, at := range []string{e.Field, e.Path} {
			if at != "" {
				why = at + ": " + why
			}
		}
		return e, false, fmt.Errorf("%w: %s", ErrEdit, why)
	}
	if e.Op == "insert" {
		if of := e.Archive; of != "" && of != build {
			return fail("it is of build %s", of)
		}
		e.Archive = ""
	}
	switch {
	case e.Path == "" || e.Field == "":
		return fail("a row needs path and field, in data_table_rows row_name too")
	case strings.Contains(e.Field, "[].") && e.Op == "update":
		return fail("the view does not say which element it is: use the view properties")
	case e.Op == "delete":
		return e, true, nil
	}
	old, value := v[5], v[6]
	switch now := value.(type) {
	case nil:
		if old == nil && e.Op == "update" {
			return e, false, nil
		}
		return fail("NULL is no value: DELETE unsets the field")
	case string:
		e.Value = now
		return e, now != old || e.Op == "insert", nil
	case int64:
		e.Value = strconv.FormatInt(now, 10)
	case float64:
		e.Value = decimal(now)
		if _, ok := old.(int64); ok {
			e.Value = strconv.FormatFloat(math.Round(now), 'f', 0, 64)
		}
	default:
		return fail("%T is no value", value)
	}
	if was, ok := old.(string); ok && was != "NaN" {
		return fail("%s would take the place of the text %q: CAST(... AS TEXT) if it shall", e.Value, was)
	}
	return e, value != old, nil
}

// decimal returns a number as the decimal that its first 15 digits are, if that is a short one:
// SQL computes with binary numbers, by which 24 * 1.2 is 28.799999999999997. Others keep all
// digits.
func decimal(v float64) string {
	const sure, short = 15, 12 // digits
	whole := strconv.FormatFloat(v, 'g', -1, 64)
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', sure, 64), 64)
	if near := strconv.FormatFloat(rounded, 'g', -1, 64); len(near) <= short && len(near) < len(whole) {
		return near
	}
	return whole
}

// authorizeEdits admits reading, and the triggers of the views that can be changed.
func authorizeEdits(action sqlite.AuthorizerActionCode, arg1, arg2, schema, trigger string) sqlite.AuthorizerReturnCode {
	switch action {
	case sqlite.AuthUpdate, sqlite.AuthInsert, sqlite.AuthDelete:
		if schema == "temp" && slices.Contains(editableViews, arg1) {
			return sqlite.AuthorizerOK
		}
	case sqlite.AuthFunction:
		if arg2 == "pakdb_edit" && !strings.HasPrefix(trigger, "edit_") {
			return sqlite.AuthorizerDeny
		}
	}
	return authorize(action, arg1, arg2, schema, trigger)
}
