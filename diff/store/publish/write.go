package publish

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/zeebo/blake3"

	"pakdb/diff/store"
	"pakdb/internal/atomicfile"
)

// writeJSON writes a manifest. Its signature is there before it, beside the old
// one's: whenever this is stopped, what is there has a signature that fits.
func (p *publisher) writeJSON(name string, v any) error {
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return err
	}
	b = append(b, '\n')
	if err := p.out.Sync(); err != nil { // what it names
		return err
	}
	if p.opt.Key == nil {
		if err := p.out.Remove(name + store.Signed); err != nil {
			return err
		}
		return p.writeLast(name, b)
	}
	fresh := p.opt.Key.Sign(b, name)
	both := fresh
	if old, err := p.out.ReadFile(name + store.Signed); err == nil {
		list := store.Signatures(string(old))
		both += strings.Join(list[:min(len(list), store.MostSignatures-1)], "")
	}
	if err := p.writeLast(name+store.Signed, []byte(both)); err != nil {
		return err
	}
	if err := p.writeLast(name, b); err != nil {
		return err
	}
	return p.writeLast(name+store.Signed, []byte(fresh))
}

// writeLast writes a file, and waits until it has its name on the disk.
func (p *publisher) writeLast(name string, b []byte) error {
	if err := p.writeFile(name, b); err != nil {
		return err
	}
	return p.out.Sync()
}

// writeFile writes a file of the store, which is on the disk when p.out was synced.
func (p *publisher) writeFile(name string, b []byte) error { return p.write(name, b, true) }

// write writes a file of the store, which is whole as soon as it has its name.
func (p *publisher) write(name string, b []byte, sync bool) (err error) {
	if err := p.out.MkdirAll(path.Dir(name)); err != nil {
		return err
	}
	f, err := p.out.Create(name, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Discard()) }()
	if _, err := f.Write(b); err != nil {
		return err
	}
	if err := f.Chmod(0o644); err != nil {
		return err
	}
	if sync {
		if err := f.Sync(); err != nil {
			return err
		}
	}
	return f.Place()
}

// tidy removes what a publisher that was stopped left unfinished.
func tidy(out *atomicfile.Dir) error {
	for _, folder := range []string{".", "builds", "d", "m", "n", "p"} {
		entries, err := os.ReadDir(out.Path(folder))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for _, e := range entries {
			if !atomicfile.IsTemp(e.Name()) {
				continue
			}
			if err := out.RemoveAll(path.Join(folder, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// object writes an object and returns its name.
func (p *publisher) object(plain []byte) (string, error) {
	if len(plain) > store.MaxObject {
		return "", fmt.Errorf("%w: a table of %d bytes", errors.ErrUnsupported, len(plain))
	}
	sum := blake3.Sum256(plain)
	id := hex.EncodeToString(sum[:])
	if _, err := os.Stat(filepath.Join(p.dir, "m", id)); err == nil {
		return id, nil
	}
	b, err := store.Deflate(plain)
	if err != nil {
		return "", err
	}
	p.stats.Written += int64(len(b))
	return id, p.writeFile(store.ObjectName(id), b)
}

// json writes an object of rows, a line each.
func (p *publisher) json(list []store.File) (string, error) {
	b := []byte("[")
	for i, f := range list {
		row, err := json.Marshal(f)
		if err != nil {
			return "", err
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(b, '\n'), row...)
	}
	return p.object(append(b, "\n]\n"...))
}
