package cli

import (
	"bytes"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"io"
	"time"

	"pakdb/codecs"
)

// most is how many problems an object lists; it counts all of them.
const most = 10_000

// Problem is something that is wrong. What is not known of it is nil.
type Problem struct {
	Archive *string `json:"archive"`
	Path    *string `json:"path"`
	Field   *string `json:"field"`
	Offset  *int64  `json:"offset"`
	Ordinal *int    `json:"ordinal"`
	Cause   string  `json:"cause"`
}

// Of returns the problem that err is, of entry e of an archive. Both may be empty.
func Of(archive string, e *codecs.Entry, err error) Problem {
	p := Problem{Archive: known(archive), Cause: err.Error()}
	if e != nil {
		p.Path, p.Ordinal = known(e.Name), &e.Ordinal
	}
	var format *codecs.FormatError
	if !errors.As(err, &format) {
		return p
	}
	if p.Archive == nil {
		p.Archive = known(format.File)
	}
	if p.Path == nil {
		p.Path = known(format.Entry)
	}
	p.Field, p.Cause = known(format.Field), format.Err.Error()
	if format.Off >= 0 {
		p.Offset = &format.Off
	}
	return p
}

func known(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// Row returns archive, path, field, offset, cause and ordinal.
func (p *Problem) Row() []driver.Value {
	row := []driver.Value{nil, nil, nil, nil, p.Cause, nil}
	for i, s := range []*string{p.Archive, p.Path, p.Field} {
		if s != nil {
			row[i] = *s
		}
	}
	if p.Offset != nil {
		row[3] = *p.Offset
	}
	if p.Ordinal != nil {
		row[5] = int64(*p.Ordinal)
	}
	return row
}

// Object is the result of one command. All methods do nothing on nil, which is a
// command that nobody asked for a result.
type Object struct {
	command  string
	started  time.Time
	values   any
	problems []Problem
	count    int64
	checked  []string         // archives, for JUnit
	found    map[string]int64 // problems of each
}

// NewResult begins the result of a command. zero is a struct whose keys it has besides those
// of all commands; it is the result until Done.
func NewResult(command string, zero any) *Object {
	return &Object{command: command, started: time.Now(), values: zero, problems: []Problem{}, found: map[string]int64{}}
}

// Done sets what the command did, of the type that NewResult was given.
func (o *Object) Done(values any) {
	if o != nil {
		o.values = values
	}
}

// Add adds a problem.
func (o *Object) Add(p Problem) {
	if o == nil {
		return
	}
	o.count++
	if p.Archive != nil {
		o.found[*p.Archive]++
	}
	if len(o.problems) < most {
		o.problems = append(o.problems, p)
	}
}

// Fail adds the error that ended the command.
func (o *Object) Fail(err error) {
	var damage *codecs.DamageError
	if o == nil || !errors.As(err, &damage) {
		o.Add(Of("", nil, err))
		return
	}
	for _, d := range damage.Found {
		p := Problem{Archive: known(d.Archive), Field: known(d.Field), Cause: d.Cause}
		if d.Offset >= 0 {
			p.Offset = &d.Offset
		}
		o.Add(p)
	}
}

// Checked says that an archive was looked at.
func (o *Object) Checked(archive string) {
	if o != nil {
		o.checked = append(o.checked, archive)
	}
}

// Write writes the object on one line.
func (o *Object) Write(w io.Writer, exitCode int) error {
	head, err := json.Marshal(struct {
		Command  string `json:"command"`
		ExitCode int    `json:"exit_code"`
	}{o.command, exitCode})
	if err != nil {
		return err
	}
	values, err := json.Marshal(o.values)
	if err != nil {
		return err
	}
	tail, err := json.Marshal(struct {
		Elapsed  int64     `json:"elapsed_ns"`
		Count    int64     `json:"problem_count"`
		Problems []Problem `json:"problems"`
	}{time.Since(o.started).Nanoseconds(), o.count, o.problems})
	if err != nil {
		return err
	}
	line := append(bytes.TrimSuffix(head, []byte("}")), ',')
	if len(values) > len("{}") {
		line = append(append(line, values[1:len(values)-1]...), ',')
	}
	_, err = w.Write(append(append(line, tail[1:]...), '\n'))
	return err
}
