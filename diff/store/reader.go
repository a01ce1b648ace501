package store

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// storeReader reads contents of a store's folder. It is safe for concurrent use.
type storeReader struct {
	dir    string
	chunks map[key]place
	lists  map[key]row
	packs  tables

	mu     sync.Mutex
	frames frameCache
}

// content reads a content that has been published.
func (s *storeReader) content(id key, size int64) ([]byte, error) {
	if size == 0 {
		return nil, nil
	}
	if at, ok := s.chunks[id]; ok && int64(at.size) == size {
		return s.read(at)
	}
	r, ok := s.lists[id]
	if !ok {
		return nil, fmt.Errorf("%w: a content is not there any more", ErrCorrupt)
	}
	chunks, err := s.list(r.place, size)
	if err != nil {
		return nil, err
	}
	b := make([]byte, 0, size)
	for _, c := range chunks {
		p, err := s.read(c.place)
		if err != nil {
			return nil, err
		}
		b = append(b, p...)
	}
	if keyOf(b) != id {
		return nil, fmt.Errorf("%w: a content is not what its key says", ErrCorrupt)
	}
	return b, nil
}

// list reads the chunks of a content from their list, which may be one of lists.
func (s *storeReader) list(at place, size int64) ([]chunkRef, error) {
	b, err := s.read(at)
	if err != nil {
		return nil, err
	}
	if chunks, err := parseList(b, size); err == nil {
		return chunks, nil
	}
	lists, err := parseLists(b, size)
	if err != nil {
		return nil, err
	}
	var all []chunkRef
	for _, l := range lists {
		if b, err = s.read(l.place); err != nil {
			return nil, err
		}
		chunks, err := parseList(b, l.content)
		if err != nil {
			return nil, err
		}
		all = append(all, chunks...)
	}
	return all, nil
}

// read reads what is at a place.
func (s *storeReader) read(p place) ([]byte, error) {
	s.mu.Lock()
	b, ok := s.frames.frames[p.id()]
	s.mu.Unlock()
	if !ok {
		var err error
		if b, err = s.frame(p.id()); err != nil {
			return nil, err
		}
		s.mu.Lock()
		s.frames.keep(p.id(), b)
		s.mu.Unlock()
	}
	return bytesAt(b, p)
}

func (s *storeReader) frame(id frameID) ([]byte, error) {
	info, ok := s.packs[id.pack]
	if !ok {
		return nil, fmt.Errorf("%w: %s is not there", ErrCorrupt, packName(id.pack))
	}
	off, n, err := info.span(id.frame)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(filepath.Join(s.dir, filepath.FromSlash(packName(id.pack))))
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	b := make([]byte, n)
	if err := fill(f, b, off); err != nil {
		return nil, fmt.Errorf("%s: %w", packName(id.pack), err)
	}
	return inflateFrame(b)
}

// frameCache holds decoded frames, those that came last.
type frameCache struct {
	frames map[frameID][]byte
	order  []frameID
}

const keptFrames = 64

func (c *frameCache) keep(id frameID, b []byte) {
	if c.frames == nil {
		c.frames = map[frameID][]byte{}
	}
	if _, there := c.frames[id]; there {
		return
	}
	if len(c.order) == keptFrames {
		delete(c.frames, c.order[0])
		c.order = slices.Delete(c.order, 0, 1)
	}
	c.frames[id] = b
	c.order = append(c.order, id)
}

// bytesAt returns the bytes at a place of a frame.
func bytesAt(frame []byte, p place) ([]byte, error) {
	if p.at > len(frame) || p.size > len(frame)-p.at {
		return nil, fmt.Errorf("%w: place %d of a frame of %d bytes", ErrCorrupt, p.at, len(frame))
	}
	return frame[p.at : p.at+p.size], nil
}
