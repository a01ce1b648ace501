package lzo_test

import "math/rand/v2"

// drawer makes inputs out of what an LZO encoder finds hard to decide.
type drawer struct{ *rand.Rand }

func newDrawer(seed, of int) drawer { return drawer{rand.New(rand.NewPCG(uint64(seed), uint64(of)))} }

func (r drawer) pick(of ...int) int { return of[r.IntN(len(of))] }

func (r drawer) noise(n int) []byte { return r.letters(n, 256) }

func (r drawer) letters(n, alphabet int) []byte {
	b := make([]byte, max(n, 0))
	for i := range b {
		b[i] = byte(r.IntN(alphabet))
	}
	return b
}

func (r drawer) draw() []byte {
	shapes := []func() []byte{r.mixed, r.mixed, r.short, r.runs, r.phrases, r.borders, r.borders, r.rivals, r.rivals, r.passed, r.limits, r.limits, r.crowd, r.crowd}
	return shapes[r.IntN(len(shapes))]()
}

// mixed is noise over an alphabet of any size, and copies from near and far, up
// to beyond the dictionary.
func (r drawer) mixed() []byte {
	n := r.IntN(1 + r.pick(20, 300, 5000, 16_384, 16_384, 52_000, 66_000))
	alphabet, far, long := r.pick(1, 2, 4, 16, 64, 256), r.pick(4, 100, 0x810, 0x4010, 0xc010), r.pick(4, 12, 40, 400, 2500)
	literals := r.pick(2, 4, 6, 25, 300)
	var b []byte
	for len(b) < n {
		if len(b) == 0 || r.IntN(5) < 2 {
			b = append(b, r.letters(1+r.IntN(literals), alphabet)...)
			continue
		}
		distance := 1 + r.IntN(min(len(b), far))
		for range r.IntN(long) {
			b = append(b, b[len(b)-distance])
		}
	}
	return b[:n]
}

func (r drawer) short() []byte { return r.letters(r.IntN(40), r.pick(1, 2, 3, 4)) }

// runs has rows of literals of the lengths at which their code grows.
func (r drawer) runs() []byte {
	n := r.pick(0, 1, 2, 3, 4, 17, 18, 19, 237, 238, 239, 240, 273, 274, 528, 529)
	b := r.noise(n)
	if n > 0 {
		b = append(b, b[r.IntN(n):]...)
	}
	return append(b, r.noise(r.pick(0, 1, 3, 4, 18, 19, 273, 274))...)
}

// phrases are said again and again, some with another byte within.
func (r drawer) phrases() []byte {
	said := make([][]byte, 1+r.IntN(5))
	for i := range said {
		said[i] = r.noise(r.pick(5, 8, 10, 11, 12, 14, 36, 40))
	}
	var b []byte
	n, between := r.pick(3000, 20_000, 40_000), r.pick(3, 10, 100, 800)
	for len(b) < n {
		p := said[r.IntN(len(said))]
		p = p[:min(len(p), r.pick(3, 4, 7, 8, 9, 10, 33, 34, 35, 40))]
		at := len(b)
		b = append(b, p...)
		if r.IntN(2) == 0 {
			b[at+r.IntN(len(p))]++
		}
		b = append(b, r.noise(r.IntN(between))...)
	}
	return b
}

// lengths are those at which the code of a match grows.
func (r drawer) length() int {
	return r.pick(2, 3, 4, 5, 8, 9, 10, 11, 15, 16, 17, 31, 32, 33, 34, 35, 126, 127, 128, 129, 9+255, 9+256, 33+254, 33+255, 33+256, 33+510, 2047, 2048, 2049)
}

// borders has a phrase far away and the begin of it near, at distances around
// those at which codes change.
func (r drawer) borders() []byte {
	x := r.noise(r.length())
	near, far := r.pick(0x400, 0x800, 0xc00, 0x4000), r.pick(0x800, 0xc00, 0x4000, 0x8000, 0xbfff)
	b := append(r.noise(r.IntN(5)), x...)
	b = append(b, r.noise(far-near+r.IntN(7)-3-len(x))...)
	y := x[:len(x)-min(r.pick(1, 2, 3), len(x))]
	b = append(append(b, y...), r.noise(near-len(y)+r.IntN(5)-2)...)
	b = append(b, r.noise(r.pick(0, 0, 0, 1, 3, 4, 5))...)
	return append(append(b, x...), r.noise(r.IntN(4))...)
}

// rivals are two phrases of which the second begins in the first.
func (r drawer) rivals() []byte {
	b := r.noise(r.pick(50, 500, 3000))
	for range r.pick(3, 30) {
		first := r.noise(r.length() + r.IntN(3))
		ahead := min(r.pick(1, 2), len(first))
		second := append(append([]byte{}, first[ahead:]...), r.noise(1+r.IntN(6))...)
		b = append(append(b, first...), r.noise(r.pick(3, 30, 0x300, 0x800, 0x3000))...)
		b = append(append(b, second...), r.noise(r.pick(3, 30, 0x300, 0x800))...)
		b = r.literals(b, r.pick(0, 1, 2, 3, 4, 15, 16, 17, 18, 19))
		b = append(append(b, first[:ahead]...), second...)
		b = append(b, r.noise(r.pick(0, 1, 5))...)
	}
	return b
}

// literals appends n of them, behind a match.
func (r drawer) literals(b []byte, n int) []byte {
	b = append(b, b[len(b)/2:min(len(b)/2+12, len(b))]...)
	return append(b, r.noise(n)...)
}

// limits has a phrase twice, as far from each other as a code reaches.
func (r drawer) limits() []byte {
	x := r.noise(r.pick(2, 3, 4, 10, 40, 2048, 2049))
	distance := r.pick(0x400, 0x800, 0xc00, 0x4000, 0xbfff) + r.IntN(3) - 1
	b := append(r.noise(20), x...)
	n := r.IntN(6)
	b = append(b, r.noise(distance-len(x)-12-n)...)
	b = append(r.literals(b, n), x...)
	return append(b, r.noise(r.IntN(4))...)
}

// crowd has a match of some length here, and a longer one a byte ahead behind as
// many other candidates as the levels look at, or a quarter of that.
func (r drawer) crowd() []byte {
	x := r.noise(r.pick(4, 7, 8, 31, 32, 32))
	second := append(append([]byte{}, x[1:]...), r.noise(20)...)
	b := append(append(r.noise(30), x...), r.noise(5)...)
	b = append(append(b, second...), r.noise(5)...)
	for range r.pick(4, 8, 16, 32, 128, 256, 2048, 2048, 2048, 4096, 4096)/r.pick(1, 4) + r.IntN(4) - 2 {
		b = append(append(b, x[1:4]...), x[4%len(x)]+byte(1+r.IntN(255)))
	}
	return append(append(append(b, r.noise(5)...), x[0]), second...)
}

// passed has a match of ten bytes far away, one of eight near, and another of
// eight that a search looks at because the bytes behind it fit.
func (r drawer) passed() []byte {
	x := r.noise(11)
	other := func(n int) []byte {
		y := append([]byte{}, x...)
		y[n]++
		return y
	}
	b := append(append(r.noise(5), other(8)...), r.noise(50)...)
	ten := append(r.noise(3), other(10)...)
	b = append(append(append(b, ten...), r.noise(40)...), ten...)
	b = append(b, r.noise(0x4000+20)...)
	b = append(b, other(8)[:9]...)
	b = append(b, r.noise(60+r.IntN(300))...)
	return append(append(b, x...), r.noise(9)...)
}
