package program

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/internal/coder"
	"pakdb/diff/ship/internal/deltatest"
	"pakdb/diff/ship/internal/table"
)

// operands are those of one operation: drawn for a state, and coded by either side,
// which gives what was drawn.
type operands struct {
	draw func(t *rapid.T, s *State, x *output) any
	code func(c side, s *State, x *output, v any) any
}

// copied is what opCopy is followed by.
type copied struct {
	from spot
	n    int64
}

// content is what opRaw and opMake are followed by.
type content struct {
	n, guess int64
	make     making
}

// named is what opTables is followed by.
type named struct {
	kind table.Kind
	file int
	at   Range
}

// allOperands has every operation that has operands, by the name of its number.
func allOperands() map[string]operands {
	digest := func(t *rapid.T, x *output) covering {
		from := rapid.Int64Range(0, x.pos).Draw(t, "from")
		return covering{rapid.Int64Range(0, x.pos-DigestSize).Draw(t, "at"), from, rapid.Int64Range(from, x.pos).Draw(t, "to")}
	}
	same := func(t *rapid.T, x *output) again {
		return again{of: rapid.Int64Range(0, 9).Draw(t, "of"), at: rapid.Int64Range(0, x.pos-DigestSize).Draw(t, "at")}
	}
	return map[string]operands{
		"copy": {drawCopy, func(c side, s *State, x *output, v any) any {
			from, n := s.codeCopy(c, x, v.(copied).from, v.(copied).n)
			if c.err() == nil {
				s.copiedTo(from.file, from.off, n)
			}
			return copied{from, n}
		}},
		"raw": {func(t *rapid.T, s *State, x *output) any {
			return content{n: rapid.Int64Range(1, min(300, x.size-x.pos)).Draw(t, "n"), guess: s.Cursor + rapid.Int64Range(-9, 9).Draw(t, "guess")}
		}, func(c side, s *State, x *output, v any) any {
			n, guess := s.codeRaw(c, x, v.(content).n, v.(content).guess, false)
			return content{n: n, guess: guess}
		}},
		"make": {func(t *rapid.T, _ *State, x *output) any {
			return content{make: making{rapid.Int64Range(0, 300).Draw(t, "n"), rapid.Int64Range(1, MaxBlock).Draw(t, "block"), rapid.Int64Range(0, int64(len(x.h.Recipes)-1)).Draw(t, "recipe")}}
		}, func(c side, s *State, x *output, v any) any {
			op := s.codeMake(c, x, v.(content).make)
			s.codeContent(c, inMakeGuess, op.n, v.(content).guess)
			return content{make: op}
		}},
		"digest": {func(t *rapid.T, _ *State, x *output) any { return digest(t, x) },
			func(c side, s *State, x *output, v any) any { return s.codeDigest(c, x, v.(covering)) }},
		"part": {func(t *rapid.T, _ *State, x *output) any { return digest(t, x).at },
			func(c side, s *State, x *output, v any) any { return s.codeDigestAt(c, x, v.(int64)) }},
		"same": {func(t *rapid.T, _ *State, x *output) any { return same(t, x) },
			func(c side, s *State, x *output, v any) any { return s.codeSame(c, x, v.(again), 10) }},
		"sealed same": {func(t *rapid.T, _ *State, x *output) any {
			a := same(t, x)
			a.key, a.skip = rapid.Int64Range(1, x.keys).Draw(t, "key"), rapid.Int64Range(0, min(15, a.at)).Draw(t, "skip")
			a.at = max(0, min(a.at, x.pos-64)) // the AES blocks that it is in are written
			a.skip = min(a.skip, a.at)
			return a
		}, func(c side, s *State, x *output, v any) any { return s.codeSealedSame(c, x, v.(again), 10) }},
		"source": {func(t *rapid.T, s *State, x *output) any {
			return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Range { return drawRange(t, x) }), 0, 9).Draw(t, "ranges")
		}, func(c side, s *State, x *output, v any) any {
			return append([]Range{}, s.codeRanges(c, x, nil, v.([]Range), nil)...)
		}},
		"all": {func(t *rapid.T, _ *State, x *output) any { return []Range{drawRange(t, x)} },
			func(c side, s *State, x *output, v any) any {
				given, starts := allRanges(x.h.Old, 0)
				return s.codeRanges(c, x, given, v.([]Range), starts)[len(given):]
			}},
		"move": {func(t *rapid.T, _ *State, x *output) any { return drawRange(t, x) },
			func(c side, s *State, x *output, v any) any { return s.codeRange(c, x, v.(Range)) }},
		"seal": {func(t *rapid.T, _ *State, x *output) any {
			u := unit{key: rapid.Int64Range(0, x.keys).Draw(t, "key")}
			if u.key > 0 {
				u.back = rapid.Int64Range(0, x.pos/16).Draw(t, "back")
			}
			return u
		}, func(c side, _ *State, x *output, v any) any { return codeUnit(c, x, v.(unit)) }},
		"tables": {drawNamed, func(c side, s *State, x *output, v any) any {
			kind, file, at := s.codeNamed(c, x, v.(named).kind, v.(named).file, v.(named).at)
			return named{kind, file, at}
		}},
		"pieces": {func(t *rapid.T, s *State, x *output) any {
			s.Known = knownPieces(t)
			first := rapid.SampledFrom(left(s.Known.order)).Draw(t, "first")
			p := pieces{first: first, n: rapid.IntRange(1, len(s.Known.Pieces)-first).Draw(t, "n")}
			if s.Known.Kind == table.IoStore {
				p.pad = rapid.Int64Range(0, x.size-x.pos).Draw(t, "pad")
			}
			return p
		}, func(c side, s *State, x *output, v any) any { return s.codePieces(c, x, v.(pieces)) }},
	}
}

