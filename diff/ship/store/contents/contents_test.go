package contents

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zeebo/blake3"

	"pakdb/diff/ship/store"
	"pakdb/internal/objects"
	"pakdb/internal/testkit"
)

// missing returns how many of the contents the bucket lacks.
func (m *memory) missing(all []int) (n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, i := range all {
		d, _ := content(i)
		if _, ok := m.files[objectName(d)]; !ok {
			n++
		}
	}
	return n
}

func (m *memory) contents() (n int) {
	for name := range m.files {
		if _, ok := digestOf(name); ok {
			n++
		}
	}
	return n
}

func content(i int) (d [32]byte, b []byte) {
	b = bytes.Repeat(fmt.Appendf(nil, "content %d ", i), 1+i%50)
	return blake3.Sum256(b), b
}

// write adds a build as a scan does, by two workers.
func write(ctx context.Context, m *memory, label string, all []int) (added int64, err error) {
	w, err := begin(ctx, newDesk(ctx, m))
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	var wg sync.WaitGroup
	errs := make([]error, 2)
	for worker := range errs {
		wg.Go(func() {
			for i := worker; i < len(all) && errs[worker] == nil; i += 2 {
				d, b := content(all[i])
				errs[worker] = w.Put(d, bytes.NewReader(b))
			}
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return 0, err
	}
	return w.Finish(label)
}

func mustWrite(t *testing.T, m *memory, label string, all []int) {
	t.Helper()
	if _, err := write(t.Context(), m, label, all); err != nil {
		t.Fatal(err)
	}
}

func mustPrune(t *testing.T, m *memory, grace time.Duration, drop ...string) *Pruned {
	t.Helper()
	p, err := prune(t.Context(), newDesk(t.Context(), m), drop, grace, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func upTo(from, to int) (all []int) {
	for i := from; i < to; i++ {
		all = append(all, i)
	}
	return all
}

func TestContents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		t.Setenv("TMPDIR", t.TempDir())
		m := newMemory()
		mustWrite(t, m, "1", append(upTo(0, 60), upTo(0, 60)...)) // what comes twice is there once
		if added, err := write(t.Context(), m, "2", upTo(30, 90)); err != nil || added != 30 {
			t.Errorf("%d added, %v", added, err)
		}
		shelf := &Shelf{files: m}
		for i := range 90 {
			d, want := content(i)
			r, err := shelf.Open(t.Context(), d)
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(r)
			if err := errors.Join(err, r.Close()); err != nil || !bytes.Equal(got, want) {
				t.Errorf("content %d: %d bytes, %v", i, len(got), err)
			}
		}
		if _, err := shelf.Open(t.Context(), [32]byte{1}); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("what is not there: %v", err)
		}
		if p := mustPrune(t, m, 0); p.Contents != 0 || p.Waiting != 0 || !p.Any {
			t.Errorf("all are needed: %+v", p)
		}
		// The build gets other contents; those that it had wait for the grace time.
		mustWrite(t, m, "1", upTo(80, 100))
		for i, want := range []Pruned{{Waiting: 30}, {Waiting: 30}, {Contents: 30}, {}} {
			p := mustPrune(t, m, 24*time.Hour)
			if p.Contents != want.Contents || p.Waiting != want.Waiting || (p.Size > 0) != (want.Contents > 0) {
				t.Errorf("pruning %d: %+v", i, p)
			}
			time.Sleep(13 * time.Hour)
		}
		if n := m.missing(upTo(30, 100)); n > 0 || m.contents() != 70 {
			t.Errorf("%d are missing, %d there", n, m.contents())
		}
		var hinted interface{ Hint() string }
		if _, err := prune(t.Context(), newDesk(t.Context(), m), []string{"2", "3"}, 0, time.Now()); !errors.Is(err, ErrNoList) || !errors.As(err, &hinted) || hinted.Hint() != "it has those of 1, 2" {
			t.Errorf("a build that is not there: %v", err)
		}
		if p := mustPrune(t, m, 0, "2"); p.Contents != 50 {
			t.Errorf("dropped: %+v", p)
		}
		mustWrite(t, m, "2", upTo(0, 50)) // after that all is as before
		if n := m.missing(upTo(0, 50)); n > 0 {
			t.Errorf("%d are missing", n)
		}
		if p := mustPrune(t, newMemory(), 0); p.Any {
			t.Error("an empty bucket has contents")
		}
	})
}

