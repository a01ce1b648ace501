package script

import (
	"fmt"
	"strings"

	"pakdb/codecs/unreal"
)

// Names renders the names and objects of one package, each path once. It is not
// safe for concurrent use.
type Names struct {
	Facts   *unreal.PackageFacts
	paths   map[unreal.ObjectRef]string
	members map[unreal.ObjectRef]string
	buf     []byte
	left    int   // bytes that further paths may take
	err     error // since the last call of Err
}

// maxPaths bounds the paths of a package together: objects inside of each other, with
// long names, have paths of megabytes each. Those of the largest packages known take less
// than 4 MB.
const maxPaths = 16 << 20

// NewNames returns the names of a package.
func NewNames(f *unreal.PackageFacts) *Names {
	return &Names{Facts: f, paths: map[unreal.ObjectRef]string{}, members: map[unreal.ObjectRef]string{}, left: maxPaths}
}

// Name returns the text of a name without its number; ok is false for an index
// outside the table.
func (n *Names) Name(index int32) (text string, ok bool) {
	if index < 0 || int(index) >= len(n.Facts.Names) {
		return "", false
	}
	return n.Facts.Names[index].Text, true
}

// Has reports whether a reference is 0 or inside the tables.
func (n *Names) Has(r unreal.ObjectRef) bool {
	if i, ok := r.Import(); ok {
		return i < len(n.Facts.Imports)
	}
	i, ok := r.Export()
	return !ok || i < len(n.Facts.Exports)
}

// Object returns the name of the object itself.
func (n *Names) Object(r unreal.ObjectRef) unreal.ObjectName {
	if i, ok := r.Import(); ok && i < len(n.Facts.Imports) {
		return n.Facts.Imports[i].Name
	}
	if i, ok := r.Export(); ok && i < len(n.Facts.Exports) {
		return n.Facts.Exports[i].Name
	}
	return unreal.ObjectName{Index: -1}
}

// Bare returns the name of the object itself as text, "null" for none.
func (n *Names) Bare(r unreal.ObjectRef) string {
	if r == 0 {
		return "null"
	}
	return n.Facts.ObjectOf(r)
}

// Member returns the name of an object after that of its outer. The separator is
// the same in all calls.
func (n *Names) Member(r unreal.ObjectRef, separator string) string {
	if text, ok := n.members[r]; ok {
		return text
	}
	text := n.Bare(r)
	if outer := n.Facts.OuterOf(r); outer != 0 {
		text = n.Facts.ObjectOf(outer) + separator + text
	}
	if !n.spend(len(text)) {
		return ""
	}
	n.members[r] = text
	return text
}

// Path returns the whole path of an object: "/Script/Engine.Actor:Fn", with a dot
// in front for one of the package itself: ".My_C:Fn"; "null" for none.
func (n *Names) Path(r unreal.ObjectRef) string {
	if r == 0 {
		return "null"
	}
	if path, ok := n.paths[r]; ok {
		return path
	}
	buf, rooted := n.Facts.AppendPath(append(n.buf[:0], '.'), r)
	n.buf = buf
	if !n.spend(len(buf)) {
		return ""
	}
	path := string(buf)
	if rooted {
		path = path[1:]
	}
	n.paths[r] = path
	return path
}

// Own returns the path of an export in its package: "My_C:Fn".
func (n *Names) Own(export int) string {
	return strings.TrimPrefix(n.Path(unreal.ObjectRef(export+1)), ".")
}

// spend reports whether a text of this many bytes may be kept.
func (n *Names) spend(size int) bool {
	if size > n.left {
		n.err = fmt.Errorf("%w: %d bytes of paths", ErrText, maxPaths)
		return false
	}
	n.left -= size
	return true
}

// Err returns an error of class [ErrText] when a path did not fit into the limit of the
// package since the last call.
func (n *Names) Err() error {
	err := n.err
	n.err = nil
	return err
}
