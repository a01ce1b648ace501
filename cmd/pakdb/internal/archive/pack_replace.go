package archive

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/codecs"
	"pakdb/internal/regular"
)

// replacements take the place of entries, by ordinal.
type replacements map[int]replacement

// replacement is a file, or if it has no name a content.
type replacement struct {
	file    string
	content []byte
}

// newReplacements reads the flags PATH=FILE. PATH is what cat takes; where it
// means several copies of an asset, all of them are replaced.
func newReplacements(ar *operand.Archive, flags []string) (replacements, error) {
	if len(flags) == 0 {
		return nil, nil
	}
	all := replacements{}
	for _, flag := range flags {
		name, file, ok := strings.Cut(flag, "=")
		if !ok || name == "" || file == "" {
			return nil, fmt.Errorf("%w: --replace %q is not PATH=FILE", cli.ErrUsage, flag)
		}
		if st, err := os.Stat(file); err != nil {
			return nil, cli.WithHint(err, operand.NearestFile(file))
		} else if !st.Mode().IsRegular() {
			return nil, fmt.Errorf("%w: --replace: %s is not a regular file", cli.ErrUsage, file)
		}
		if err := all.add(ar, name, file); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (r replacements) add(ar *operand.Archive, name, file string) error {
	entries, err := cli.FindCopies(ar.Path, ar.Archive, name)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Flags&codecs.Deleted != 0 {
			return fmt.Errorf("%w: --replace: %s is a delete record", cli.ErrUsage, cli.Label(e))
		}
		if other, taken := r[e.Ordinal]; taken {
			return fmt.Errorf("%w: --replace: %s is replaced by %s and by %s", cli.ErrUsage, cli.Label(e), other.file, file)
		}
		r[e.Ordinal] = replacement{file: file}
	}
	return nil
}

// write adds what takes the place of e, under all that e goes by.
func (r replacements) write(ctx context.Context, w codecs.Writer, e *codecs.Entry, epoch time.Time) (size int64, err error) {
	fresh := &codecs.Entry{Ordinal: e.Ordinal, Name: e.Name, Type: e.Type, ID: e.ID, PathHash: e.PathHash, Flags: e.Flags, Mod: epoch}
	with := r[e.Ordinal]
	if with.file == "" {
		if fresh.Size = int64(len(with.content)); epoch.IsZero() {
			fresh.Mod = e.Mod
		}
		return fresh.Size, w.Add(ctx, fresh, bytes.NewReader(with.content))
	}
	f, err := regular.Open(with.file)
	if err != nil {
		return 0, err
	}
	defer func() { _ = f.Close() }()
	st, err := f.Stat()
	if err != nil {
		return 0, err
	}
	if fresh.Size = st.Size(); epoch.IsZero() {
		fresh.Mod = st.ModTime()
	}
	return st.Size(), w.Add(ctx, fresh, codecs.ContextReader(ctx, f))
}
