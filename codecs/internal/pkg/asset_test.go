package pkg_test

import (
	"encoding/binary"
	"testing"
)

// asset is a UE4 or UE5 package to be written, with one import of a package,
// one of a class, and one export.
type asset struct {
	ue4, ue5 int
	cooked   bool // editor data left out
	split    bool // without the data, which is in the .uexp
	package8 bool // imports name their package although cooked, as in 5.8
}

type assetPlaces struct{ header, names, imports, exports, depends, registry, bits, preload, size int }

type assetEmitter struct {
	asset
	at, next assetPlaces
	out      []byte
}

func (a asset) bytes(t testing.TB) []byte {
	t.Helper()
	var at assetPlaces
	for range 4 {
		e := &assetEmitter{asset: a, at: at}
		e.emit()
		if e.next == at {
			if a.split {
				return e.out[:at.header]
			}
			return e.out
		}
		at = e.next
	}
	t.Fatal("offsets do not settle")
	return nil
}

func (e *assetEmitter) i32(v ...int) {
	for _, v := range v {
		e.out = binary.LittleEndian.AppendUint32(e.out, uint32(v))
	}
}

func (e *assetEmitter) i64(v int) { e.out = binary.LittleEndian.AppendUint64(e.out, uint64(v)) }

func (e *assetEmitter) text(s string) {
	e.i32(len(s) + 1)
	e.out = append(append(e.out, s...), 0)
}

// when writes n zero i32 if the version has them.
func (e *assetEmitter) when(has bool, n int) {
	if has {
		e.i32(make([]int, n)...)
	}
}

func (e *assetEmitter) legacy() int {
	switch {
	case e.ue5 >= 1014:
		return -9
	case e.ue5 > 0:
		return -8
	case e.ue4 >= 507:
		return -7
	}
	return -6
}

func (e *assetEmitter) emit() {
	e.head()
	e.tables()
	e.engine()
	e.tail()
	e.next.names = len(e.out)
	for _, n := range []string{"/Script/Engine", "/Script/CoreUObject", "Package", "Class", "Texture2D", "T_Test", "None"} {
		e.text(n)
		e.when(e.ue4 >= 504, 1)
	}
	e.imports()
	e.export()
	e.next.depends = len(e.out)
	e.i32(1, -1)
	e.next.preload = len(e.out)
	e.i32(-1)
	e.registry()
	e.next.header = len(e.out)
	e.out = append(e.out, "data"...)
	e.i32(0x9E2A83C1)
	e.next.size = len(e.out)
}

func (e *assetEmitter) head() {
	e.i32(0x9E2A83C1, e.legacy(), 864, e.ue4)
	if e.legacy() <= -8 {
		e.i32(e.ue5)
	}
	e.i32(0)
	if e.ue5 >= 1016 {
		e.when(true, 5)
		e.i32(e.at.header)
	}
	e.i32(1, 1, 2, 3, 4, 5) // a custom version
	if e.ue5 < 1016 {
		e.i32(e.at.header)
	}
	e.text("/Game/T_Test")
	flags := 0
	if e.cooked {
		flags = -1 << 31
	}
	e.i32(flags)
}

func (e *assetEmitter) tables() {
	e.i32(7, e.at.names)
	e.when(e.ue5 >= 1008, 2)
	if e.ue4 >= 516 && !e.cooked {
		e.text("0123456789ABCDEF")
	}
	e.when(e.ue4 >= 459, 2)
	e.i32(1, e.at.exports, 2, e.at.imports)
	if e.ue5 >= 1015 {
		e.i32(0, e.at.depends, 0, e.at.depends)
	}
	e.when(e.ue5 >= 1014, 1)
	e.i32(e.at.depends)
	e.when(e.ue4 >= 384, 2)
	e.when(e.ue4 >= 510, 1)
	e.i32(0)
	e.when(e.ue5 >= 1018, 2)
	if e.ue5 < 1016 {
		e.i32(10, 11, 12, 13)
	}
	if e.ue4 >= 518 && !e.cooked {
		e.i32(20, 21, 22, 23)
		e.when(e.ue4 < 520, 4)
	}
	e.i32(1, 1, 7)
}

func (e *assetEmitter) engine() {
	for range 2 {
		e.out = append(e.out, 4, 0, 27, 0, 2, 0)
		e.i32(1234)
		e.text("++UE4+Test")
		if e.ue4 < 444 {
			return
		}
	}
}

func (e *assetEmitter) tail() {
	e.i32(0, 0, 77, 0)
	e.when(e.legacy() > -7, 1)
	e.i32(e.at.registry)
	e.i64(e.at.size - 4)
	e.i32(0, 0)
	if e.ue4 >= 507 {
		e.i32(1, e.at.preload)
	}
	e.when(e.ue5 >= 1001, 1)
	e.when(e.ue5 >= 1002, 2)
	e.when(e.ue5 >= 1009, 1)
}

func (e *assetEmitter) imports() {
	e.next.imports = len(e.out)
	for _, i := range [][]int{{1, 0, 2, 0, 0, 0, 0}, {1, 0, 3, 0, -1, 4, 0}} {
		e.i32(i...)
		if e.ue4 >= 520 && (!e.cooked || e.package8) {
			e.i32(6, 0)
		}
		e.when(e.ue5 >= 1003, 1)
	}
}

func (e *assetEmitter) export() {
	e.next.exports = len(e.out)
	e.i32(-2, 0)
	e.when(e.ue4 >= 508, 1)
	e.i32(0, 5, 3, 9) // T_Test_2
	if e.ue4 >= 511 {
		e.i64(4)
		e.i64(e.at.header)
	} else {
		e.i32(4, e.at.header)
	}
	e.i32(0, 1, 0)
	e.when(e.ue5 < 1005, 4)
	e.when(e.ue5 >= 1006, 1)
	e.i32(0x40)
	e.when(e.ue4 >= 365, 1)
	if e.ue4 >= 485 {
		e.i32(1)
	}
	e.when(e.ue5 >= 1003, 1)
	if e.ue4 >= 507 {
		e.i32(0, 0, 1, 0, 0)
	}
	e.when(e.ue5 >= 1010, 4)
}

// registry writes an empty list of assets and, where it follows, what the game
// uses: the package import only.
func (e *assetEmitter) registry() {
	if e.cooked {
		return
	}
	e.next.registry = len(e.out)
	if e.ue4 >= 521 {
		e.i64(e.at.bits)
	}
	e.i32(0)
	e.next.bits = len(e.out)
	if e.ue4 >= 521 {
		e.i32(2, 1, 0)
	}
	e.when(e.ue5 >= 1013, 1)
}
