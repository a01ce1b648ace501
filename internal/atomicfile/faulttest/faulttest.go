// Package faulttest stops programs at each operation on files in turn, for tests
// of what a kill, a full disk or a broken one leaves.
package faulttest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"pakdb/internal/atomicfile"
	"pakdb/internal/testkit"
)

// ErrStopped is the error of every operation after the one at which the program
// was stopped.
var ErrStopped = errors.New("the process was killed")

// Faults counts operations and makes the one at a given place fail. It is safe
// for concurrent use.
type Faults struct {
	At   int   // which operation fails, from 1 on; 0: none
	Err  error // with what; nil: the program is stopped there, and all after it fail too
	Torn bool  // of a write, the first half is done

	mu  sync.Mutex
	ops []atomicfile.Op
}

// Guard is the [atomicfile.Guard]. Syncing is left out.
func (f *Faults) Guard(op atomicfile.Op) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ops = append(f.ops, op)
	n := len(f.ops)
	if f.At == 0 || n < f.At || n > f.At && f.Err != nil {
		if op.Kind == atomicfile.OpSync || op.Kind == atomicfile.OpSyncDir {
			return atomicfile.ErrDone
		}
		return nil
	}
	err := f.Err
	if err == nil {
		err = ErrStopped
	}
	if f.Torn && n == f.At && op.Kind == atomicfile.OpWrite {
		return &atomicfile.Torn{N: op.Size / 2, Err: err}
	}
	return err
}

// Ops returns the operations so far.
func (f *Faults) Ops() []atomicfile.Op {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.ops)
}

// Reached reports whether the operation that was to fail was asked for, and which
// it was.
func (f *Faults) Reached() (op atomicfile.Op, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.At == 0 || len(f.ops) < f.At {
		return op, false
	}
	return f.ops[f.At-1], true
}

// Command is something that changes the files of a folder. What it leaves is
// compared as a [Tree].
type Command struct {
	// Prepare makes a folder in the old state.
	Prepare func(t *testing.T) (dir string)
	// Run does it. It ends without an error when the folder is in the new state.
	Run func(ctx context.Context, dir string) error
	// Look is called first for a folder that a killed or failed run has left: for
	// what readers see, and for recovering, where only that makes files whole. nil:
	// there is nothing to do.
	Look func(t *testing.T, dir string, at Point)
	// MayFail are operations whose failure a run need not report, such as removing
	// what is not needed any more: temporary files and empty folders may stay then.
	// nil: none.
	MayFail func(atomicfile.Op) bool
	// Mixed: with some files in the old state and some in the new one the folder is
	// all right, until the next run.
	Mixed bool
	// Kept: what a failed run leaves under temporary names is for the next one.
	Kept bool
	// Lax are files that can be made again, and need not be synced. nil: none.
	Lax func(path string) bool
	// State is what counts of a folder; nil: its files. Where it is given, files may
	// differ, unless Exact is set as well: then those after the next run are those of
	// an undisturbed one.
	State func(t *testing.T, dir string) Tree
	Exact bool

	old, new Tree
	files    Tree // after an undisturbed run
}

// Point is where a run was made to fail.
type Point struct {
	atomicfile.Op
	N      int   // the how manieth operation it was
	Torn   bool  // a write, half of which was done
	Killed bool  // nothing was done after it
	Err    error // what the run returned
}

func (p Point) String() string { return fmt.Sprintf("operation %d, %s of %s", p.N, p.Kind, p.Path) }

// Variable is the environment variable that says at how many operations of a command
// [Sweep] stops it at most, in place of what the test says: PAKDB_FAULTS=10000 is all.
const Variable = "PAKDB_FAULTS"

// Sweep kills the command at each of its operations, and lets each of them fail: at
// up to most of them, evenly spread, if tests try every case; otherwise at three, and with
// -short at one. It returns at how many, both together. Several points are tried at a time: what the functions
// of the command share must allow that.
func Sweep(t *testing.T, c Command, most int) (points int) {
	t.Helper()
	most = testkit.Of(min(most, 3), most)
	if testing.Short() {
		most = 1
	}
	if n, err := strconv.Atoi(os.Getenv(Variable)); err == nil && n > 0 {
		most = n
	}
	free := &Faults{}
	c.run(t, free)
	ops := free.Ops()
	if len(ops) == 0 {
		t.Fatal("the command does nothing to files that is guarded")
	}
	var reached atomic.Int64
	all := 0
	t.Run("stopped", func(t *testing.T) { // until all of them are done
		for i, n := range spread(len(ops), most) {
			failing := []error{syscall.ENOSPC, syscall.EIO}[n/2%2]
			for k, err := range []error{nil, failing} {
				if !testkit.Deep() && k != i%2 { // by turns
					continue
				}
				all++
				f := &Faults{At: n, Err: err, Torn: n%2 == 0}
				t.Run(fmt.Sprintf("%d/%v", n, cmp.Or(err, ErrStopped)), func(t *testing.T) {
					t.Parallel() // most of the time files are created and removed
					if c.point(t, f) {
						reached.Add(1)
					}
				})
			}
		}
	})
	points = int(reached.Load())
	if points < all*9/10 {
		t.Errorf("%d points were reached of %d", points, all)
	}
	t.Logf("%d points of %d operations (%s)", points, len(ops), kinds(ops))
	return points
}

