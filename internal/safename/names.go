package safename

import (
	"fmt"
	"path"
	"strings"
	"sync"
)

// Names hands out paths such that no two of them are one on any file system:
// names that differ in case only, and a file where another entry needs a
// folder, get "~2", "~3" before the extension. The zero value is ready; it is
// safe for concurrent use.
type Names struct {
	mu    sync.Mutex
	taken map[string]*place // by path, folded
	dirs  map[string]string // folder as [Name] wants it, to the folder that was handed out
}

// place is a path that was handed out.
type place struct {
	folder bool
	next   int // number to try for the next one of this name, so that many are not quadratic
}

// Reserve returns the path under which the entry of that name is written. Call
// it in a fixed order to get the same paths every time.
func (n *Names) Reserve(entry string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.taken == nil {
		n.taken, n.dirs = map[string]*place{}, map[string]string{}
	}
	dir, base := path.Split(Name(entry))
	name := n.free(n.folder(strings.TrimSuffix(dir, "/"))+base, false)
	n.taken[Fold(name)] = &place{next: 2}
	return name
}

// folder returns the folder that stands for dir, with a slash behind it.
func (n *Names) folder(dir string) string {
	if dir == "" {
		return ""
	}
	if known, ok := n.dirs[dir]; ok {
		return known
	}
	up, base := path.Split(dir)
	name := n.free(n.folder(strings.TrimSuffix(up, "/"))+base, true)
	if low := Fold(name); n.taken[low] == nil {
		n.taken[low] = &place{folder: true, next: 2}
	}
	n.dirs[dir] = name + "/"
	return name + "/"
}

// free returns name, with a number if something else has it. Folders share.
func (n *Names) free(name string, folder bool) string {
	first := n.taken[Fold(name)]
	if first == nil || folder && first.folder {
		return name
	}
	ext := path.Ext(name)
	for {
		other := fmt.Sprintf("%s~%d%s", strings.TrimSuffix(name, ext), first.next, ext)
		at := n.taken[Fold(other)]
		if at == nil || folder && at.folder {
			return other
		}
		first.next++
	}
}
