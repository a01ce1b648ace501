package query

import (
	"bytes"
	"context"
	"database/sql/driver"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"pakdb/internal/bin"
	"pakdb/internal/stored"
	"pakdb/schema"
)

// Functions returns the SQL functions of this package, in the order of their
// help. NULL in gives NULL out, and so does an argument of a type that makes no
// sense. contents may be nil.
func Functions(contents *Contents) []schema.Function {
	return []schema.Function{
		FunctionOf("path_dir(path)", "folder of a path: Game/Maps for Game/Maps/A.umap", pathDir),
		FunctionOf("path_name(path)", "last part of a path: A.umap", func(p string) driver.Value { return pathName(p) }),
		FunctionOf("path_ext(path)", "extension in lower case without the dot: umap", func(p string) driver.Value { return schema.Ext(pathName(p)) }),
		pure("path_head(path, n)", "the first n parts of a path", pathHead),
		pure("human_size(n)", "bytes for people: 1.5 MiB", humanSize),
		FunctionOf("hex_id(n)", "16 hex digits of an integer, as hashes and ids are shown", func(n int64) driver.Value { return fmt.Sprintf("%016x", uint64(n)) }),
		pure("regexp(pattern, text)", "also text REGEXP pattern; syntax of Go's regexp, finds anywhere", newRegexp()),
		FunctionOf("key_of_path(path)", "key of a path in path_key", func(path string) driver.Value { return schema.PathKey(path) }),
		FunctionOf("key_of_name(name)", "key of a name in name_key, whatever its case", func(name string) driver.Value { return schema.NameKey(name) }),
		pure("key_of_content(content)", "key of a content in content_key, given its hex", keyOfContent),
		NewFunction("content_blob(content)", "bytes of a content, given its hex; NULL: not at hand; at most 64 MiB", false, contents.blob),
		NewFunction("content_text(content)", "the same as text (UTF-8, UTF-16 with a BOM); NULL for other contents", false, contents.text),
	}
}

// FunctionOf makes a pure SQL function of one value, such as a hash of paths: NULL for values of
// another type. f returns int64, float64, string, []byte, bool or nil.
func FunctionOf[T string | int64](usage, doc string, f func(T) driver.Value) schema.Function {
	return pure(usage, doc, func(args []driver.Value) (driver.Value, error) {
		if v, ok := args[0].(T); ok {
			return f(v), nil
		}
		return nil, nil
	})
}

func pure(usage, doc string, f func(args []driver.Value) (driver.Value, error)) schema.Function {
	return NewFunction(usage, doc, true, func(_ context.Context, args []driver.Value) (driver.Value, error) { return f(args) })
}

// NewFunction makes an SQL function, whose name and number of arguments are those of usage. A pure
// one returns the same for the same arguments.
func NewFunction(usage, doc string, pure bool, f func(context.Context, []driver.Value) (driver.Value, error)) schema.Function {
	name, params, _ := strings.Cut(usage, "(")
	return schema.Function{Name: name, Args: 1 + strings.Count(params, ","), Usage: usage, Doc: doc, Pure: pure, Call: f}
}

func pathDir(p string) driver.Value {
	dir := p[:len(p)-len(pathName(p))]
	if len(dir) > 1 {
		dir = dir[:len(dir)-1]
	}
	return dir
}

func pathName(p string) string { return p[strings.LastIndexByte(p, '/')+1:] }

func pathHead(args []driver.Value) (driver.Value, error) {
	path, isText := args[0].(string)
	n, isInt := args[1].(int64)
	if !isText || !isInt {
		return nil, nil
	}
	for i := range len(path) {
		if path[i] != '/' || i == 0 {
			continue
		}
		if n--; n <= 0 {
			return path[:i], nil
		}
	}
	return path, nil
}

func keyOfContent(args []driver.Value) (driver.Value, error) {
	d, ok := digest(args[0])
	if !ok {
		return nil, nil
	}
	return schema.ContentKey(d[:]), nil
}

// digest reads a BLAKE3 given as 64 hex digits or 32 bytes.
func digest(v driver.Value) (d [32]byte, ok bool) {
	switch v := v.(type) {
	case string:
		if len(v) != hex.EncodedLen(len(d)) {
			return d, false
		}
		_, err := hex.Decode(d[:], []byte(v))
		return d, err == nil
	case []byte:
		copy(d[:], v)
		return d, len(v) == len(d)
	}
	return d, false
}

func humanSize(args []driver.Value) (driver.Value, error) {
	switch n := args[0].(type) {
	case int64:
		return stored.HumanSize(float64(n)), nil
	case float64:
		return stored.HumanSize(n), nil
	}
	return nil, nil
}

// maxRegexps bounds the compiled patterns that are kept; a column of patterns
// would otherwise keep one a row.
const maxRegexps = 64

// newRegexp returns the function regexp, which compiles a pattern once.
func newRegexp() func(args []driver.Value) (driver.Value, error) {
	var mu sync.Mutex
	compiled := map[string]*regexp.Regexp{}
	compile := func(pattern string) (*regexp.Regexp, error) {
		mu.Lock()
		defer mu.Unlock()
		re, ok := compiled[pattern]
		if ok {
			return re, nil
		}
		re, err := regexp.Compile(pattern)
		if err != nil {
			return nil, fmt.Errorf("regexp: %w", err)
		}
		if len(compiled) >= maxRegexps {
			clear(compiled)
		}
		compiled[pattern] = re
		return re, nil
	}
	return func(args []driver.Value) (driver.Value, error) {
		pattern, ok := args[0].(string)
		if !ok || args[1] == nil {
			return nil, nil
		}
		re, err := compile(pattern)
		if err != nil {
			return nil, err
		}
		if b, ok := args[1].([]byte); ok {
			return re.Match(b), nil
		}
		return re.MatchString(text(args[1], "")), nil
	}
}

// maxContent bounds the contents that SQL may hold in memory.
const maxContent = 64 << 20

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
