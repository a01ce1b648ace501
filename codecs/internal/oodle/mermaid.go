package oodle

const (
	minMermaid  = 10      // bytes of an LZ chunk
	mermaidHalf = 0x10000 // raw bytes of a half
	farEscape   = 0xC00000
)

// mermaidHalves is what an LZ chunk of Mermaid or Selkie decodes to, and how far it was run. The window is out up to o.
type mermaidHalves struct {
	out     []byte // up to the end of the half
	o       int
	lit     []byte
	near    []byte // 16-bit LE distances
	lengths []byte
	far     []uint32 // of this half
	recent  int
	delta   bool
}

// mermaid decodes dst[d.raw:end] from the LZ chunk src[pos:stop].
func (d chunkDecoder) mermaid(pos, stop, end, mode int) error {
	if mode != modeDelta && mode != modeRaw {
		return d.corrupt(pos-3, "chunk.mode")
	}
	if stop-pos < minMermaid {
		return d.corrupt(pos-3, "chunk.size")
	}
	r := end - d.raw
	pos, o, err := d.first8(pos, stop, end)
	if err != nil {
		return err
	}
	c := mermaidHalves{o: o, recent: firstRecent, delta: mode == modeDelta}
	if c.lit, pos, err = d.arrays().named("literals", pos, stop, r); err != nil {
		return err
	}
	cmd, pos, err := d.arrays().named("commands", pos, stop, r)
	if err != nil {
		return err
	}
	split := len(cmd)
	if r > mermaidHalf {
		if stop-pos < 2 || le16(d.src[pos:]) > len(cmd) {
			return d.corrupt(pos, "commands.split")
		}
		split = le16(d.src[pos:])
		pos += 2
	}
	if c.near, pos, err = d.nearOffsets(pos, stop, r); err != nil {
		return err
	}
	far, split2, pos, err := d.farOffsets(pos, stop)
	if err != nil {
		return err
	}
	c.lengths = d.src[pos:stop]
	mid := min(d.raw+mermaidHalf, end)
	if !c.half(d.dst[:mid], d.raw, cmd[:split], far[:split2]) {
		return d.corrupt(pos, "commands.run")
	}
	if !c.half(d.dst[:end], mid, cmd[split:], far[split2:]) {
		return d.corrupt(pos, "commands.run")
	}
	if len(c.lit) > 0 || len(c.near) > 0 || len(c.lengths) > 0 {
		return d.corrupt(pos, "commands.end")
	}
	return nil
}

// nearOffsets returns the near offsets of a chunk as 16-bit LE numbers.
func (d chunkDecoder) nearOffsets(pos, stop, r int) ([]byte, int, error) {
	if stop-pos < 2 {
		return nil, 0, d.corrupt(pos, "near")
	}
	n := le16(d.src[pos:])
	start := pos
	pos += 2
	if n < 0xFFFF {
		if 2*n > stop-pos {
			return nil, 0, d.corrupt(start, "near.count")
		}
		return d.src[pos : pos+2*n], pos + 2*n, nil
	}
	high, pos, err := d.arrays().named("near.high", pos, stop, r/2)
	if err != nil {
		return nil, 0, err
	}
	low, pos, err := d.arrays().named("near.low", pos, stop, r/2)
	if err != nil {
		return nil, 0, err
	}
	if len(high) != len(low) {
		return nil, 0, d.corrupt(start, "near.count")
	}
	if err := d.arrays().charge(start, 2*len(low)); err != nil {
		return nil, 0, err
	}
	both := d.arrays().alloc(2 * len(low))
	for i, v := range low {
		both[2*i], both[2*i+1] = v, high[i]
	}
	return both, pos, nil
}

