package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"sync"

	"pakdb/internal/bin"
)

// StoreReader reads contents of a store. It is safe for concurrent use.
type StoreReader struct {
	From   *Reader
	Chunks map[Key]SmallPlace
	Lists  map[Key]Listed
	Packs  Tables

	mu     sync.Mutex
	frames FrameCache
}

// Content reads a content that has been published.
func (s *StoreReader) Content(id Key, size int64) ([]byte, error) {
	if size == 0 {
		return nil, nil
	}
	if at, ok := s.Chunks[id]; ok && int64(at.size) == size {
		return s.Read(at.Place())
	}
	r, ok := s.Lists[id]
	if !ok {
		return nil, fmt.Errorf("%w: a content is not there any more", ErrCorrupt)
	}
	chunks, err := s.list(r.Place(), size)
	if err != nil {
		return nil, err
	}
	b := make([]byte, 0, size)
	for _, c := range chunks {
		p, err := s.Read(c.Place)
		if err != nil {
			return nil, err
		}
		b = append(b, p...)
	}
	if KeyOf(b) != id {
		return nil, fmt.Errorf("%w: a content is not what its key says", ErrCorrupt)
	}
	return b, nil
}

// list reads the chunks of a content from their list, which may be one of lists.
func (s *StoreReader) list(at Place, size int64) ([]ChunkRef, error) {
	b, err := s.Read(at)
	if err != nil {
		return nil, err
	}
	if chunks, err := ParseList(b, size); err == nil {
		return chunks, nil
	}
	lists, err := ParseLists(b, size)
	if err != nil {
		return nil, err
	}
	var all []ChunkRef
	for _, l := range lists {
		if b, err = s.Read(l.Place); err != nil {
			return nil, err
		}
		chunks, err := ParseList(b, l.Content)
		if err != nil {
			return nil, err
		}
		all = append(all, chunks...)
	}
	return all, nil
}

// Read reads the bytes at a place.
func (s *StoreReader) Read(p Place) ([]byte, error) {
	s.mu.Lock()
	b, ok := s.frames.Frames[p.ID()]
	s.mu.Unlock()
	if !ok {
		var err error
		if b, err = s.frame(p.ID()); err != nil {
			return nil, err
		}
		s.mu.Lock()
		s.frames.Keep(p.ID(), b)
		s.mu.Unlock()
	}
	return BytesAt(b, p)
}

func (s *StoreReader) frame(id FrameID) ([]byte, error) {
	info, ok := s.Packs[id.Pack]
	if !ok {
		return nil, fmt.Errorf("%w: %s is not there", ErrCorrupt, PackName(id.Pack))
	}
	off, n, err := info.Span(id.Frame)
	if err != nil {
		return nil, err
	}
	b, err := s.From.Part(PackName(id.Pack), off, int64(n))
	if err != nil {
		return nil, err
	}
	return InflateFrame(b)
}

// FrameCache holds decoded frames, those that came last.
type FrameCache struct {
	Frames map[FrameID][]byte
	order  []FrameID
}

const keptFrames = 64

// Keep holds a decoded frame, and lets one go that was held long.
func (c *FrameCache) Keep(id FrameID, b []byte) {
	if c.Frames == nil {
		c.Frames = map[FrameID][]byte{}
	}
	if _, there := c.Frames[id]; there {
		return
	}
	if len(c.order) == keptFrames {
		delete(c.Frames, c.order[0])
		c.order = slices.Delete(c.order, 0, 1)
	}
	c.Frames[id] = b
	c.order = append(c.order, id)
}

// ReadBuilds reads the manifests of all builds. A folder without any is a new
// store.
func ReadBuilds(from *Reader) (*Index, []*Build, error) {
	b, _, err := from.File(IndexName)
	if errors.Is(err, fs.ErrNotExist) {
		return &Index{}, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	index, err := ParseIndex(b)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", IndexName, err)
	}
	var builds []*Build
	for _, label := range index.Builds {
		build, err := readBuild(from, label)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", BuildName(label), err)
		}
		builds = append(builds, build)
	}
	return index, builds, nil
}

func readBuild(from *Reader, label string) (*Build, error) {
	b, _, err := from.File(BuildName(label))
	if err != nil {
		return nil, err
	}
	build, err := ParseBuild(b)
	if err != nil {
		return nil, err
	}
	if build.Past != "" {
		if b, _, err = from.File("m/" + path.Base(build.Past)); err != nil {
			return nil, err
		}
		if err := EachEarlier(b, build.Past, func(f *File) { build.Earlier = append(build.Earlier, *f) }); err != nil {
			return nil, err
		}
	}
	return build, build.readFiles(from)
}

// readFiles reads the list of files from a store's folder.
func (x *Build) readFiles(from *Reader) error {
	root, err := ReadObject(from, x.Lists)
	if err != nil {
		return err
	}
	l, err := NewFileList(root, &Budget{})
	if err != nil {
		return err
	}
	packs, err := ReadTables(from, x.Tables)
	if err != nil {
		return err
	}
	s := &StoreReader{From: from, Packs: packs}
	for missing := l.Missing(); len(missing) > 0; missing = l.Missing() {
		parts := make([][]byte, len(missing))
		for i, p := range missing {
			if parts[i], err = s.Read(p); err != nil {
				return err
			}
		}
		if err := l.Fill(parts); err != nil {
			return err
		}
	}
	x.Places = l.places
	return x.SetFiles(l.Files)
}

// ReadTables reads where the frames of a build's packs are.
func ReadTables(from *Reader, refs []TableRef) (Tables, error) {
	packs := Tables{}
	for _, ref := range refs {
		b, err := ReadObject(from, ref.Object)
		if err != nil {
			return nil, err
		}
		if err := packs.Parse(b, &Budget{}); err != nil {
			return nil, fmt.Errorf("%s: %w", ObjectName(ref.Object), err)
		}
	}
	return packs, nil
}

// What contents are called in a file is kept for publishers, so that those of
// the next build find what they were made from: n/SUM, by the BLAKE3 of the file.
// Names are hashed; clients never read them.

// Named is a content of a file.
type Named struct {
	Name uint64
	Key  Key
	Size int64
}

const namesMagic = "pknames\x01"

// NamesName returns the path of the names of a file's contents.
func NamesName(sum string) string { return "n/" + sum }

// MarshalNames returns names as they are stored, before compression.
func MarshalNames(list []Named) []byte {
	b := binary.AppendUvarint([]byte(namesMagic), uint64(len(list)))
	for _, n := range list {
		b = binary.LittleEndian.AppendUint64(b, n.Name)
		b = append(b, n.Key[:]...)
		b = binary.AppendUvarint(b, uint64(n.Size))
	}
	return b
}

// ReadNames reads the names of a file's contents, in their order; none if the
// store has lost them.
func ReadNames(from *Reader, sum string) (list []Named, err error) {
	b, _, err := from.File(NamesName(sum))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if b, err = inflate(b, 1<<30); err != nil {
		return nil, nil // a crash kept it from being written
	}
	f := bin.NewFields(b, ErrCorrupt)
	if string(f.Bytes(len(namesMagic))) != namesMagic {
		f.Fail("not the names of a file")
	}
	list = make([]Named, f.Count("names", maxNumber, 8+16+1))
	for i := range list {
		list[i] = Named{f.Uint64(), Key(f.Bytes(16)), f.Number("size of a content", 1<<50)}
	}
	if f.Err() != nil {
		return nil, nil // so it did: an empty file decodes as well
	}
	return list, nil
}
