package query

import (
	"bytes"
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"unicode/utf8"

	"pakdb/internal/bin"
)

// maxContent bounds the contents that SQL may hold in memory.
const maxContent = 64 << 20

func contentFunctions(c *Contents) []Function {
	return []Function{
		function("content_blob(content)", "bytes of a content, given its hex; NULL: not at hand; at most 64 MiB", false, c.blob),
		function("content_text(content)", "the same as text (UTF-8, UTF-16 with a BOM); NULL for other contents", false, c.text),
	}
}

var errNoContents = errors.New("contents are not available here")

// blob is NULL for what is not at hand: a question about many contents is not
// to fail for one. What is at hand and cannot be read is an error.
func (c *Contents) blob(ctx context.Context, args []driver.Value) (driver.Value, error) {
	if args[0] == nil || args[0] == "" { // what the views show for none
		return nil, nil
	}
	if c == nil {
		return nil, errNoContents
	}
	d, ok := digest(args[0])
	if !ok {
		return nil, fmt.Errorf("%s is not a content: 64 hex digits are", text(args[0], ""))
	}
	b, err := c.Bytes(ctx, d, maxContent)
	if errors.Is(err, ErrNoContent) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return b, nil
}

func (c *Contents) text(ctx context.Context, args []driver.Value) (driver.Value, error) {
	v, err := c.blob(ctx, args)
	if b, ok := v.([]byte); ok {
		return decodeText(b), err
	}
	return nil, err
}

// decodeText returns text without its byte order mark, or nil: with a NUL it is
// taken for binary, as is what is neither UTF-8 nor marked as UTF-16.
func decodeText(b []byte) driver.Value {
	isWide := bytes.HasPrefix(b, []byte("\xff\xfe")) || bytes.HasPrefix(b, []byte("\xfe\xff"))
	if isWide && len(b)%2 != 0 {
		return nil
	}
	if b = bin.Text(b); bytes.IndexByte(b, 0) >= 0 || !utf8.Valid(b) {
		return nil
	}
	return string(b)
}