func drawFile(t *rapid.T, x *output) int { return rapid.IntRange(0, len(x.h.Old)-1).Draw(t, "file") }

func drawCopy(t *rapid.T, s *State, x *output) any {
	from := rapid.SampledFrom(s.Ends[:]).Draw(t, "end")
	if rapid.Bool().Draw(t, "elsewhere") || from.off >= x.sizeOf(from.file) {
		from.file = rapid.IntRange(0, len(x.h.Old)).Draw(t, "file")
		from.off = rapid.Int64Range(0, x.sizeOf(from.file)-1).Draw(t, "off")
	}
	most := min(x.sizeOf(from.file)-from.off, x.size-x.pos)
	return copied{from, rapid.OneOf(rapid.Just(most), rapid.Int64Range(1, most)).Draw(t, "n")}
}

func drawRange(t *rapid.T, x *output) Range {
	r := Range{File: drawFile(t, x), Key: rapid.IntRange(0, int(x.keys)).Draw(t, "key")}
	size := x.h.Old[r.File].Size &^ 15
	r.Off = rapid.Int64Range(0, size/16).Draw(t, "off") * 16
	r.Stored = rapid.Int64Range(0, size-r.Off).Draw(t, "stored")
	r.Method, r.Size = rapid.SampledFrom(delta.Methods[:]).Draw(t, "method"), r.Stored
	if r.Method != delta.Methods[0] {
		r.Size = rapid.Int64Range(0, MaxBlock).Draw(t, "size")
	}
	return r
}

func drawNamed(t *rapid.T, _ *State, x *output) any {
	v := named{kind: table.Kind(rapid.IntRange(0, int(table.Kinds)-1).Draw(t, "kind")), file: drawFile(t, x), at: Range{File: drawFile(t, x)}}
	whole := x.h.Old[v.at.File].Size
	v.at.Size = whole
	if v.kind != table.IoStore {
		v.at.Size = rapid.Int64Range(0, whole).Draw(t, "size")
	}
	if v.kind == table.Unreal {
		v.at.Off = whole - v.at.Size
	}
	v.at.Stored = v.at.Size
	return v
}