// Races of three kinds.
const (
	calm  = iota // all end within the grace time: no writer may fail
	hasty        // there is no grace time
	wild         // there are pauses of hours, and prunings are killed
	kinds
)

// TestInterleavings has writers and prunings at work at once, in an order of requests that
// is drawn. Once a build is written, none of its contents is ever missing. A writer fails
// only if its contents were pruned.
func TestInterleavings(t *testing.T) {
	runs := testkit.Of(60, 300)
	t.Setenv("TMPDIR", t.TempDir())
	first := testkit.Seed(t)
	var pruned [kinds]int
	rescued, removed := 0, int64(0)
	for seed := first; seed < first+uint64(runs); seed++ {
		synctest.Test(t, func(t *testing.T) {
			r := &race{t: t, r: rand.New(rand.NewPCG(seed, 0)), m: newMemory(), kind: int(seed % kinds)}
			r.run()
			if t.Failed() {
				t.Fatalf("seed %d", seed)
			}
			pruned[r.kind] += r.pruned
			rescued, removed = rescued+r.rescued, removed+r.removed
		})
	}
	t.Logf("%d runs: %v writers had an error, %d wrote what was in the ledger, %d contents were removed", runs, pruned, rescued, removed)
	if rescued == 0 || removed == 0 || pruned[hasty] == 0 && testkit.All() {
		t.Error("that is not what is to be tested")
	}
	if pruned[calm] > 0 {
		t.Error("writers failed that took less than the grace time")
	}
}

// race is one order of requests.
type race struct {
	t *testing.T
	r *rand.Rand
	m *memory

	kind int

	mu      sync.Mutex
	written map[string][]int // builds
	pruned  int
	rescued int
	removed int64
}

func (r *race) run() {
	r.written = map[string][]int{}
	r.add(r.t.Context(), "a", upTo(0, 12))
	r.add(r.t.Context(), "b", upTo(8, 20))
	if _, err := prune(r.t.Context(), newDesk(r.t.Context(), r.m), []string{"a"}, 24*time.Hour, time.Now()); err != nil {
		r.t.Fatal(err)
	}
	delete(r.written, "a")
	time.Sleep(time.Duration(20+r.r.IntN(10)) * time.Hour)

	r.m.turns = make(chan *turn)
	var wg sync.WaitGroup
	done := make(chan struct{})
	for i := range 3 {
		label, all := string(rune('c'+i)), upTo(r.r.IntN(10), 10+r.r.IntN(15))
		wg.Go(func() { r.add(r.t.Context(), label, all) })
	}
	for range 2 {
		grace, kill := time.Duration(r.r.IntN(3))*12*time.Hour, time.Duration(0)
		switch r.kind {
		case calm:
			grace = 12 * time.Hour
		case hasty:
			grace = 0
		}
		if r.kind == wild && r.r.IntN(3) == 0 {
			kill = time.Duration(1+r.r.IntN(600)) * time.Second
		}
		wg.Go(func() { r.prune(grace, kill) })
	}
	go func() { wg.Wait(); close(done) }()
	r.turns(done)
	r.m.turns = nil
	r.check("at the end")
	time.Sleep(time.Hour)
	for range 2 {
		r.prune(0, 0)
		r.check("after another pruning")
	}
}

// turns gives turns until all is done: to one of those who wait, and sometimes after hours.
func (r *race) turns(done chan struct{}) {
	var waiting []*turn
	for {
		synctest.Wait()
		for more := true; more; {
			select {
			case w := <-r.m.turns:
				waiting = append(waiting, w)
				synctest.Wait()
			case <-done:
				return
			default:
				more = false
			}
		}
		switch pause := r.r.IntN(60); {
		case len(waiting) == 0:
			time.Sleep(time.Second) // somebody sleeps
		case pause == 0 && r.kind == wild:
			time.Sleep(time.Duration(r.r.IntN(30)) * time.Hour)
		case pause < 4 && r.kind == wild:
			time.Sleep(time.Duration(r.r.IntN(300)) * time.Second)
		default:
			i := r.r.IntN(len(waiting))
			close(waiting[i].give)
			waiting = slices.Delete(waiting, i, i+1)
		}
		r.check("meanwhile")
	}
}

