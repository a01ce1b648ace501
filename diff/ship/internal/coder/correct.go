package coder

import (
	"encoding/binary"
	"math/bits"
)

const (
	marginBefore = 16 // bytes of the old content before a number that decide if it is corrected
	marginAfter  = 8  // and from its first byte on
	maxGap       = 8  // bytes between two references that are learned from

	tiers        = 4
	tierBits     = 12
	flagContexts = 5
	flagBits     = 12
	maxSince     = 63
)

// corrections foresees numbers that grew: names, objects and places of which others were
// inserted before. A content that was seen to have a number in place of an old one probably has
// the same wherever the old content has that one, and the numbers near it grew by as much. A
// reference to the old content may be corrected: it has what is foreseen where a flag says so.
//
// Tables change between steps only. So an encoder knows how far a reference reaches.
type corrections struct {
	tiers     [tiers][1 << tierBits]correction
	estimates [flagContexts][1 << flagBits]estimate
	mixers    [tiers * 4]flagMixer
	since     uint32 // bytes since a number that was corrected
	between   uint32 // bytes between that and the one before it
	known     bool   // a correction is
}

// correction is by how much a number grew.
type correction struct {
	key  uint32 // of the number, 0 for none
	by   uint32
	hits uint8 // whether that was right, the last time lowest
}

// flagMixer weighs the estimates of a flag.
type flagMixer struct {
	weights [flagContexts]int32
	pace
}

func (k *corrections) reset() {
	k.tiers = [tiers][1 << tierBits]correction{}
	for i := range k.estimates {
		start(k.estimates[i][:])
	}
	for i := range k.mixers {
		m := &k.mixers[i]
		m.pace = mixFast << 3
		for j := range m.weights {
			m.weights[j] = 22000
		}
	}
	k.since, k.between, k.known = maxSince, maxSince, false
}

// entries returns the entry of each tier for the number after the margin of old, and the keys.
// First comes the one that knows most of the number: 8 bytes; 2 and the byte before; 4 without
// the lowest bits, and whether zeros follow, as after names; 2, which compact indices have.
func (k *corrections) entries(old []byte) (entries [tiers]*correction, keys [tiers]uint32) {
	old = old[marginBefore-1:]
	v, next := binary.LittleEndian.Uint32(old[1:]), binary.LittleEndian.Uint32(old[5:])
	keys = [tiers]uint32{
		spread(v, next) | 1,
		spread(v&0xffff, uint32(old[0])) | 1,
		spread(v>>5, bitOf(next == 0)) | 1,
		spread(v&0xffff, 0) | 1,
	}
	for t, key := range keys {
		entries[t] = &k.tiers[t][key>>(32-tierBits)]
	}
	return entries, keys
}

// candidates returns the entries that foresee another lowest byte of the number after the margin
// of old, each with another sum.
//
//go:norace
func (k *corrections) candidates(old []byte) (entries [tiers]*correction, some bool) {
	entries, keys := k.entries(old)
	for t, e := range entries {
		if e.key != keys[t] || e.by&0xff == 0 {
			entries[t] = nil
			continue
		}
		some = true
		for _, better := range entries[:t] {
			if better != nil && better.by == e.by {
				entries[t] = nil
			}
		}
	}
	return entries, some
}

// sum returns the number that e foresees, and how many of its bytes differ, the lowest ones.
func (e *correction) sum(old []byte) (v uint32, n int) {
	was := binary.LittleEndian.Uint32(old[marginBefore:])
	v = was + e.by
	return v, (bits.Len32(v^was) + 7) / 8
}

// fits returns how many bytes of new are foreseen, 0 for none. The first one differs.
func (k *corrections) fits(old, new []byte) int {
	entries, some := k.candidates(old)
	if !some {
		return 0
	}
	for _, e := range entries {
		if e == nil {
			continue
		}
		if v, n := e.sum(old); n <= len(new) && isNumber(new[:n], v) {
			return n
		}
	}
	return 0
}

