package compress

var (
	lengthExtra = [29]uint8{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0}
	distExtra   = [distCodes]uint8{0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13}
	lenExtra    = [lenCodes]uint8{repeat3to6: 2, zeroes3to10: 3, zeroes11to138: 7}
	lenOrder    = [lenCodes]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

	lengthBase, lengthCode = lengthTables()
	distBase, distCodeOf   = distTables()
	fixedLit               = fixedLitCodes()
	fixedDist              = fixedDistCodes()

	litAlphabet  = alphabet{fixedLit[:], lengthExtra[:], firstLengthSym, litCodes, maxBits}
	distAlphabet = alphabet{fixedDist[:], distExtra[:], 0, distCodes, maxBits}
	lenAlphabet  = alphabet{nil, lenExtra[:], 0, lenCodes, maxLenBits}
)

// lengthTables returns the first length of each code and the code of each
// length, both less 3. Length 258 has a code of its own, although code 284 with
// 5 extra bits would reach it.
func lengthTables() (base [29]uint8, code [256]uint8) {
	n := 0
	for c := range 28 {
		base[c] = uint8(n)
		for range 1 << lengthExtra[c] {
			code[n] = uint8(c)
			n++
		}
	}
	base[28], code[255] = 255, 28
	return base, code
}

// distTables returns the first distance of each code, less 1, and the code of
// each distance less 1: below 256 as it is, above that divided by 128.
func distTables() (base [distCodes]uint16, code [512]uint8) {
	n := 0
	for c := range distCodes {
		base[c] = uint16(n)
		for end := n + 1<<distExtra[c]; n < end; {
			if n < 256 {
				code[n] = uint8(c)
				n++
			} else {
				code[256+n>>7] = uint8(c)
				n += 128
			}
		}
	}
	return base, code
}

func distCode(d uint32) uint8 {
	if d < 256 {
		return distCodeOf[d]
	}
	return distCodeOf[(256+d>>7)&511]
}

// fixedLitCodes has two symbols more than occur, which complete the code.
func fixedLitCodes() (t [litCodes + 2]node) {
	var count [maxBits + 1]uint16
	for i := range t {
		switch {
		case i < 144:
			t[i].dl = 8
		case i < 256:
			t[i].dl = 9
		case i < 280:
			t[i].dl = 7
		default:
			t[i].dl = 8
		}
		count[t[i].dl]++
	}
	assign(t[:], &count)
	return t
}

func fixedDistCodes() (t [distCodes]node) {
	for i := range t {
		t[i].dl = 5
	}
	assign(t[:], &[maxBits + 1]uint16{5: distCodes})
	return t
}
