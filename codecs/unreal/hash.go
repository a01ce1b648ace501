package unreal

import (
	"encoding/binary"
	"math/bits"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	fnvBasis = 0xcbf29ce484222325
	fnvPrime = 0x100000001b3
)

// PathHash is the FNV-1a hash that pak indexes store for a path: over the
// UTF-16LE of the lower-cased path relative to the mount point, without a
// leading slash, starting from the offset basis plus seed.
func PathHash(path string, seed uint64) uint64 {
	return hashPath(path, fnvBasis+seed, fnvPrime)
}

// PathHashSwapped is what version 10 of the pak format stores: basis and prime
// changed places until version 11 corrected them.
func PathHashSwapped(path string, seed uint64) uint64 {
	return hashPath(path, fnvPrime+seed, fnvBasis)
}

func hashPath(path string, h, prime uint64) uint64 {
	for i := 0; i < len(path); i++ {
		c := path[i]
		if c >= utf8.RuneSelf {
			return hashWide(path[i:], h, prime)
		}
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		h = (h ^ uint64(c)) * prime * prime // the high byte of the unit is 0
	}
	return h
}

func hashWide(path string, h, prime uint64) uint64 {
	for _, u := range utf16.Encode([]rune(path)) {
		u = lowerUnit(u)
		h = (h ^ uint64(u&0xff)) * prime
		h = (h ^ uint64(u>>8)) * prime
	}
	return h
}

// lowerUnit lower-cases one UTF-16 unit on its own, as the engine does.
func lowerUnit(u uint16) uint16 {
	if l := unicode.ToLower(rune(u)); l <= 0xffff {
		return uint16(l)
	}
	return u
}

// lowerUTF16 returns the UTF-16LE of s in lower case.
func lowerUTF16(s string) []byte {
	b := make([]byte, 0, 2*len(s))
	for i := range len(s) {
		c := s[i]
		if c >= utf8.RuneSelf {
			return appendWideLower(b, s[i:])
		}
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		b = append(b, c, 0)
	}
	return b
}

func appendWideLower(b []byte, s string) []byte {
	for _, u := range utf16.Encode([]rune(s)) {
		u = lowerUnit(u)
		b = append(b, byte(u), byte(u>>8))
	}
	return b
}

// slashed is the form of an object's path that is hashed: every separator is a
// slash.
func slashed(path string) string {
	return strings.NewReplacer(".", "/", ":", "/").Replace(path)
}

// The constants of CityHash64, version 1.1.
const (
	cityK0  = 0xc3a5c85c97cb3127
	cityK1  = 0xb492b66fbe98f273
	cityK2  = 0x9ae16a3b2f90404f
	cityMul = 0x9ddfea08eb382d69
)

// CityHash64 is Google's CityHash64, version 1.1, which the engine makes
// identifiers of packages and objects with.
func CityHash64(s []byte) uint64 {
	n := len(s)
	switch {
	case n <= 16:
		return city16(s)
	case n <= 32:
		return city32(s)
	case n <= 64:
		return city64(s)
	}
	x := city8(s, n-40)
	y := city8(s, n-16) + city8(s, n-56)
	z := cityMix(city8(s, n-48)+uint64(n), city8(s, n-24), cityMul)
	v1, v2 := cityWeak(s[n-64:], uint64(n), z)
	w1, w2 := cityWeak(s[n-32:], y+cityK1, x)
	x = x*cityK1 + city8(s, 0)
	for left := (n - 1) &^ 63; left > 0; left -= 64 {
		x = bits.RotateLeft64(x+y+v1+city8(s, 8), -37) * cityK1
		y = bits.RotateLeft64(y+v2+city8(s, 48), -42) * cityK1
		x ^= w2
		y += v1 + city8(s, 40)
		z = bits.RotateLeft64(z+w1, -33) * cityK1
		v1, v2 = cityWeak(s, v2*cityK1, x+w1)
		w1, w2 = cityWeak(s[32:], z+w2, y+city8(s, 16))
		z, x = x, z
		s = s[64:]
	}
	return cityMix(cityMix(v1, w1, cityMul)+cityShift(y)*cityK1+z, cityMix(v2, w2, cityMul)+x, cityMul)
}