func (r *race) add(ctx context.Context, label string, all []int) {
	l, err := newDesk(ctx, r.m).read(ctx)
	if err != nil {
		r.t.Error(err)
		return
	}
	_, err = write(ctx, r.m, label, all)
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case err == nil:
		r.written[label] = all
		for _, i := range all {
			d, _ := content(i)
			if _, ok := l.Unneeded[objectName(d)]; ok {
				r.rescued++
			}
		}
	case errors.Is(err, ErrPruned):
		r.pruned++
	default:
		r.t.Error(err)
	}
}

// prune prunes, and is killed after a time unless that is zero.
func (r *race) prune(grace, kill time.Duration) {
	ctx, cancel := context.WithCancelCause(r.t.Context())
	defer cancel(nil)
	killed := errors.New("killed")
	if kill > 0 {
		timer := time.AfterFunc(kill, func() { cancel(killed) })
		defer timer.Stop()
	}
	p, err := prune(ctx, newDesk(ctx, r.m), nil, grace, time.Now())
	if err != nil && !errors.Is(err, killed) && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		r.t.Errorf("prune: %v", err)
	}
	if p != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.removed += p.Contents
	}
}

// check looks for the contents of all builds that were written.
func (r *race) check(when string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for label, all := range r.written {
		if n := r.m.missing(all); n > 0 {
			r.t.Fatalf("%s %d of %d contents of build %s are missing", when, n, len(all), label)
		}
	}
}

// TestWriterWaits: a pruning read the lists before a writer wrote its own, and is about to
// remove a content that the writer counts on. The writer waits for that, and fails.
func TestWriterWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		t.Setenv("TMPDIR", t.TempDir())
		m := newMemory()
		mustWrite(t, m, "1", upTo(0, 20))
		mustWrite(t, m, "1", upTo(19, 20))
		w, err := begin(t.Context(), newDesk(t.Context(), m))
		if err != nil {
			t.Fatal(err)
		}
		d, b := content(7)
		if err := w.Put(d, bytes.NewReader(b)); err != nil {
			t.Fatal(err)
		}
		m.turns = make(chan *turn)
		var removals []*turn
		drive := func(hold bool) {
			for idle := 0; idle < 10; {
				synctest.Wait()
				select {
				case next := <-m.turns:
					if hold && strings.HasPrefix(next.what, "remove ") {
						removals = append(removals, next)
					} else {
						close(next.give)
					}
				default:
					idle++
					time.Sleep(time.Second)
				}
			}
		}
		pruned, finished := make(chan error, 1), make(chan error, 1)
		go func() {
			_, err := prune(t.Context(), newDesk(t.Context(), m), nil, 0, time.Now())
			pruned <- err
		}()
		drive(true)
		if len(removals) == 0 {
			t.Fatal("nothing is removed")
		}
		go func() {
			_, err := w.Finish("2")
			finished <- err
		}()
		drive(true)
		if len(finished) > 0 {
			t.Errorf("the writer did not wait: %v", <-finished)
			finished <- ErrPruned
		}
		for _, h := range removals {
			close(h.give)
		}
		drive(false)
		if err := <-finished; !errors.Is(err, ErrPruned) {
			t.Errorf("the writer: %v", err)
		}
		if err := errors.Join(<-pruned, w.Close()); err != nil {
			t.Error(err)
		}
	})
}

