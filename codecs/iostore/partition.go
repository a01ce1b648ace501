package iostore

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"

	"pakdb/codecs"
	"pakdb/codecs/unreal"
	"pakdb/internal/bin"
)

// maxPartitions bounds what a TOC may declare; block offsets reach 1 TiB, and
// partitions are rarely below a GiB.
const maxPartitions = 1 << 16

// partition is a .ucas, opened with the first read.
type partition struct {
	mu     sync.Mutex
	name   string
	file   fs.File
	r      io.ReaderAt
	size   int64
	err    error
	opened bool
}

// partitions are the files of contents beside a .utoc.
type partitions struct {
	src  codecs.Source // the .utoc
	size uint64        // of each but the last
	list []partition
}

// name is the file of partition i: game.ucas, game_s1.ucas, ...
func (p *partitions) name(i int) string { return partitionName(p.src.Name, i) }

// close closes all that were opened, and returns the first error.
func (p *partitions) close() error {
	var first error
	for i := range p.list {
		if err := p.list[i].close(); first == nil {
			first = err
		}
	}
	return first
}

func partitionName(toc string, i int) string {
	base, _ := unreal.CutSuffixFold(toc, extTOC)
	if i == 0 {
		return base + extCAS
	}
	return fmt.Sprintf("%s_s%d%s", base, i, extCAS)
}

// place returns the partition that holds offset off of the container, and the
// offset within it.
func (p *partitions) place(off int64) (*partition, int64, error) {
	i := uint64(off) / p.size
	if i >= uint64(len(p.list)) {
		return nil, 0, codecs.Errorf(codecs.ErrCorrupt, "offset 0x%x lies in partition %d of %d", off, i, len(p.list))
	}
	found := &p.list[i]
	if err := found.open(p.src.Dir, p.name(int(i))); err != nil {
		return nil, 0, err
	}
	return found, int64(uint64(off) % p.size), nil
}

// open opens the file once. Its absence is an error that names it, of the class
// of truncated files: the content is not there.
func (p *partition) open(dir fs.FS, name string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.opened {
		return p.err
	}
	p.opened, p.name = true, name
	p.err = p.load(dir)
	return p.err
}

func (p *partition) load(dir fs.FS) error {
	if dir == nil {
		return fmt.Errorf("%w: %s, which holds the content, is beyond reach: %w", codecs.ErrTruncated, p.name, fs.ErrNotExist)
	}
	f, err := dir.Open(p.name)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %s, which holds the content, is not beside the .utoc: %w", codecs.ErrTruncated, p.name, fs.ErrNotExist)
	}
	if err != nil {
		return err
	}
	st, err := f.Stat()
	r, ok := f.(io.ReaderAt)
	switch {
	case err != nil:
	case st.IsDir():
		err = codecs.Errorf(codecs.ErrTruncated, "%s is a folder", p.name)
	case !ok:
		err = codecs.Errorf(errors.ErrUnsupported, "%s cannot be read at offsets", p.name)
	}
	if err != nil {
		return errors.Join(err, f.Close())
	}
	p.file, p.r, p.size = f, r, st.Size()
	return nil
}

func (p *partition) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	f := p.file
	p.opened, p.err, p.file = true, fs.ErrClosed, nil
	if f == nil {
		return nil
	}
	return f.Close()
}

// read fills buf from offset off.
func (p *partition) read(buf []byte, off int64) error {
	if err := bin.Range(off, int64(len(buf)), p.size); err != nil {
		return p.at(off, err)
	}
	if err := bin.Fill(p.r, buf, off); err != nil {
		return p.at(off, err)
	}
	return nil
}

func (p *partition) section(off, n int64) (*io.SectionReader, error) {
	if err := bin.Range(off, n, p.size); err != nil {
		return nil, p.at(off, err)
	}
	return io.NewSectionReader(p.r, off, n), nil
}

// at places err in the partition.
func (p *partition) at(off int64, err error) error {
	return &fieldError{file: p.name, field: "block", off: off, err: err}
}
