package semantic

import (
	"context"
	"database/sql/driver"
	"slices"
	"strings"

	"pakdb/codecs"
	"pakdb/diff"
	"pakdb/diff/internal/side"
)

const contentProblems = "SELECT cause FROM x_content_problem WHERE content_id = ?1 ORDER BY seq"

// problemOf returns what is wrong with a content, or with its exports where these lie in
// another one; "" for nothing. A departure from the format hides nothing.
func (s *Comparer) problemOf(ctx context.Context, build int64, f *diff.File) (cause string, err error) {
	ids := []int64{f.ContentID}
	header, body, err := s.splitFiles(ctx, build, f)
	if err != nil {
		return "", err
	}
	for _, part := range []*diff.File{header, body} {
		if part != nil {
			ids = append(ids, part.ContentID)
		}
	}
	for _, id := range ids {
		err := s.each(ctx, contentProblems, []driver.Value{id}, func(v []driver.Value) {
			if text := side.Text(v[0]); cause == "" && !strings.HasPrefix(text, codecs.ErrNonStrict.Error()) {
				cause = text
			}
		})
		if err != nil {
			return "", err
		}
	}
	return cause, nil
}

// tellDamage says which of the contents are damaged, in place of all that they seem to
// lack: what could not be read was not removed. It reports whether one is.
func (s *Comparer) tellDamage(ctx context.Context, in *Difference, old, new *diff.File) (damaged bool, err error) {
	before, err := s.problemOf(ctx, s.oldID, old)
	if err != nil {
		return false, err
	}
	after, err := s.problemOf(ctx, s.newID, new)
	if err != nil || before+after == "" {
		return false, err
	}
	in.Fields = slices.DeleteFunc(in.Fields, func(f Field) bool { return before != "" && f.Old == nil || after != "" && f.New == nil })
	in.Functions = slices.DeleteFunc(in.Functions, func(f Function) bool {
		return before != "" && f.Kind == FunctionAdded || after != "" && f.Kind == FunctionRemoved
	})
	if after != "" {
		in.Fields = slices.Insert(in.Fields, 0, Field{Name: "damaged in " + s.NewBuild, New: &after})
	}
	if before != "" {
		in.Fields = slices.Insert(in.Fields, 0, Field{Name: "damaged in " + s.OldBuild, Old: &before})
	}
	return true, nil
}