// TestEnteredAgain: between what a pruning marks and what it removes, a writer takes a
// content out of the ledger, and another pruning enters it again. Its grace time begins anew.
func TestEnteredAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		t.Setenv("TMPDIR", t.TempDir())
		m := newMemory()
		mustWrite(t, m, "1", upTo(0, 20))
		mustWrite(t, m, "1", upTo(19, 20))
		mustPrune(t, m, 24*time.Hour)
		time.Sleep(25 * time.Hour)

		pruner := func() *pruner { return newPruner(newDesk(t.Context(), m), 24*time.Hour, time.Now()) }
		first := pruner()
		old, err := first.mark(t.Context())
		if err != nil || len(old) != 19 {
			t.Fatalf("%d are due, %v", len(old), err)
		}
		w, err := begin(t.Context(), newDesk(t.Context(), m))
		if err != nil {
			t.Fatal(err)
		}
		d, b := content(7)
		if err := errors.Join(w.Put(d, bytes.NewReader(b)), w.rescue()); err != nil {
			t.Fatal(err)
		}
		w.spooled = nil
		if again, err := pruner().mark(t.Context()); err != nil || len(again) != 18 {
			t.Fatalf("%d are due after the writer, %v", len(again), err)
		}
		if err := first.remove(t.Context(), old); err != nil || first.out.Contents != 18 {
			t.Errorf("%d were removed, %v", first.out.Contents, err)
		}
		if _, err := w.Finish("2"); err != nil {
			t.Errorf("the writer: %v", err)
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestKilledPruning kills a pruning at each of its requests. The next one, and writers,
// end as if it had not been.
func TestKilledPruning(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for n := 0; ; n++ {
		ended := false
		synctest.Test(t, func(t *testing.T) {
			m := newMemory()
			mustWrite(t, m, "1", upTo(0, 20))
			mustWrite(t, m, "1", upTo(15, 30))
			ctx, cancel := context.WithCancel(t.Context())
			m.turns = make(chan *turn)
			done := make(chan error)
			go func() {
				_, err := prune(ctx, newDesk(ctx, m), nil, 0, time.Now())
				done <- err
			}()
			left := n
			for over := false; !over; {
				select {
				case w := <-m.turns:
					if left--; left < 0 {
						cancel()
					}
					close(w.give)
				case err := <-done:
					over, ended = true, err == nil
				}
			}
			cancel()
			m.turns = nil
			mustWrite(t, m, "2", upTo(5, 20)) // counts on what may be half removed
			if n := m.missing(upTo(5, 30)); n > 0 {
				t.Errorf("%d are missing", n)
			}
			mustPrune(t, m, 0)
			if n := m.missing(upTo(5, 30)); n > 0 || m.contents() != 25 {
				t.Errorf("after the next pruning %d are missing of %d", n, m.contents())
			}
		})
		if ended || t.Failed() {
			t.Logf("%d requests", n)
			return
		}
	}
}

// TestDamage: what is damaged is an error, and removes nothing.
func TestDamage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		t.Setenv("TMPDIR", t.TempDir())
		m := newMemory()
		mustWrite(t, m, "1", upTo(0, 20))
		list, ok := "", false
		for name := range m.files {
			if strings.HasPrefix(name, lists) {
				list, ok = name, true
			}
		}
		if !ok {
			t.Fatal("no list")
		}
		whole := m.files[list]
		for name, b := range map[string][]byte{
			"nothing": nil, "cut": whole.b[:len(whole.b)-8], "changed": append(slices.Clone(whole.b[:len(whole.b)-1]), whole.b[len(whole.b)-1]+1),
			"longer": append(slices.Clone(whole.b), 1, 2, 3, 4, 5, 6, 7, 8), "no list": []byte("{}"), "a long line": bytes.Repeat([]byte("x"), mostHead+2),
		} {
			m.files[list] = stored{b, "x", time.Now()}
			if _, err := prune(t.Context(), newDesk(t.Context(), m), nil, 0, time.Now()); !errors.Is(err, store.ErrCorrupt) || !strings.Contains(err.Error(), list) {
				t.Errorf("%s: %v", name, err)
			}
		}
		m.files[list] = whole
		for _, text := range []string{"", "[]", `{"unneeded": 3}`, `{"going": {"names": 1}}`} {
			m.files[ledgerName] = stored{[]byte(text), "x", time.Now()}
			if _, err := prune(t.Context(), newDesk(t.Context(), m), nil, 0, time.Now()); !errors.Is(err, store.ErrCorrupt) {
				t.Errorf("ledger %q: pruned, %v", text, err)
			}
			if _, err := write(t.Context(), m, "2", upTo(0, 3)); !errors.Is(err, store.ErrCorrupt) {
				t.Errorf("ledger %q: written, %v", text, err)
			}
		}
		if m.missing(upTo(0, 20)) > 0 {
			t.Error("contents are gone")
		}
		d, _ := content(1)
		other, _ := content(2)
		shelf := &Shelf{files: m}
		for name, b := range map[string][]byte{"nothing": nil, "noise": []byte("noise"), "another": m.files[objectName(other)].b, "cut": m.files[objectName(d)].b[:10]} {
			m.files[objectName(d)] = stored{b, "x", time.Now()}
			r, err := shelf.Open(t.Context(), d)
			if err == nil {
				_, err = io.ReadAll(r)
				_ = r.Close()
			}
			if err == nil || name == "another" && !errors.Is(err, objects.ErrDigest) {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}
