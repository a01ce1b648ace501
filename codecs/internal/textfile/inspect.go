package textfile

import (
	"context"
	"errors"
	"io"

	"pakdb/codecs"
	"pakdb/internal/bin"
)

// whole returns a content of a format, which may have limit bytes.
func whole(ctx context.Context, format string, content io.ReaderAt, size, limit int64) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	body, err := bin.Section(content, 0, max(size, 0), size, limit)
	if err != nil {
		return nil, failure(format, "content", err, 0)
	}
	return body, nil
}

// failure makes an error of a format, unless err is one.
func failure(format, field string, err error, off int64) *codecs.FormatError {
	if at, ok := errors.AsType[*codecs.FormatError](err); ok {
		return at
	}
	err, off = codecs.Classify(err, off)
	return &codecs.FormatError{Format: format, Field: field, Off: off, Err: err}
}

// texts keeps each text once.
type texts struct {
	all *[]string
	at  map[string]int32
}

func newTexts(all *[]string) texts { return texts{all, map[string]int32{}} }

// text returns the position of a text.
func (t *texts) text(s string) int32 {
	at, ok := t.at[s]
	if !ok {
		at = int32(len(*t.all))
		t.at[s] = at
		*t.all = append(*t.all, s)
	}
	return at
}
