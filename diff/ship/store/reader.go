package store

import (
	"fmt"
	"slices"
	"sync"
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

// Read reads what is at a place.
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