// isNumber reports that p are the lowest bytes of v.
func isNumber(p []byte, v uint32) bool {
	for i, c := range p {
		if c != byte(v>>(8*i)) {
			return false
		}
	}
	return true
}

// run codes new by old, which has margins, and corrections. Reading, it does not matter what new has.
//
//go:norace
func (k *corrections) run(c *rangeCoder, old, new []byte) {
	for i := 0; i < len(new); {
		k.since = min(k.since+1, maxSince)
		n := k.number(c, old[i:], new[i:])
		if n == 0 {
			new[i] = old[i+marginBefore]
			i++
			continue
		}
		k.between, k.since = k.since, 0
		i += n
	}
}

// number codes whether a number is at the front of new, and returns how many of its bytes differ.
//
//go:norace
func (k *corrections) number(c *rangeCoder, old, new []byte) int {
	entries, some := k.candidates(old)
	if !some {
		return 0
	}
	for t, e := range entries {
		if e == nil {
			continue
		}
		v, n := e.sum(old)
		if n > len(new) {
			continue
		}
		flag := k.flag(c, old, uint32(t), e.hits, bitOf(isNumber(new[:n], v)))
		e.hits = e.hits<<1 | uint8(flag)
		if flag == 1 {
			for i := range new[:n] {
				new[i] = byte(v >> (8 * i))
			}
			return n
		}
	}
	return 0
}

// flag codes whether what an entry of a tier foresees is so.
//
//go:norace
func (k *corrections) flag(c *rangeCoder, old []byte, tier uint32, hits uint8, bit uint32) uint32 {
	u32 := binary.LittleEndian.Uint32
	old = old[:marginBefore+marginAfter]
	contexts := [flagContexts]uint32{
		uint32(hits)<<6 | k.since,
		spread(u32(old[12:]), u32(old[8:])),
		spread(u32(old[4:]), u32(old)),
		spread(u32(old[marginBefore:]), u32(old[marginBefore+4:])),
		k.since<<6 | k.between,
	}
	var at [flagContexts]*estimate
	var in [flagContexts]int32
	m, sum := &k.mixers[tier<<2|uint32(hits&3)], int64(0)
	for i, h := range contexts {
		at[i] = &k.estimates[i][spread(h, tier)>>(32-flagBits)]
		in[i] = at[i].logit()
		sum += int64(in[i]) * int64(m.weights[i])
	}
	p := probability(sum >> 16)
	bit = c.bit(p, bit)
	err := m.err(p, bit)
	for i := range at {
		m.weights[i] += (in[i]*err + 1<<15) >> 16
		at[i].learn(bit, flagRates)
	}
	return bit
}

// learn takes note of the numbers of old, which has margins, that are others in new.
//
//go:norace
func (k *corrections) learn(old, new []byte) {
	for i := 0; i < len(new); {
		w := old[i:]
		if new[i] == w[marginBefore] {
			i++
			continue
		}
		was := binary.LittleEndian.Uint32(w[marginBefore:])
		now := was
		for j, c := range new[i:min(i+4, len(new))] {
			now = now&^(0xff<<(8*j)) | uint32(c)<<(8*j)
		}
		entries, keys := k.entries(w)
		for t, e := range entries {
			switch {
			case e.key != keys[t]:
				*e = correction{keys[t], now - was, 1}
			case e.by != now-was:
				e.by, e.hits = now-was, e.hits<<1
			}
		}
		k.known = true
		i += (bits.Len32(now^was) + 7) / 8
	}
}

// isCorrected codes whether a reference to the old content is corrected.
func (m *models) isCorrected(c *rangeCoder, s *step) bool {
	size := min(bits.Len(uint(s.n))/2, 3)
	at := &m.corrected[m.lately&7][size<<1|int(bitOf(s.kind == repeat))]
	bit := at.code(c, bitOf(s.corrected))
	m.lately = m.lately<<1 | bit
	return bit == 1
}
