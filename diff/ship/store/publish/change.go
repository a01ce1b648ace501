package publish

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"pakdb/diff/ship/store"
)

// change replaces a manifest of that version, with its signature before it and beside
// those of others.
func (w *storeWriter) change(name string, v any, version string) error {
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return err
	}
	b = append(b, '\n')
	if w.key == nil {
		_, err := w.bucket.Put(w.bucket.ctx, name, bytes.NewReader(b), int64(len(b)), version)
		return err
	}
	fresh := w.key.Sign(b, name)
	if err := w.addSignature(name+store.Signed, fresh); err != nil {
		return err
	}
	if _, err := w.bucket.Put(w.bucket.ctx, name, bytes.NewReader(b), int64(len(b)), version); err != nil {
		return err
	}
	return w.addSignature(name+store.Signed, fresh) // others may have pushed it out
}

// addSignature puts a signature before those that are there.
func (w *storeWriter) addSignature(name, fresh string) error {
	for try := 0; ; try++ {
		old, version, err := w.from.File(name)
		if errors.Is(err, fs.ErrNotExist) {
			version = store.Absent
		} else if err != nil {
			return err
		}
		list := slices.DeleteFunc(store.Signatures(string(old)), func(s string) bool { return s == fresh })
		all := fresh + strings.Join(list[:min(len(list), store.MostSignatures-1)], "")
		if all == string(old) {
			return nil
		}
		_, err = w.bucket.Put(w.bucket.ctx, name, strings.NewReader(all), int64(len(all)), version)
		if err == nil || !errors.Is(err, store.ErrRaced) || try == mostTries {
			return err
		}
	}
}
