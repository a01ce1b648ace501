package oodle

import "encoding/binary"

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
	offsets  []uint32 // distances and a 0 after them
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

// finish copies the literals after the last command. It reports whether everything is used and the chunk is full.
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

// room is what fast wants between the end of a command's output and the end of the chunk: it copies in steps of 16
// bytes. It is also more than the literals' 8 and the match's 16 bytes that are copied whatever their length.
const room = 48

// fast runs commands as long as they are ordinary: far enough from the ends of the literals and of the chunk for wide
// copies, and with distances of 8 or more. It leaves the first other command, sound or not, to next.
//
// The literals must have 8 readable bytes after them, see withSlack. Nothing is committed before a command has passed
// all checks, so a command that is left starts from a clean state. What wide copies write after the command's output
// stays inside the chunk and is overwritten later.
func (c *lzCommands) fast(delta bool) {
	out, cmd, offsets, lengths := c.out, c.cmd, c.offsets, c.lengths
	lit, litLen := c.lit[:cap(c.lit)], uint(len(c.lit))
	r0, r1, r2 := uint(c.recent[0]), uint(c.recent[1]), uint(c.recent[2])
	o, l, oi, li := uint(c.o), uint(0), 0, 0
	if len(out) < room || r0 < minWide {
		return
	}
	oLimit := uint(len(out) - room)
	i := 0
	for ; i < len(cmd) && o <= oLimit; i++ {
		f := uint(cmd[i])
		v := binary.LittleEndian.Uint64(lit[l:])
		if delta {
			v = addBytes(v, binary.LittleEndian.Uint64(out[o-r0:]))
		}
		binary.LittleEndian.PutUint64(out[o:], v)
		n, lj := f&3, li
		if n == 3 {
			if lj >= len(lengths) {
				break
			}
			n = uint(lengths[lj])
			lj++
			if n > oLimit-o || n > litLen-l {
				break
			}
			if n > 8 {
				if delta {
					copyDelta(out, int(o), lit[l:l+n], int(r0))
				} else {
					copy(out[o+8:o+n], lit[l+8:l+n])
				}
			}
		}
		if n > litLen-l {
			break
		}
		at := o + n

		sel := f >> 6
		dist := uint(offsets[oi])
		if sel == 0 {
			dist = r0
		}
		if sel == 1 {
			dist = r1
		}
		if sel == 2 {
			dist = r2
		}
		from := at - dist
		if dist-minWide > at-minWide {
			break
		}
		m := f>>2&15 + 2
		if m == 17 {
			if lj >= len(lengths) {
				break
			}
			m = uint(lengths[lj]) + 14
			lj++
			if at > oLimit || m > oLimit-at {
				break
			}
		}
		copy16(out[at:], out[from:])
		if m > 16 {
			copyWide(out, at+16, from+16, m-16, dist)
		}
		o, l, li = at+m, l+n, lj
		oi += int(sel & (sel >> 1))
		if sel >= 2 {
			r2 = r1
		}
		if sel >= 1 {
			r1 = r0
		}
		r0 = dist
	}
	c.o, c.lit, c.cmd, c.offsets, c.lengths = int(o), c.lit[l:], cmd[i:], offsets[oi:], lengths[li:]
	c.recent = [3]int{int(r0), int(r1), int(r2)}
}

// copyWide copies n bytes of a match, from out[from:] to out[at:]. It may write up to 16 bytes more.
func copyWide(out []byte, at, from, n, dist uint) {
	if n > 64 && dist >= n {
		copy(out[at:at+n], out[from:from+n])
		return
	}
	for end := at + n; at < end; at += 16 {
		copy16(out[at:], out[from:])
		from += 16
	}
}

// copy16 copies 16 bytes, the second 8 after the first, so that from may lie 8 bytes or more before to.
func copy16(to, from []byte) {
	t, f := (*[16]byte)(to), (*[16]byte)(from)
	binary.LittleEndian.PutUint64(t[:8], binary.LittleEndian.Uint64(f[:8]))
	binary.LittleEndian.PutUint64(t[8:], binary.LittleEndian.Uint64(f[8:]))
}