func city8(s []byte, at int) uint64 { return binary.LittleEndian.Uint64(s[at:]) }

func cityShift(v uint64) uint64 { return v ^ v>>47 }

func cityMix(u, v, mul uint64) uint64 {
	a := cityShift((u ^ v) * mul)
	return cityShift((v^a)*mul) * mul
}

func cityWeak(s []byte, a, b uint64) (uint64, uint64) {
	w, x, y, z := city8(s, 0), city8(s, 8), city8(s, 16), city8(s, 24)
	a += w
	b = bits.RotateLeft64(b+a+z, -21)
	c := a
	a += x + y
	return a + z, b + bits.RotateLeft64(a, -44) + c
}

func city16(s []byte) uint64 {
	n := len(s)
	mul := uint64(cityK2) + 2*uint64(n)
	switch {
	case n >= 8:
		a, b := city8(s, 0)+cityK2, city8(s, n-8)
		return cityMix(bits.RotateLeft64(b, -37)*mul+a, (bits.RotateLeft64(a, -25)+b)*mul, mul)
	case n >= 4:
		a := uint64(binary.LittleEndian.Uint32(s))
		return cityMix(uint64(n)+a<<3, uint64(binary.LittleEndian.Uint32(s[n-4:])), mul)
	case n > 0:
		y := uint32(s[0]) + uint32(s[n/2])<<8
		z := uint32(n) + uint32(s[n-1])<<2
		return cityShift(uint64(y)*cityK2^uint64(z)*cityK0) * cityK2
	}
	return cityK2
}

func city32(s []byte) uint64 {
	n := len(s)
	mul := uint64(cityK2) + 2*uint64(n)
	a, b := city8(s, 0)*cityK1, city8(s, 8)
	c, d := city8(s, n-8)*mul, city8(s, n-16)*cityK2
	return cityMix(bits.RotateLeft64(a+b, -43)+bits.RotateLeft64(c, -30)+d, a+bits.RotateLeft64(b+cityK2, -18)+c, mul)
}

func city64(s []byte) uint64 {
	n := len(s)
	mul := uint64(cityK2) + 2*uint64(n)
	a, b := city8(s, 0)*cityK2, city8(s, 8)
	c, d := city8(s, n-24), city8(s, n-32)
	e, f := city8(s, 16)*cityK2, city8(s, 24)*9
	g, h := city8(s, n-8), city8(s, n-16)*mul
	u := bits.RotateLeft64(a+g, -43) + (bits.RotateLeft64(b, -30)+c)*9
	v := ((a + g) ^ d) + f + 1
	w := bits.ReverseBytes64((u+v)*mul) + h
	x := bits.RotateLeft64(e+f, -42) + c
	y := (bits.ReverseBytes64((v+w)*mul) + g) * mul
	z := e + f + c
	a = bits.ReverseBytes64((x+z)*mul+y) + b
	return cityShift((z+a)*mul+d+h)*mul + x
}

// NameHash is CityHash64 over the UTF-16LE of the lower-cased name. Over a long
// package name ("/Game/A/B") it is the package's id (FPackageId); over a
// container's name, the container's.
func NameHash(name string) uint64 { return CityHash64(lowerUTF16(name)) }

// The two top bits of an FPackageObjectIndex are the kind of its target.
const (
	ObjectKind    = 3 << 62 // mask of the kind
	ObjectExport  = 0 << 62 // an export of the same package, by position
	ObjectScript  = 1 << 62 // a class or other object of the program, by hash
	ObjectPackage = 2 << 62 // an export of another package
	ObjectNull    = 3 << 62
)

// ScriptObjectID is the id under which packages import an object of the
// program, from its path in any form: "/Script/Engine.Actor:Sub".
func ScriptObjectID(path string) uint64 {
	return CityHash64(lowerUTF16(slashed(path)))&^ObjectKind | ObjectScript
}

// ExportHash is the public hash of an export (UE5), from its path within its
// package, in any form: "Lvl:PersistentLevel.Actor_1".
func ExportHash(path string) uint64 { return CityHash64(lowerUTF16(slashed(path))) }
