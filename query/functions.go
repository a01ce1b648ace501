package query

import (
	"context"
	"database/sql/driver"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"pakdb/internal/stored"
	"pakdb/schema"
)

// Function is an SQL function with its help.
type Function struct {
	schema.Function
	Usage string // "human_size(n)"
	Doc   string // one line
}

// TableFunction is an SQL function that yields rows, with its help.
type TableFunction struct {
	schema.TableFunction
	Doc string // one line
}

// Usage returns how it is called: "diff(old, new)".
func (t *TableFunction) Usage() string { return t.Name + "(" + strings.Join(t.Params, ", ") + ")" }

// Functions returns the SQL functions of this package, in the order of their
// help. NULL in gives NULL out, and so does an argument of a type that makes no
// sense. contents may be nil.
func Functions(contents *Contents) []Function {
	return append([]Function{
		pure("path_dir(path)", "folder of a path: Game/Maps for Game/Maps/A.umap", text1(pathDir)),
		pure("path_name(path)", "last part of a path: A.umap", text1(pathName)),
		pure("path_ext(path)", "extension in lower case without the dot: umap", text1(pathExt)),
		pure("path_head(path, n)", "the first n parts of a path", pathHead),
		pure("human_size(n)", "bytes for people: 1.5 MiB", humanSize),
		pure("hex_id(n)", "16 hex digits of an integer, as hashes and ids are shown", hexID),
		pure("regexp(pattern, text)", "also text REGEXP pattern; syntax of Go's regexp, finds anywhere", newRegexps().match),
		pure("key_of_path(path)", "key of a path in path_key", text1(keyOfPath)),
		pure("key_of_name(name)", "key of a name in name_key, whatever its case", text1(keyOfName)),
		pure("key_of_content(content)", "key of a content in content_key, given its hex", keyOfContent),
	}, contentFunctions(contents)...)
}

// TextFunction makes a pure SQL function of one text, such as a hash of paths.
// f returns int64, float64, string, []byte or nil.
func TextFunction(usage, doc string, f func(string) driver.Value) Function {
	return pure(usage, doc, text1(f))
}

type call func(args []driver.Value) (driver.Value, error)

func pure(usage, doc string, f call) Function {
	return function(usage, doc, true, func(_ context.Context, args []driver.Value) (driver.Value, error) { return f(args) })
}

// function takes the name and the number of arguments from usage.
func function(usage, doc string, pure bool, f func(context.Context, []driver.Value) (driver.Value, error)) Function {
	name, params, _ := strings.Cut(usage, "(")
	return Function{Usage: usage, Doc: doc, Function: schema.Function{
		Name: name, Args: 1 + strings.Count(params, ","), Pure: pure, Call: f}}
}

// text1 makes an SQL function of one text.
func text1(f func(string) driver.Value) call {
	return func(args []driver.Value) (driver.Value, error) {
		if s, ok := args[0].(string); ok {
			return f(s), nil
		}
		return nil, nil
	}
}

func pathDir(path string) driver.Value {
	prefix, _ := schema.SplitPath(path)
	if len(prefix) > 1 {
		prefix = strings.TrimSuffix(prefix, "/")
	}
	return prefix
}

func pathName(path string) driver.Value {
	_, name := schema.SplitPath(path)
	return name
}

func pathExt(path string) driver.Value {
	_, name := schema.SplitPath(path)
	return schema.Ext(name)
}

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

// keyOfPath is the key that the catalog's writer gives a path; see the table
// path_key.
func keyOfPath(path string) driver.Value { return schema.PathKey(path) }

func keyOfName(name string) driver.Value { return schema.NameKey(name) }

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

func hexID(args []driver.Value) (driver.Value, error) {
	if n, ok := args[0].(int64); ok {
		return fmt.Sprintf("%016x", uint64(n)), nil
	}
	return nil, nil
}

// maxRegexps bounds the compiled patterns that are kept; a column of patterns
// would otherwise keep one a row.
const maxRegexps = 64

type regexps struct {
	mu       sync.Mutex
	compiled map[string]*regexp.Regexp
}

func newRegexps() *regexps { return &regexps{compiled: map[string]*regexp.Regexp{}} }

func (r *regexps) match(args []driver.Value) (driver.Value, error) {
	pattern, ok := args[0].(string)
	if !ok || args[1] == nil {
		return nil, nil
	}
	re, err := r.compile(pattern)
	if err != nil {
		return nil, err
	}
	found := false
	switch v := args[1].(type) {
	case string:
		found = re.MatchString(v)
	case []byte:
		found = re.Match(v)
	default:
		found = re.MatchString(text(v, ""))
	}
	return truth(found), nil
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func (r *regexps) compile(pattern string) (*regexp.Regexp, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if re, ok := r.compiled[pattern]; ok {
		return re, nil
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("regexp: %w", err)
	}
	if len(r.compiled) >= maxRegexps {
		clear(r.compiled)
	}
	r.compiled[pattern] = re
	return re, nil
}