// knownPieces are tables whose pieces stand one behind the other; some are taken.
func knownPieces(t *rapid.T) *Known {
	k := &Known{Kind: rapid.SampledFrom([]table.Kind{table.Unreal, table.IoStore}).Draw(t, "kind")}
	end := int64(0)
	var list []Stretch
	for _, n := range rapid.SliceOfN(rapid.Int64Range(1, 5000), 1, 20).Draw(t, "pieces") {
		list = append(list, Stretch{Off: end, N: n})
		end += n
	}
	k.arrange(list)
	for _, i := range rapid.SliceOfN(rapid.IntRange(0, len(list)-1), 0, len(list)-1).Draw(t, "taken") {
		if k.order.left > 1 {
			k.order.Take(i, 1)
		}
	}
	return k
}

func left(q *Queue) (list []int) {
	for i := range q.n {
		if q.has(i) {
			list = append(list, i)
		}
	}
	return list
}

// clone is a state that shares nothing that operands change.
func (s State) clone() State {
	if s.Known != nil {
		k, q := *s.Known, *s.Known.order
		q.tree = slices.Clone(q.tree)
		k.order = &q
		s.Known = &k
	}
	return s
}

// TestOperands: what one side writes of any operation, the other one reads, and both
// have the same state then.
func TestOperands(t *testing.T) {
	all, b := allOperands(), &bothSides{}
	for name := range all {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { b.check(t, all, func() string { return name }) })
		})
	}
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	t.Run("any", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			b.check(t, all, func() string { return rapid.SampledFrom(names).Draw(t, "operation") })
		})
	})
}

// bothSides are coders whose memory serves all checks: to begin anew takes less than to
// allocate it.
type bothSides struct {
	enc coder.Encoder
	r   reader
}

// check writes some operations and reads them.
func (b *bothSides) check(t *rapid.T, all map[string]operands, pick func() string) {
	h := &delta.Header{Files: delta.Files{New: []delta.File{{Size: 1 << 20}}}, Needs: delta.Needs{Recipes: make([]delta.Recipe, 3)}}
	for _, n := range rapid.SliceOfN(rapid.Int64Range(1, 1<<22), 1, 4).Draw(t, "old") {
		h.Old = append(h.Old, delta.File{Name: fmt.Sprint(n), Size: n})
	}
	ring := &delta.KeyRing{}
	keys := &delta.KeyList{Ring: ring}
	for k := range 2 {
		if keys.Number(k+1) != k+1 {
			t.Fatal("keys are not in order")
		}
	}
	b.enc.Reset()
	w := &writer{enc: &b.enc, keys: keys, index: coder.NewIndex(nil), bytes: deltatest.Words(1, 300)}
	type record struct {
		op    string
		x     output
		v     any
		state State // that the operands were read by
	}
	var records []record
	state := newState(0)
	for range rapid.IntRange(1, 8).Draw(t, "operations") {
		op := pick()
		x := output{h, 0, h.New[0].Size, rapid.Int64Range(100, h.New[0].Size-1).Draw(t, "pos"), 2}
		v := all[op].draw(t, &state, &x)
		records = append(records, record{op, x, v, state.clone()})
		if got := all[op].code(w, &state, &x, v); !reflect.DeepEqual(got, v) {
			t.Fatalf("%s of %+v: its writer says %+v", op, v, got)
		}
	}
	w.word(0, 77)
	after, r := state, &b.r
	r.src = NewSource(nil, nil)
	r.reset(b.enc.Bytes(), &work{})
	for i, written := range records {
		if known := records[i].state.Known; i == 0 || known != records[i-1].state.Known {
			state.Known = known // drawn, not coded
		}
		if i == 0 {
			state = written.state
		}
		if !reflect.DeepEqual(state, written.state) {
			t.Fatalf("before %s: state %+v, its writer had %+v", written.op, state, written.state)
		}
		got := all[written.op].code(r, &state, &written.x, reflect.Zero(reflect.TypeOf(written.v)).Interface())
		if r.err() != nil || !reflect.DeepEqual(got, written.v) {
			t.Fatalf("%s of %+v reads as %+v: %v", written.op, written.v, got, r.err())
		}
	}
	if state.Known = after.Known; r.word(0, 0) != 77 || r.err() != nil || !reflect.DeepEqual(state, after) {
		t.Fatalf("behind them: %v; state %+v, its writer had %+v", r.err(), state, after)
	}
}
