package delta

// guess prices literals where not much effort is made: to mix their estimates for
// each byte that might become one takes longer than to code them. It learns from those
// that did. Kernel modules have patches 2 % larger by it.
type guess struct {
	plain   [8][256]estimate
	matched [8][512]estimate
}

const guessLimit = 60

func (g *guess) reset() {
	for i := range g.plain {
		start(g.plain[i][:])
		start(g.matched[i][:])
	}
}

// price is about that of c behind a byte, where the last reference has another.
func (g *guess) price(behind uint32, before, c, expected byte) (p uint32) {
	plain, matched := &g.plain[before>>5], &g.matched[before>>5]
	node, agrees := uint32(1), behind == 0
	for k := 7; k >= 0; k-- {
		bit := uint32(c) >> k & 1
		if agrees {
			want := uint32(expected) >> k & 1
			p += matched[want<<8|node].price(bit)
			agrees = want == bit
		} else {
			p += plain[node].price(bit)
		}
		node = node<<1 | bit
	}
	return p
}

func (g *guess) learn(behind uint32, before, c, expected byte) {
	plain, matched := &g.plain[before>>5], &g.matched[before>>5]
	node, agrees := uint32(1), behind == 0
	for k := 7; k >= 0; k-- {
		bit := uint32(c) >> k & 1
		if agrees {
			want := uint32(expected) >> k & 1
			matched[want<<8|node].learn(bit, guessLimit)
			agrees = want == bit
		} else {
			plain[node].learn(bit, guessLimit)
		}
		node = node<<1 | bit
	}
}
