package query

import "database/sql/driver"

// Rows writes one result whose rows do not come from SQL. It is not safe for
// concurrent use.
type Rows struct{ out *output }

// Rows begins a result with these columns. An unknown format is of class
// ErrUsage.
func (o Output) Rows(columns ...string) (*Rows, error) {
	w, err := o.writer()
	if err != nil {
		return nil, err
	}
	return &Rows{w}, w.columns(columns)
}

// Write writes a row: a value for each column, of the types int64, float64,
// string, []byte or nil.
func (r *Rows) Write(values ...driver.Value) error { return r.out.row(values) }

// Close completes the result. It does not close the writer.
func (r *Rows) Close() error {
	if err := r.out.end(); err != nil {
		return err
	}
	return r.out.flush()
}
