package btree

import (
	"context"
	"database/sql/driver"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"pakdb/schema/internal/conn"
)

// ErrDamaged is the class of errors of pages that are not as the format has them: one of
// [conn.ErrDamaged].
var ErrDamaged = fmt.Errorf("%w, by its pages", conn.ErrDamaged)

func damaged(page uint32, format string, args ...any) error {
	return fmt.Errorf("%w: page %d: %s", ErrDamaged, page, fmt.Sprintf(format, args...))
}

// How many pages are kept, of 4 KB each: 8 MB of those that were read last, and up to 64 MB of those
// that were asked for again meanwhile.
const (
	maxRecent = 2 << 10
	maxAgain  = 16 << 10
)

// Pages reads pages of a database. It is for one goroutine at a time.
type Pages struct {
	ctx        context.Context
	statements *conn.Statements
	usable     int // bytes of a page that the format uses
	kept       map[uint32]*keptPage
	recent     ring
	again      ring
	arg        []driver.Value
	numbers    []uint32
}

type keptPage struct {
	bytes []byte
	asked int // how often
}

// ring has the numbers of pages in the order in which they came, up to a number of them.
type ring struct {
	numbers []uint32
	oldest  int
}

// add adds a page and returns the oldest one, which it takes the place of once there are most; 0
// for none.
func (r *ring) add(number uint32, most int) (oldest uint32) {
	if len(r.numbers) < most {
		r.numbers = append(r.numbers, number)
		return 0
	}
	oldest, r.numbers[r.oldest] = r.numbers[r.oldest], number
	r.oldest = (r.oldest + 1) % most
	return oldest
}

// Open returns the pages of a database. ctx ends reading.
func Open(ctx context.Context, statements *conn.Statements) (*Pages, error) {
	p := &Pages{ctx: ctx, statements: statements, kept: map[uint32]*keptPage{}, arg: make([]driver.Value, 1)}
	first, err := p.page(1)
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
	k := p.kept[number]
	if k == nil {
		if err := p.read(append(append(p.numbers[:0], number), ahead...)); err != nil {
			return nil, err
		}
		k = p.kept[number]
	}
	k.asked++
	return k.bytes, nil
}

// has reports whether a page is kept.
func (p *Pages) has(number uint32) bool { return p.kept[number] != nil }

// keep keeps a page in place of the oldest one. Pages of a table that is read from its beginning
// to its end are asked for once each, and do not drive out others.
func (p *Pages) keep(number uint32, page []byte) {
	if p.kept[number] != nil {
		return
	}
	p.kept[number] = &keptPage{bytes: page}
	oldest := p.recent.add(number, maxRecent)
	if oldest != 0 && p.kept[oldest].asked > 1 {
		oldest = p.again.add(oldest, maxAgain)
	}
	delete(p.kept, oldest)
}

// read reads and keeps pages. It fails if the file lacks the first of them.
func (p *Pages) read(numbers []uint32) error {
	p.numbers = numbers
	query, arg := "SELECT pgno, data FROM sqlite_dbpage WHERE pgno = ?1", driver.Value(int64(numbers[0]))
	if len(numbers) > 1 {
		list, err := json.Marshal(numbers)
		if err != nil {
			return err
		}
		query, arg = "SELECT p.pgno, p.data FROM json_each(?1) n CROSS JOIN sqlite_dbpage p WHERE p.pgno = n.value", string(list)
	}
	p.arg[0] = arg
	var short error
	err := p.statements.EachRow(p.ctx, query, p.arg, func(v []driver.Value) {
		number, _ := v[0].(int64)
		page, _ := v[1].([]byte)
		if len(page) < p.usable {
			short = damaged(uint32(number), "%d bytes", len(page))
			return
		}
		p.keep(uint32(number), page)
	})
	if err = errors.Join(err, short); err == nil && !p.has(numbers[0]) {
		err = damaged(numbers[0], "the file has no such page")
	}
	return err
}
