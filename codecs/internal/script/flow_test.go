package script

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/internal/script/scripttest"
	"pakdb/codecs/unrealpak"
)

// flow reads a tree as who follows it would: where each node leads.
type flow struct {
	*tree
	next   map[int][]int
	real   map[int][]int
	folded map[int]bool
	err    string
}

// around is where control goes behind a block, by break and by continue.
type ways struct{ behind, out, again int }

// list returns the node at which control enters a block.
func (f *flow) list(items []*item, w ways) int {
	to := w.behind
	for i := len(items) - 1; i >= 0; i-- {
		to = f.item(items[i], ways{to, w.out, w.again})
	}
	return to
}

func (f *flow) set(it *item, next ...int) int {
	if _, ok := f.next[it.node]; ok {
		f.err += fmt.Sprintf("node %d is written twice; ", it.node)
	}
	f.next[it.node] = next
	to := it.node
	for i := len(it.folds) - 1; i >= 0; i-- {
		f.next[it.folds[i]] = []int{to}
		f.folded[it.folds[i]] = true
		to = it.folds[i]
	}
	return to
}

func (f *flow) item(it *item, w ways) int {
	switch it.kind {
	case gotoItem:
		return it.node
	case breakItem:
		return w.out
	case continueItem:
		return w.again
	case returnItem:
		return exit
	case ifItem:
		return f.set(it, ordered(it.not, f.list(it.body, w), f.list(it.other, w))...)
	case loopItem:
		if to := f.list(it.body, ways{it.node, w.behind, it.node}); to != it.node {
			f.err += fmt.Sprintf("loop of node %d begins at %d; ", it.node, to)
		}
		return it.node
	case whileItem, eachItem:
		if it.init != nil {
			again := it.step.first()
			f.set(it.step, it.node)
			f.set(it, ordered(it.not, f.list(it.body, ways{again, w.behind, again}), w.behind)...)
			return f.set(it.init, it.node)
		}
		return f.set(it, ordered(it.not, f.list(it.body, ways{it.first(), w.behind, it.first()}), w.behind)...)
	case untilItem:
		test := it.body[len(it.body)-1]
		f.set(test, ordered(it.not, w.behind, it.node)...)
		return f.list(it.body[:len(it.body)-1], ways{test.first(), w.behind, exit - 9})
	case switchItem:
		var next []int
		to := w.behind
		for i := len(it.cases) - 1; i >= 0; i-- {
			c := it.cases[i]
			to = f.list(c.body, ways{to, w.behind, w.again})
			for range len(c.values) {
				next = append(next, to)
			}
			if c.other {
				next = append(next, to)
			}
		}
		slices.Reverse(next)
		return f.set(it, next...)
	}
	if f.nodes[it.node].kind == haltNode {
		return f.set(it)
	}
	return f.set(it, w.behind)
}

func ordered(not bool, holds, fails int) []int {
	if not {
		return []int{fails, holds}
	}
	return []int{holds, fails}
}

// check returns where a tree leads elsewhere than the code. Statements that became part
// of others may have passed each other: those are left out.
func check(t *tree) string {
	f := flow{tree: t, next: map[int][]int{}, folded: map[int]bool{}}
	for _, s := range t.sections {
		if at := f.list(s.items, ways{exit, exit - 9, exit - 9}); f.shown(at, f.next) != f.shown(s.node, f.code()) {
			f.err += fmt.Sprintf("section %q begins at %d, not %d; ", s.event, at, s.node)
		}
	}
	for _, n := range t.line {
		if f.folded[n] {
			continue
		}
		var got, want []int
		for _, to := range f.next[n] {
			got = append(got, f.shown(to, f.next))
		}
		for _, to := range t.nodes[n].next {
			want = append(want, f.shown(to, f.code()))
		}
		if !slices.Equal(got, want) {
			f.err += fmt.Sprintf("node %d (%s) leads to %v, not %v; ", n, join(t.graph.shown[t.nodes[n].at].Text), got, want)
		}
	}
	return f.err
}

// code returns where the code leads.
func (f *flow) code() map[int][]int {
	if f.real == nil {
		f.real = map[int][]int{}
		for i, n := range f.nodes {
			f.real[i] = n.next
		}
	}
	return f.real
}

// shown returns the first node from one on that is no part of another.
func (f *flow) shown(n int, next map[int][]int) int {
	for range len(f.nodes) {
		if !f.folded[n] {
			return n
		}
		n = next[n][0]
	}
	return n
}

// TestSourceSamples follows the blocks of each function of the samples, as they were made and
// as they were shaped, and compares where that leads with the code.
func TestSourceSamples(t *testing.T) {
	functions, kept, jumps := 0, 0, 0
	for name, list := range samples(t) {
		for _, f := range list {
			functions++
			g, err := newGraph(f.Normal, f.Normal.Parts())
			var tr *tree
			if err == nil {
				tr, err = newTree(g)
			}
			if err != nil {
				kept++
				t.Logf("%s %s keeps its normal form: %v", name, f.Path, err)
				continue
			}
			if wrong := check(tr); wrong != "" {
				t.Errorf("%s %s: %s", name, f.Path, wrong)
			}
			tr.inline()
			tr.shape()
			if wrong := check(tr); wrong != "" {
				t.Errorf("%s %s, shaped: %s", name, f.Path, wrong)
			}
			jumps += strings.Count(string(AppendSource(nil, f.Normal)), "goto ")
		}
	}
	t.Logf("%d functions, of which %d keep their normal form; %d jumps are left", functions, kept, jumps)
	if functions < 1500 || kept > 0 || jumps > 100 {
		t.Errorf("%d functions, of which %d keep their normal form; %d jumps are left", functions, kept, jumps)
	}
}

// samples returns the functions of all samples, by the names of their packages.
func samples(t *testing.T) map[string][]Function {
	t.Helper()
	all := map[string][]Function{}
	for _, name := range []string{"sandboxutilities_old_P.pak", "sandboxutilities_new_P.pak", "integration_old.pak", "integration_new.pak"} {
		a := codecstest.Open(t, unrealpak.Format(), codecstest.OpenFile(t, codecstest.Sample(t, "unreal-pak", "pairs", name)), &codecs.Options{})
		for _, p := range scripttest.All(t, codecstest.Contents(t, a)) {
			list, err := Kismet(p.Facts(), p.Data, KismetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			all[name+" "+p.Name] = list
		}
	}
	root := codecstest.Sample(t, "unreal-package")
	files, err := filepath.Glob(filepath.Join(root, "*.u"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if _, err := os.Stat(file); err != nil {
			t.Fatal(err)
		}
		p := scripttest.File(t, file)
		list, err := Classic(p.Facts(), p.Data)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range list {
			if o.Err == nil {
				all[p.Name] = append(all[p.Name], o.Function)
			}
		}
	}
	return all
}
