package btree

import (
	"context"
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"

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
	numbers    []uint32
}

// Open returns the pages of a database. ctx ends reading.
func Open(ctx context.Context, statements *conn.Statements) (*Pages, error) {
	p := &Pages{ctx: ctx, statements: statements, kept: map[uint32][]byte{}, arg: make([]driver.Value, 1)}
	first, err := p.read([]uint32{1})
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

// page returns a page, which the caller must not change. ahead are pages that will mostly be
// asked for next, of which as many are read at once: a statement takes longer than ten pages.
func (p *Pages) page(number uint32, ahead ...uint32) ([]byte, error) {
	if b, ok := p.kept[number]; ok {
		return b, nil
	}
	b, err := p.read(append(append(p.numbers[:0], number), ahead...))
	if err != nil {
		return nil, err
	}
	return b, nil
}

// has reports whether a page is kept.
func (p *Pages) has(number uint32) bool { return p.kept[number] != nil }

// keep keeps a page in place of the oldest one.
func (p *Pages) keep(number uint32, page []byte) {
	switch {
	case p.kept[number] != nil:
	case len(p.ring) < maxKept:
		p.ring = append(p.ring, number)
	default:
		delete(p.kept, p.ring[p.next])
		p.ring[p.next] = number
		p.next = (p.next + 1) % maxKept
	}
	p.kept[number] = page
}

// read reads and keeps pages, and returns the first of them.
func (p *Pages) read(numbers []uint32) (first []byte, err error) {
	p.numbers = numbers
	query, arg := "SELECT pgno, data FROM sqlite_dbpage WHERE pgno = ?1", driver.Value(int64(numbers[0]))
	if len(numbers) > 1 {
		list := []byte("[")
		for _, n := range numbers {
			list = append(strconv.AppendUint(list, uint64(n), 10), ',')
		}
		list[len(list)-1] = ']'
		query, arg = "SELECT p.pgno, p.data FROM json_each(?1) n CROSS JOIN sqlite_dbpage p WHERE p.pgno = n.value", string(list)
	}
	p.arg[0] = arg
	var short error
	err = p.statements.EachRow(p.ctx, query, p.arg, func(v []driver.Value) {
		number, _ := v[0].(int64)
		page, _ := v[1].([]byte)
		if len(page) < p.usable {
			short = damaged(uint32(number), "%d bytes", len(page))
			return
		}
		p.keep(uint32(number), page)
		if uint32(number) == numbers[0] {
			first = page
		}
	})
	if err = errors.Join(err, short); err == nil && first == nil {
		err = damaged(numbers[0], "the file has no such page")
	}
	return first, err
}
