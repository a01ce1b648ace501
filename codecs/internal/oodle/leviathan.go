package oodle

const (
	leviathanModes   = 6
	leviathanRecents = 7
	eightCommands    = 0x83 // instead of the header of a single command array
)

// leviathanCommands is what an LZ chunk of Leviathan decodes to, and how far it was run. The window is out up to o.
type leviathanCommands struct {
	out     []byte
	o       int
	start   int // of the chunk
	mode    int
	lit     [16][]byte
	cmd     [8][]byte
	offsets []uint32 // distances and a 0 after them
	lengths []int32  // literal lengths from the front, match lengths from the back
	recent  [leviathanRecents]int
}

// literalArrays returns how many literal arrays a mode has.
func literalArrays(mode int) int { return [leviathanModes]int{1, 1, 2, 4, 16, 16}[mode] }

// leviathan decodes dst[d.raw:end] from the LZ chunk src[pos:stop].
func (d chunkDecoder) leviathan(pos, stop, end, mode int) error {
	if mode >= leviathanModes {
		return d.corrupt(pos-3, "chunk.mode")
	}
	if stop-pos < minLZ {
		return d.corrupt(pos-3, "chunk.size")
	}
	start, r := pos, end-d.raw
	pos, o, err := d.first8(pos, stop, end)
	if err != nil {
		return err
	}
	c := leviathanCommands{out: d.dst[:end], o: o, start: d.raw, mode: mode}
	a, pos, err := d.offsetArrays(pos, stop, r/3, r/5)
	if err != nil {
		return err
	}
	if pos, err = d.leviathanLiterals(&c, pos, stop, r); err != nil {
		return err
	}
	commands, pos, err := d.leviathanCommands(&c, pos, stop, r)
	if err != nil {
		return err
	}
	if err := d.unpack(pos, stop, a); err != nil {
		return err
	}
	c.offsets, c.lengths = d.offsets, d.lengths
	for i := range c.recent {
		c.recent[i] = firstRecent
	}
	if !c.run(commands) {
		return d.corrupt(start, "commands.run")
	}
	return nil
}

// leviathanLiterals reads the literal arrays of the mode.
func (d chunkDecoder) leviathanLiterals(c *leviathanCommands, pos, stop, r int) (int, error) {
	d.part = "literals"
	n := literalArrays(c.mode)
	var err error
	if n == 1 {
		c.lit[0], pos, err = d.arrays().array(pos, stop, r, 0)
	} else {
		pos, err = d.arrays().multi(pos, stop, c.lit[:n], r, 0)
	}
	if err == nil {
		d.part = ""
	}
	return pos, err
}

// leviathanCommands reads one command array or eight, and returns how many it were.
func (d chunkDecoder) leviathanCommands(c *leviathanCommands, pos, stop, r int) (arrays, next int, err error) {
	d.part = "commands"
	arrays = 1
	switch {
	case pos >= stop:
		err = d.corrupt(pos, "header")
	case d.src[pos]&0x80 == 0:
		c.cmd[0], pos, err = d.arrays().array(pos, stop, r, 0)
	case d.src[pos] != eightCommands:
		err = d.corrupt(pos, "count")
	default:
		arrays = len(c.cmd)
		pos, err = d.arrays().multi(pos+1, stop, c.cmd[:], r, 0)
	}
	if err == nil {
		d.part = ""
	}
	return arrays, pos, err
}

// run runs all commands and copies the literals after the last. It reports whether everything is sound and used up.
func (c *leviathanCommands) run(arrays int) bool {
	left := 0
	for _, p := range c.cmd {
		left += len(p)
	}
	for ; left > 0; left-- {
		p := &c.cmd[(c.o-c.start)&(arrays-1)]
		if len(*p) == 0 {
			return false
		}
		f := (*p)[0]
		*p = (*p)[1:]
		if !c.next(int(f)) {
			return false
		}
	}
	if len(c.offsets) != 1 || len(c.lengths) != 0 || !c.literals(len(c.out)-c.o) {
		return false
	}
	for _, p := range c.lit {
		if len(p) > 0 {
			return false
		}
	}
	return true
}

// next runs one command.
func (c *leviathanCommands) next(f int) bool {
	sel, lit, n := f>>5, f>>3&3, f&7+2
	if lit == 3 {
		if len(c.lengths) == 0 {
			return false
		}
		lit = int(c.lengths[0])
		c.lengths = c.lengths[1:]
	}
	if !c.literals(lit) {
		return false
	}
	dist := 0
	if sel < leviathanRecents {
		dist = c.recent[sel]
		copy(c.recent[1:sel+1], c.recent[:sel])
	} else {
		if len(c.offsets) == 1 {
			return false
		}
		dist = int(c.offsets[0])
		c.offsets = c.offsets[1:]
		copy(c.recent[1:], c.recent[:])
	}
	c.recent[0] = dist
	if n == 9 {
		last := len(c.lengths) - 1
		if last < 0 {
			return false
		}
		n = 6 + int(c.lengths[last])
		c.lengths = c.lengths[:last]
	}
	if !copyMatch(c.out, c.o, n, dist) {
		return false
	}
	c.o += n
	return true
}

// literals makes n literals in the way of the mode.
func (c *leviathanCommands) literals(n int) bool {
	if n == 0 {
		return true
	}
	if n > len(c.out)-c.o {
		return false
	}
	switch c.mode {
	case modeDelta:
		return c.delta(&c.lit[0], n)
	case modeRaw:
		p := c.lit[0]
		if n > len(p) {
			return false
		}
		copy(c.out[c.o:], p[:n])
		c.lit[0] = p[n:]
		c.o += n
		return true
	case 2:
		return c.delta(&c.lit[1], 1) && c.delta(&c.lit[0], n-1)
	case 3:
		return c.byPosition(n, 3)
	case 4:
		return c.byContext(n)
	default:
		return c.byPosition(n, 15)
	}
}

// delta makes n literals from those of p and the bytes at the last distance.
func (c *leviathanCommands) delta(p *[]byte, n int) bool {
	if n > len(*p) {
		return false
	}
	copyDelta(c.out, c.o, (*p)[:n], c.recent[0])
	c.o += n
	*p = (*p)[n:]
	return true
}

// byPosition makes n literals as delta does, from the array that the low bits of the position in the chunk give.
func (c *leviathanCommands) byPosition(n, mask int) bool {
	dist := c.recent[0]
	for o := c.o; o < c.o+n; o++ {
		p := &c.lit[(o-c.start)&mask&15]
		if len(*p) == 0 {
			return false
		}
		c.out[o] = (*p)[0] + c.out[o-dist]
		*p = (*p)[1:]
	}
	c.o += n
	return true
}

// byContext makes n literals from the array that the high half of the byte before gives.
func (c *leviathanCommands) byContext(n int) bool {
	prev := c.out[c.o-1]
	for o := c.o; o < c.o+n; o++ {
		p := &c.lit[prev>>4]
		if len(*p) == 0 {
			return false
		}
		prev = (*p)[0]
		c.out[o] = prev
		*p = (*p)[1:]
	}
	c.o += n
	return true
}
