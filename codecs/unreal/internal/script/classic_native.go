package script

import "maps"

// Flags of functions.
const (
	flagOperator = 0x1000
)

// Natives is which function code means by a number: a sign for operators. It is
// filled from the packages that declare them, Core and Engine before all; later
// ones of a game may add to it, and never change it.
type Natives map[int]string

// DeclaredNatives returns the native functions that a package declares.
func DeclaredNatives(list []ClassicObject) Natives {
	n := Natives{}
	for i := range list {
		o := &list[i]
		if o.Err != nil || o.Class != "Function" || o.Native == 0 {
			continue
		}
		name := o.Friendly
		if o.Flags&flagOperator == 0 || name == "" {
			name = o.name
		}
		if _, twice := n[o.Native]; !twice {
			n[o.Native] = name
		}
	}
	return n
}

// Add takes over the numbers that n does not know.
func (n Natives) Add(others Natives) {
	for number, name := range maps.All(others) {
		if _, known := n[number]; !known {
			n[number] = name
		}
	}
}

// Name returns the name of a number.
func (n Natives) Name(number int) (string, bool) {
	name, ok := n[number]
	return name, ok
}
