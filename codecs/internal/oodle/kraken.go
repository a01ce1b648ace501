package oodle

const (
	minLZ       = 13 // bytes of an LZ chunk of Kraken or Leviathan
	firstRecent = 8  // every recent distance at the start of a chunk

	modeDelta = 0 // literals are differences to the byte at the last distance
	modeRaw   = 1
)

// kraken decodes dst[d.raw:end] from the LZ chunk src[pos:stop].
func (d chunkDecoder) kraken(pos, stop, end, mode int) error {
	if mode != modeDelta && mode != modeRaw {
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
	if d.src[pos]&0x80 != 0 {
		return d.unsupported(pos, "excess", "excess flag byte")
	}
	var c lzCommands
	if c.lit, pos, err = d.arrays().named("literals", pos, stop, r); err != nil {
		return err
	}
	if c.cmd, pos, err = d.arrays().named("commands", pos, stop, r); err != nil {
		return err
	}
	a, pos, err := d.offsetArrays(pos, stop, len(c.cmd), r/4)
	if err != nil {
		return err
	}
	if err := d.unpack(pos, stop, a); err != nil {
		return err
	}
	c.lit = d.arrays().withSlack(c.lit)
	c.out, c.o = d.dst[:end], o
	c.offsets, c.lengths = d.offsets, d.lengths
	c.recent = [3]int{firstRecent, firstRecent, firstRecent}
	if !c.run(mode == modeDelta) {
		return d.corrupt(start, "commands.run")
	}
	return nil
}

// lzCommands is what a Kraken chunk decodes to, and how far it was run. The window is out up to o.
type lzCommands struct {
	out      []byte
	o        int
	lit, cmd []byte
	offsets  []uint32 // distances and a 0 behind them
	lengths  []int32
	recent   [3]int
}

// next runs one command with all checks, byte-exact. It reports whether the command is sound.
func (c *lzCommands) next(f int, delta bool) bool {
	lit := f & 3
	if lit == 3 && !c.length(&lit) {
		return false
	}
	if !c.literals(lit, delta) {
		return false
	}
	dist := 0
	switch sel := f >> 6; sel {
	case 3:
		dist = int(c.offsets[0])
		if len(c.offsets) == 1 {
			return false
		}
		c.offsets = c.offsets[1:]
		c.recent = [3]int{dist, c.recent[0], c.recent[1]}
	case 2:
		dist = c.recent[2]
		c.recent = [3]int{dist, c.recent[0], c.recent[1]}
	case 1:
		dist = c.recent[1]
		c.recent = [3]int{dist, c.recent[0], c.recent[2]}
	default:
		dist = c.recent[0]
	}
	n := f>>2&15 + 2
	if n == 17 {
		if !c.length(&n) {
			return false
		}
		n += 14
	}
	if !copyMatch(c.out, c.o, n, dist) {
		return false
	}
	c.o += n
	return true
}

// length takes the next length.
func (c *lzCommands) length(n *int) bool {
	if len(c.lengths) == 0 {
		return false
	}
	*n = int(c.lengths[0])
	c.lengths = c.lengths[1:]
	return true
}

// literals copies n literals.
func (c *lzCommands) literals(n int, delta bool) bool {
	if n > len(c.lit) || n > len(c.out)-c.o {
		return false
	}
	if delta {
		copyDelta(c.out, c.o, c.lit[:n], c.recent[0])
	} else {
		copy(c.out[c.o:], c.lit[:n])
	}
	c.o += n
	c.lit = c.lit[n:]
	return true
}

// finish copies the literals behind the last command. It reports whether everything is used and the chunk is full.
func (c *lzCommands) finish(delta bool) bool {
	return len(c.offsets) == 1 && len(c.lengths) == 0 && len(c.lit) == len(c.out)-c.o && c.literals(len(c.lit), delta)
}

// run runs all commands and finishes the chunk. It reports whether everything is sound.
func (c *lzCommands) run(delta bool) bool {
	for {
		c.fast(delta)
		if len(c.cmd) == 0 {
			return c.finish(delta)
		}
		if !c.next(int(c.cmd[0]), delta) {
			return false
		}
		c.cmd = c.cmd[1:]
	}
}