// farOffsets returns the far offsets of both halves and how many belong to the first.
func (d chunkDecoder) farOffsets(pos, stop int) (far []uint32, n1, next int, err error) {
	if stop-pos < 3 {
		return nil, 0, 0, d.corrupt(pos, "far")
	}
	x := le24(d.src[pos:])
	count := [2]int{x >> 12, x & 0xFFF}
	start := pos
	pos += 3
	for i, n := range count {
		if n < 0xFFF {
			continue
		}
		if stop-pos < 2 {
			return nil, 0, 0, d.corrupt(pos, "far.count")
		}
		count[i] = le16(d.src[pos:])
		pos += 2
	}
	n := count[0] + count[1]
	if 3*n > stop-pos {
		return nil, 0, 0, d.corrupt(start, "far.count")
	}
	if cap(d.offsets) < n {
		d.offsets = make([]uint32, n, n+n/2)
	}
	far = d.offsets[:n]
	if pos, err = d.farHalf(pos, stop, far[:count[0]], d.raw); err != nil {
		return nil, 0, 0, err
	}
	if pos, err = d.farHalf(pos, stop, far[count[0]:], d.raw+mermaidHalf); err != nil {
		return nil, 0, 0, err
	}
	return far, count[0], pos, nil
}

// farHalf reads the far offsets of a half, which go back from its start in the window, limit.
func (d chunkDecoder) farHalf(pos, stop int, far []uint32, limit int) (int, error) {
	for i := range far {
		if stop-pos < 3 {
			return 0, d.corrupt(pos, "far.offset")
		}
		v := uint64(le24(d.src[pos:]))
		start := pos
		pos += 3
		if limit >= farEscape-1 && v >= farEscape {
			if pos >= stop {
				return 0, d.corrupt(pos, "far.offset")
			}
			v += uint64(d.src[pos]) << 22
			pos++
		}
		if v > uint64(limit) {
			return 0, d.corrupt(start, "far.offset")
		}
		far[i] = uint32(v)
	}
	return pos, nil
}

// half runs the commands of the half out[start:] and fills it with literals after them. It reports whether they are
// sound and all far offsets are used.
func (c *mermaidHalves) half(out []byte, start int, cmd []byte, far []uint32) bool {
	c.out, c.far = out, far
	for _, f := range cmd {
		if !c.next(int(f), start) {
			return false
		}
	}
	return len(c.far) == 0 && c.literals(len(out)-c.o)
}

// next runs one command of the half that starts at start.
func (c *mermaidHalves) next(f, start int) bool {
	switch {
	case f >= 24:
		return c.literals(f&7) && (f >= 128 || c.takeNear()) && c.match(f>>3&15)
	case f >= 3:
		return c.takeFar(start) && c.match(f+5)
	case f == 0:
		n, ok := c.long()
		return ok && c.literals(n+64)
	case f == 1:
		n, ok := c.long()
		return ok && c.takeNear() && c.match(n+91)
	default:
		n, ok := c.long()
		return ok && c.takeFar(start) && c.match(n+29)
	}
}

// long takes a long length off the length stream.
func (c *mermaidHalves) long() (int, bool) {
	p := c.lengths
	if len(p) == 0 {
		return 0, false
	}
	n := int(p[0])
	if n <= 251 {
		c.lengths = p[1:]
		return n, true
	}
	if len(p) < 3 {
		return 0, false
	}
	c.lengths = p[3:]
	return n + 4*le16(p[1:]), true
}

func (c *mermaidHalves) takeNear() bool {
	if len(c.near) < 2 {
		return false
	}
	c.recent = le16(c.near)
	c.near = c.near[2:]
	return true
}

func (c *mermaidHalves) takeFar(start int) bool {
	if len(c.far) == 0 {
		return false
	}
	c.recent = c.o - start + int(c.far[0])
	c.far = c.far[1:]
	return true
}

// match copies n bytes from the recent distance, which may be nonsense if n is 0.
func (c *mermaidHalves) match(n int) bool {
	if n == 0 {
		return true
	}
	if !copyMatch(c.out, c.o, n, c.recent) {
		return false
	}
	c.o += n
	return true
}

// literals copies n literals.
func (c *mermaidHalves) literals(n int) bool {
	if n == 0 {
		return true
	}
	if n > len(c.lit) || n > len(c.out)-c.o {
		return false
	}
	switch {
	case !c.delta:
		copy(c.out[c.o:], c.lit[:n])
	case uint(c.recent-1) >= uint(c.o):
		return false
	default:
		copyDelta(c.out, c.o, c.lit[:n], c.recent)
	}
	c.o += n
	c.lit = c.lit[n:]
	return true
}
