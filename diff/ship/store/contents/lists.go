package contents

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"pakdb/diff/ship/store"
)

const (
	mostList = 1 << 30  // bytes of a list: 128 million contents
	mostHead = 64 << 10 // of its first line
)

// listHead is the first line of a list; the keys follow, 8 bytes each, ascending.
type listHead struct {
	Build    string `json:"build"`
	Contents int    `json:"contents"`
}

// keyOf is what lists have of a content. Another one of the same key stays for nothing,
// which does no harm.
func keyOf(d [32]byte) uint64 { return binary.BigEndian.Uint64(d[:]) }

// newList returns the list of a build, and its name.
func newList(label string, seen map[[32]byte]struct{}) (name string, b []byte, err error) {
	keys := make([]uint64, 0, len(seen))
	for d := range seen {
		keys = append(keys, keyOf(d))
	}
	slices.Sort(keys)
	keys = slices.Compact(keys)
	b, err = json.Marshal(listHead{label, len(keys)})
	b = append(b, '\n')
	for _, k := range keys {
		b = binary.BigEndian.AppendUint64(b, k)
	}
	return ofLabel(label) + short(b), b, err
}

// parseList reads a list, which must be what its name says.
func parseList(name string, b []byte) (head listHead, keys []byte, err error) {
	line, keys, ok := bytes.Cut(b, []byte("\n"))
	switch {
	case !ok || len(line) > mostHead || json.Unmarshal(line, &head) != nil:
		err = fmt.Errorf("%w: no list of contents", store.ErrCorrupt)
	case ofLabel(head.Build)+short(b) != name:
		err = fmt.Errorf("%w: a list with another name than its bytes have", store.ErrCorrupt)
	case len(keys)/8 != head.Contents || len(keys)%8 != 0:
		err = fmt.Errorf("%w: a list of %d contents with %d bytes of keys", store.ErrCorrupt, head.Contents, len(keys))
	}
	return head, keys, err
}

// needs are the keys in the lists that were read.
type needs struct {
	read   map[string]string // the names of lists, and their builds
	keys   map[uint64]struct{}
	reader *store.Reader
}

// look reads the lists that it has not read yet. A list that goes meanwhile may have been
// replaced: then all names are asked for again.
func (n *needs) look(ctx context.Context, b store.Bucket) error {
	for try := 0; ; try++ {
		all, err := listsOf(ctx, b)
		for i := 0; err == nil && i < len(all); i++ {
			err = n.add(b, all[i])
		}
		if !errors.Is(err, fs.ErrNotExist) || try == mostTries {
			return err
		}
	}
}

func (n *needs) add(b store.Bucket, in store.Info) error {
	if _, ok := n.read[in.Name]; ok {
		return nil
	}
	text, err := fetch(n.reader, in, mostList)
	if err != nil {
		return fmt.Errorf("%s: %w", b.At(in.Name), err)
	}
	head, keys, err := parseList(in.Name, text)
	if err != nil {
		return fmt.Errorf("%s: %w", b.At(in.Name), err)
	}
	n.read[in.Name] = head.Build
	for ; len(keys) > 0; keys = keys[8:] {
		n.keys[binary.BigEndian.Uint64(keys)] = struct{}{}
	}
	return nil
}

func (n *needs) has(d [32]byte) bool {
	_, ok := n.keys[keyOf(d)]
	return ok
}

// listsOf returns the lists that are there.
func listsOf(ctx context.Context, b store.Bucket) (all []store.Info, err error) {
	err = b.List(ctx, lists, func(in store.Info) error {
		if strings.HasPrefix(in.Name, lists+"/") {
			all = append(all, in)
		}
		return nil
	})
	return all, err
}

// fetch reads a file of at most so many bytes.
func fetch(r *store.Reader, in store.Info, most int64) ([]byte, error) {
	if in.Size > most {
		return nil, fmt.Errorf("%w: a file of %d bytes, at most %d are allowed", store.ErrCorrupt, in.Size, most)
	}
	return r.Part(in.Name, 0, in.Size)
}
