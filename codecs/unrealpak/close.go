package unrealpak

import (
	"context"
	"crypto/sha1"
	"errors"

	"pakdb/codecs/unreal"
	"pakdb/internal/aes256"
)

var errComplete = errors.New("the pak is complete")

// Close implements codecs.Writer: it writes the index and the footer.
func (w *writer) Close() error {
	if w.err != nil {
		return w.err
	}
	if w.err = w.flush(context.Background(), 0); w.err != nil {
		return w.err
	}
	w.err = formatError("", "", errComplete)
	if err := w.finish(); err != nil {
		return formatError("", "", err)
	}
	return nil
}

func (w *writer) finish() error {
	f := footer{version: w.version, keyID: w.opt.KeyID, encrypted: w.opt.EncryptIndex, slots: w.slots}
	parts := w.index(w.out.Pos())
	f.index = seal(parts[0], w.out.Pos())
	for _, p := range parts {
		if f.encrypted {
			aes256.EncryptECB(w.crypt.block, p)
		}
		if _, err := w.out.Write(p); err != nil {
			return err
		}
	}
	if _, err := w.out.Write(f.append(nil)); err != nil {
		return err
	}
	return w.out.Flush()
}

// index returns the parts of the index, padded when they will be encrypted;
// the first starts at start.
func (w *writer) index(start int64) [][]byte {
	if w.version < pathHashIndex {
		return [][]byte{w.pad(w.recordIndex())}
	}
	d := directoriesOf(w)
	hashes, dirs := w.pad(w.pathHashes(d)), w.pad(d.append(nil, w.version))
	// The regions follow the primary index, whose size does not depend on them.
	var g [2]region
	at := start + int64(len(w.pad(w.primary(d, g))))
	g[0] = seal(hashes, at)
	g[1] = seal(dirs, at+int64(len(hashes)))
	return [][]byte{w.pad(w.primary(d, g)), hashes, dirs}
}

func seal(b []byte, off int64) region { return region{off, int64(len(b)), sha1.Sum(b)} }

func (w *writer) pad(b []byte) []byte {
	if !w.opt.EncryptIndex {
		return b
	}
	return aes256.AppendPadding(b, b, int64(len(b)))
}

// recordIndex is the index of versions 3 to 9.
func (w *writer) recordIndex() []byte {
	b := unreal.AppendFString(nil, w.opt.MountPoint)
	b = leOrder.AppendUint32(b, uint32(len(w.entries)))
	for i := range w.entries {
		b = unreal.AppendFString(b, w.entries[i].name)
		b = w.entries[i].rec.absolute(w.version).append(b, w.version)
	}
	return b
}

// primary is the index of version 10 on, without its two regions.
func (w *writer) primary(d *directories, regions [2]region) []byte {
	b := unreal.AppendFString(nil, w.opt.MountPoint)
	b = leOrder.AppendUint32(b, uint32(len(w.entries)))
	b = leOrder.AppendUint64(b, w.opt.Seed)
	for _, g := range regions {
		b = leOrder.AppendUint32(b, 1)
		b = g.append(b)
	}
	b = leOrder.AppendUint32(b, uint32(len(d.encoded)))
	b = append(b, d.encoded...)
	b = leOrder.AppendUint32(b, uint32(d.nRecords))
	return append(b, d.records...)
}

// pathHashes is the region that the engine looks files up in. The pruned
// directory after the hashes serves searches of the pak by name at run
// time; without a template it is empty, as UnrealPak leaves it.
func (w *writer) pathHashes(d *directories) []byte {
	b := leOrder.AppendUint32(nil, uint32(len(w.entries)))
	t := hashIndex{version: w.version, primary: &primary{seed: w.opt.Seed}}
	for i := range w.entries {
		b = leOrder.AppendUint64(b, t.hashOf(w.entries[i].name))
		b = leOrder.AppendUint32(b, uint32(d.locations[i]))
	}
	return d.pruned(w.like.keep).append(b, w.version)
}