// spread returns up to most of the numbers from 1 to n.
func spread(n, most int) (list []int) {
	for i := range min(n, most) {
		list = append(list, 1+i*n/min(n, most))
	}
	return list
}

func kinds(ops []atomicfile.Op) string {
	count := map[string]int{}
	for _, op := range ops {
		count[string(op.Kind)]++
	}
	var list []string
	for kind, n := range count {
		list = append(list, fmt.Sprintf("%s %d", kind, n))
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

// run runs the command from the old state to the end.
func (c *Command) run(t *testing.T, f *Faults) {
	t.Helper()
	dir := c.Prepare(t)
	c.old = c.state(t, dir)
	if err := c.Run(atomicfile.WithGuard(t.Context(), f.Guard), dir); err != nil {
		t.Fatalf("undisturbed: %v", err)
	}
	if list := Unsynced(f.Ops(), c.Lax); len(list) > 0 {
		t.Errorf("after a loss of power it might be otherwise: %s", strings.Join(list, "; "))
	}
	c.new, c.files = c.state(t, dir), Files(t, dir)
	if list := c.files.Temps(); len(list) > 0 {
		t.Fatalf("an undisturbed run leaves %v", list)
	}
	if maps.Equal(c.old, c.new) {
		t.Fatal("an undisturbed run changes nothing")
	}
}

// point lets one operation fail, looks at the folder, and runs the command again.
func (c *Command) point(t *testing.T, f *Faults) (reached bool) {
	t.Helper()
	dir := c.Prepare(t)
	err := c.Run(atomicfile.WithGuard(t.Context(), f.Guard), dir)
	op, reached := f.Reached()
	at := Point{Op: op, N: f.At, Torn: f.Torn && op.Kind == atomicfile.OpWrite, Killed: f.Err == nil, Err: err}
	if !reached {
		if err != nil {
			t.Errorf("nothing was made to fail: %v", err)
		}
		return false
	}
	if err == nil && (c.MayFail == nil || !c.MayFail(op)) {
		t.Errorf("%v: no error was reported", at)
	}
	if err != nil && !at.Killed && !names(err, f.Err, op) {
		t.Errorf("%v: the error does not name it: %v", at, err)
	}
	if c.Look != nil {
		c.Look(t, dir, at)
	}
	c.check(t, dir, at)
	if t.Failed() {
		return true
	}
	if err := c.Run(atomicfile.WithGuard(t.Context(), (&Faults{}).Guard), dir); err != nil {
		t.Errorf("%v: the next run: %v", at, err)
	} else {
		c.checkNew(t, dir, at)
	}
	return true
}

// checkNew compares what the next run has left with what an undisturbed one does.
func (c *Command) checkNew(t *testing.T, dir string, at Point) {
	t.Helper()
	if now := c.state(t, dir); !maps.Equal(now.Visible(), c.new.Visible()) {
		t.Errorf("%v: the next run leaves another state:\n%s", at, now.differences(c.new))
	}
	files := Files(t, dir)
	switch {
	case at.Err == nil: // what could not be removed may be there
	case (c.State == nil || c.Exact) && !maps.Equal(files, c.files):
		t.Errorf("%v: the next run leaves other files:\n%s", at, files.differences(c.files))
	case len(files.Temps()) > 0:
		t.Errorf("%v: the next run leaves %v", at, files.Temps())
	}
}

func (c *Command) state(t *testing.T, dir string) Tree {
	t.Helper()
	if c.State != nil {
		return c.State(t, dir)
	}
	return Files(t, dir)
}

// names reports whether an error says what failed, and why.
func names(err, why error, op atomicfile.Op) bool {
	text, path := err.Error(), op.Path
	if atomicfile.IsTemp(path) && !strings.Contains(text, path) { // then by the name that it was to have, in the same folder
		path = filepath.Dir(path) + string(filepath.Separator)
	}
	return errors.Is(err, why) && strings.Contains(text, path) && strings.Contains(text, string(op.Kind))
}

// stays reports that a file or folder is there because removing it failed, or what
// is in it.
func (p Point) stays(path string) bool {
	return p.Kind == atomicfile.OpRemove && (path == p.Path || strings.HasPrefix(p.Path, path+string(filepath.Separator)))
}

func has(x Tree, name string) bool { _, there := x[name]; return there }

// check compares what a run has left with the old state and the new one.
func (c *Command) check(t *testing.T, dir string, at Point) {
	t.Helper()
	seen := c.state(t, dir).Visible()
	isOld, isNew := maps.Equal(seen, c.old.Visible()), maps.Equal(seen, c.new.Visible())
	switch {
	case !isOld && !isNew && c.Mixed:
		for name, content := range seen {
			if content != c.old[name] && content != c.new[name] {
				t.Errorf("%v: %s has %d bytes of neither state", at, name, len(content))
			}
		}
		for name := range c.old.Visible() {
			if _, stays := c.new[name]; stays && !has(seen, name) {
				t.Errorf("%v: %s is missing", at, name)
			}
		}
	case !isOld && !isNew:
		t.Errorf("%v: neither the old state nor the new one:\nnot old: %s\nnot new: %s", at, seen.differences(c.old), seen.differences(c.new))
	}
	list := slices.DeleteFunc(Files(t, dir).Temps(), func(name string) bool { return at.stays(filepath.Join(dir, name)) })
	if !at.Killed && !c.Kept && at.Err != nil && len(list) > 0 {
		t.Errorf("%v: %v is left, after %v", at, list, at.Err)
	}
}
