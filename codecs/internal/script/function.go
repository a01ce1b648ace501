package script

import (
	"strconv"
	"strings"

	"pakdb/codecs/unreal"
)

// CallKind is how a call finds its function.
type CallKind uint8

// The kinds of [Call].
const (
	Final    CallKind = iota // bound: Callee is a path
	Virtual                  // by name, on whatever object
	Math                     // bound, to a static function of a library
	Delegate                 // whatever was bound to a delegate; Callee is "broadcast" or its name
	Native                   // UE1 to UE3, by number: Callee is "native#112"
)

// String names the kind as the catalog does.
func (k CallKind) String() string {
	switch k {
	case Final:
		return "final"
	case Virtual:
		return "virtual"
	case Math:
		return "math"
	case Delegate:
		return "delegate"
	}
	return "native"
}

// Call is one call in a function. Calls are in the order of the file.
type Call struct {
	Kind      CallKind
	Callee    string // "/Script/Engine.Actor:K2_DestroyActor", ".My_C:Fn", "SetText"
	Statement int    // position in the Code's list
}

// Native returns the number of a call of kind [Native], 0 of others.
func (c *Call) Native() int {
	number, _ := strings.CutPrefix(c.Callee, "native#")
	n, err := strconv.Atoi(number)
	if c.Kind != Native || err != nil {
		return 0
	}
	return n
}

// Function is a function, state or class whose code was disassembled, or could
// not be: then Err says why, and where.
type Function struct {
	Export int    // position in the package's table
	Path   string // in the package: "LOG_State_C:FlushToDisk"
	Class  string // "Function", "State", ...
	Flags  uint32 // of the function, as stored; 0 for what is none

	At                 int // of the script in the bytes of the export
	Disk               int // size of the script, bytes
	Memory             int // its size in memory, as the file states and the code confirms
	End                int // of what was read of the export
	Statements, Tokens int

	Calls   []Call
	Refs    []unreal.ObjectRef // object constants, in order, repeated
	Soft    []string           // paths of objects that are loaded on demand, likewise
	Strings []string           // other string constants
	Texts   []Text             // what players read
	Links   []Link             // where it refers to tables of the package, if [KismetOptions] ask for it
	Graph   string             // of an event: the ubergraph, which it enters at a place
	Normal  *Form              // nil where Err is set
	Err     error
}

// Text is a localized text: what finds it in a .locres, and what it says without.
type Text struct{ Namespace, Key, Source string }

// Link is a place in the bytes of an export that has the index of a name, or a reference to
// an object.
type Link struct {
	At     int
	Object bool
}

// Drop takes back what was found in a function that turned out to be opaque.
func (f *Function) Drop() {
	f.Calls, f.Refs, f.Soft, f.Strings, f.Texts, f.Links = nil, nil, nil, nil, nil, nil
}
