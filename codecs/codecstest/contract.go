package codecstest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"runtime"
	"sync"
	"testing"
	"time"
	"unicode/utf8"
	"weak"

	"pakdb/codecs"
)

// ContractOptions adjust [Contract]. The zero value works.
type ContractOptions struct {
	Open    *codecs.Options // keys and limits for the healthy archive
	Weak    bool            // Probe answers WeakMatch
	MaxRead int             // entries whose content is read, sampled; 0 is 300
	Cuts    int             // truncations tried; 0 is by size, negative none
	Flips   int             // byte changes tried; 0 is by size, negative none
	Alloc   int64           // bytes that reading one damaged copy may allocate; 0 is 256 MiB
}

// Contract checks everything that the documentation of [codecs.Archive]
// promises, on src, which must be a healthy archive of f. Then it damages
// copies of src and checks that each ends, soon, in errors of a known class.
// Run it under the race detector now and then.
func Contract(t *testing.T, f *codecs.Format, src codecs.Source, o ContractOptions) {
	t.Helper()
	if o.MaxRead == 0 {
		o.MaxRead = 300
	}
	c := &contract{f: f, src: src, o: o}
	for _, check := range []struct {
		name string
		fn   func() error
	}{
		{"probe", c.probe},
		{"cancelled", c.cancelled},
		{"close", c.close},
		{"collected", c.collected},
		{"list", c.list},
		{"content", c.content},
		{"concurrent", c.concurrent},
		{"verify", c.verify},
		{"cut", c.cut},
		{"flip", c.flip},
		{"unreadable", c.unreadable},
	} {
		t.Run(check.name, func(t *testing.T) {
			if err := check.fn(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

type contract struct {
	f   *codecs.Format
	src codecs.Source
	o   ContractOptions
}

func (c *contract) with(fn func(codecs.Archive) error) error {
	a, err := c.f.Open(context.Background(), c.src, c.o.Open)
	if err != nil {
		return err
	}
	return errors.Join(fn(a), a.Close())
}

func (c *contract) probe() error {
	want := codecs.MagicMatch
	if c.o.Weak {
		want = codecs.WeakMatch
	}
	got, err := c.f.Probe(c.src)
	if err != nil || got != want && (c.o.Weak || got != codecs.WholeMatch) {
		return fmt.Errorf("probe answers %d, %v; want %d", got, err, want)
	}
	return nil
}

// cancelled: a context that is over is noticed by Open of the format and, at
// the latest with the first Read, by Open of an entry.
func (c *contract) cancelled() error {
	done, cancel := context.WithCancel(context.Background())
	cancel()
	if a, err := c.f.Open(done, c.src, c.o.Open); !errors.Is(err, context.Canceled) {
		if err == nil {
			_ = a.Close()
		}
		return fmt.Errorf("opened with a cancelled context = %v", err)
	}
	return c.with(func(a codecs.Archive) error {
		for _, e := range c.sample(a, 5) {
			if _, err := ReadEntry(done, a, e); !errors.Is(err, context.Canceled) && !excused(err) {
				return fmt.Errorf("entry %d read with a cancelled context = %v", e.Ordinal, err)
			}
		}
		return nil
	})
}

// close: what Open started ends with Close.
func (c *contract) close() error {
	before := runtime.NumGoroutine()
	for range 3 {
		if err := c.with(func(a codecs.Archive) error { return c.readAll(a, 5) }); err != nil {
			return err
		}
	}
	return settled(before)
}

// settled waits until no more goroutines are left than there were before.
func settled(before int) error {
	for range 200 {
		if runtime.NumGoroutine() <= before {
			return nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	return fmt.Errorf("%d goroutines before Open, %d after Close", before, runtime.NumGoroutine())
}

// collected: nothing keeps an archive after Close. A pool in it would, until the second
// collection of memory: then many archives take many times what one does.
func (c *contract) collected() error {
	type reader struct{ io.ReaderAt }
	read := func() (weak.Pointer[reader], error) {
		own := *c
		r := &reader{c.src.ReaderAt}
		own.src.ReaderAt = r
		return weak.Make(r), own.with(func(a codecs.Archive) error { return own.readAll(a, 5) })
	}
	before := runtime.NumGoroutine()
	r, err := read()
	if err := errors.Join(err, settled(before)); err != nil { // what a goroutine has is in use
		return err
	}
	if runtime.GC(); r.Value() != nil {
		return errors.New("an archive is in memory after Close")
	}
	return nil
}

func (c *contract) list() error {
	return c.with(func(a codecs.Archive) error {
		first, err := listed(a)
		if err != nil {
			return err
		}
		info := a.Info()
		if info.Format != c.f.Name {
			return fmt.Errorf("info has Format = %q, Format.Name = %q", info.Format, c.f.Name)
		}
		if info.EntryCount != -1 && info.EntryCount != len(first) {
			return fmt.Errorf("info counts %d entries, iteration yields %d", info.EntryCount, len(first))
		}
		for _, w := range info.Warnings {
			if err := checkClass(w); err != nil {
				return err
			}
		}
		second, err := listed(a)
		if err != nil {
			return err
		}
		if !reflect.DeepEqual(first, second) {
			return errors.New("two iterations differ")
		}
		for i, e := range first {
			if err := checkEntry(i, e); err != nil {
				return err
			}
		}
		return stopsEarly(a)
	})
}

func listed(a codecs.Archive) ([]*codecs.Entry, error) {
	var es []*codecs.Entry
	for e, err := range a.Entries() {
		if err != nil {
			return es, err
		}
		es = append(es, e)
	}
	return es, nil
}

func checkEntry(i int, e *codecs.Entry) error {
	switch {
	case e.Ordinal != i:
		return fmt.Errorf("entry %d has ordinal %d", i, e.Ordinal)
	case !utf8.ValidString(e.Name):
		return fmt.Errorf("entry %d: name %q is not UTF-8", i, e.Name)
	case bytes.ContainsRune([]byte(e.Name), '\\'):
		return fmt.Errorf("entry %d: name %q has backslashes", i, e.Name)
	case e.Size < 0 || e.Stored < 0 || e.Offset < -1:
		return fmt.Errorf("entry %d: size %d, stored %d, offset %d", i, e.Size, e.Stored, e.Offset)
	}
	return nil
}

func stopsEarly(a codecs.Archive) error {
	n := 0
	for range a.Entries() {
		if n++; n > 1 {
			return errors.New("iteration goes on after break")
		}
		break
	}
	return nil
}

// sample returns up to n entries, the first and the last among them.
func (c *contract) sample(a codecs.Archive, n int) []*codecs.Entry {
	var es []*codecs.Entry
	for e, err := range a.Entries() {
		if err == nil && e.Flags&codecs.Deleted == 0 {
			es = append(es, e)
		}
	}
	if len(es) <= n {
		return es
	}
	rnd := rand.New(rand.NewPCG(1, uint64(n)))
	out := []*codecs.Entry{es[0], es[len(es)-1]}
	for _, i := range rnd.Perm(len(es) - 2)[:n-2] {
		out = append(out, es[i+1])
	}
	return out
}

func (c *contract) readAll(a codecs.Archive, n int) error {
	for _, e := range c.sample(a, n) {
		if _, err := ReadEntry(context.Background(), a, e); err != nil && !excused(err) {
			return err
		}
	}
	return nil
}

// excused: a method that no decoder is plugged in for is no breach.
func excused(err error) bool { return errors.Is(err, errors.ErrUnsupported) }

func (c *contract) content() error {
	return c.with(func(a codecs.Archive) error {
		for _, e := range c.sample(a, c.o.MaxRead) {
			if _, err := ReadEntry(context.Background(), a, e); err != nil && !excused(err) {
				return err
			}
			raw, err := a.OpenRaw(e)
			if err != nil {
				return err
			}
			n, err := io.Copy(io.Discard, raw)
			if err != nil || n != e.Stored || raw.Size() != e.Stored {
				return fmt.Errorf("entry %d: OpenRaw gives %d bytes of %d, Stored says %d: %v",
					e.Ordinal, n, raw.Size(), e.Stored, err)
			}
		}
		return nil
	})
}

// concurrent: several goroutines list and read, each in its own order, and get
// what one alone gets.
func (c *contract) concurrent() error {
	return c.with(func(a codecs.Archive) error {
		es := c.sample(a, min(c.o.MaxRead, 100))
		want := make([][]byte, len(es))
		for i, e := range es {
			want[i], _ = ReadEntry(context.Background(), a, e)
		}
		errs := make([]error, 4)
		var wg sync.WaitGroup
		for g := range errs {
			wg.Go(func() { errs[g] = readShuffled(a, es, want, uint64(g)) })
		}
		wg.Wait()
		return errors.Join(errs...)
	})
}

func readShuffled(a codecs.Archive, es []*codecs.Entry, want [][]byte, seed uint64) error {
	if _, err := listed(a); err != nil {
		return err
	}
	for _, i := range rand.New(rand.NewPCG(2, seed)).Perm(len(es)) {
		own := *es[i] // an archive must not depend on the pointer it handed out
		got, err := ReadEntry(context.Background(), a, &own)
		if err != nil && !excused(err) {
			return err
		}
		if !bytes.Equal(got, want[i]) {
			return fmt.Errorf("entry %d read concurrently differs", es[i].Ordinal)
		}
	}
	return nil
}

// verify: a healthy archive keeps its own claims.
func (c *contract) verify() error {
	return c.with(func(a codecs.Archive) error {
		v, ok := a.(codecs.Verifier)
		if !ok {
			return nil
		}
		var found []error
		err := v.Verify(context.Background(), func(e *codecs.FormatError) { found = append(found, e) })
		for _, f := range found {
			if cerr := checkClass(f); cerr != nil {
				return cerr
			}
			if !errors.Is(f, codecs.ErrNonStrict) {
				err = errors.Join(err, f)
			}
		}
		return err
	})
}
