package btree

import (
	"context"
	"database/sql/driver"
	"encoding/binary"
	"fmt"

	"pakdb/schema/internal/conn"
)

// ErrDamaged is the class of errors of pages that are not as the format has them: one of
// [conn.ErrDamaged].
var ErrDamaged = fmt.Errorf("%w, by its pages", conn.ErrDamaged)

func damaged(page uint32, format string, args ...any) error {
	return fmt.Errorf("%w: page %d: %s", ErrDamaged, page, fmt.Sprintf(format, args...))
}

// maxKept is how many pages are kept, 8 MB of 4 KB each.
const maxKept = 2048

// Pages reads pages of a database. It is for one goroutine at a time.
type Pages struct {
	ctx        context.Context
	statements *conn.Statements
	usable     int // bytes of a page that the format uses
	kept       map[uint32][]byte
	ring       []uint32 // pages that are kept, the oldest at next when there are maxKept
	next       int
	arg        []driver.Value
}

// Open returns the pages of a database. ctx ends reading.
func Open(ctx context.Context, statements *conn.Statements) (*Pages, error) {
	p := &Pages{ctx: ctx, statements: statements, kept: map[uint32][]byte{}, arg: make([]driver.Value, 1)}
	first, err := p.read(1)
	if err != nil {
		return nil, err
	}
	if len(first) < 512 || string(first[:16]) != "SQLite format 3\x00" {
		return nil, damaged(1, "no header")
	}
	if encoding := binary.BigEndian.Uint32(first[56:]); encoding != 1 {
		return nil, damaged(1, "texts of encoding %d", encoding)
	}
	if p.usable = len(first) - int(first[20]); p.usable < 480 {
		return nil, damaged(1, "%d bytes of a page are used", p.usable)
	}
	return p, nil
}

// page returns a page, which the caller must not change.
func (p *Pages) page(number uint32) ([]byte, error) {
	if b, ok := p.kept[number]; ok {
		return b, nil
	}
	b, err := p.read(number)
	if err != nil {
		return nil, err
	}
	if len(b) < p.usable {
		return nil, damaged(number, "%d bytes", len(b))
	}
	if len(p.ring) < maxKept {
		p.ring = append(p.ring, number)
	} else {
		delete(p.kept, p.ring[p.next])
		p.ring[p.next] = number
		p.next = (p.next + 1) % maxKept
	}
	p.kept[number] = b
	return b, nil
}

// read reads a page.
func (p *Pages) read(number uint32) (page []byte, err error) {
	p.arg[0] = int64(number)
	err = p.statements.EachRow(p.ctx, "SELECT data FROM sqlite_dbpage WHERE pgno = ?1", p.arg, func(v []driver.Value) {
		page, _ = v[0].([]byte)
	})
	if err == nil && page == nil {
		err = damaged(number, "the file has no such page")
	}
	return page, err
}
