package script

import (
	"slices"
	"strings"
)

// Bounds of what is put into one line, and of the sets of what is used later.
const (
	maxInlined = 400
	maxLive    = 1 << 26 // bits
)

// inliner puts compiler-made variables that are used once where they are used.
type inliner struct {
	*tree
	words int
	live  []uint64 // by node: the variables that are used after it
	kept  []uint64 // used by an entry that does not set them
}

// inline rewrites the statements of a tree: a variable that is set and then used once,
// in the statement after, gives its value there. What is set and never used loses the
// variable. Calls keep their order.
func (t *tree) inline() {
	temps := 0
	for i := range t.shown {
		t.shown[i].Text = element(t.shown[i].Text)
		for _, p := range t.shown[i].Text {
			temps = max(temps, p.Temp)
		}
	}
	in := inliner{tree: t, words: temps/64 + 1}
	if len(t.nodes)*in.words > maxLive/64 {
		return
	}
	in.liveness()
	for i := range t.sections {
		in.list(t.sections[i].items)
	}
}

// sets returns the variable that a statement sets, and its value.
func sets(text []Part) (temp int, value []Part) {
	if len(text) < 2 || text[0].Temp == 0 || !strings.HasPrefix(text[1].Text, " = ") {
		return 0, nil
	}
	value = append([]Part(nil), text[1:]...)
	if value[0].Text = value[0].Text[3:]; value[0].Text == "" {
		value = value[1:]
	}
	return text[0].Temp, value
}

// uses calls yield for each variable that a statement mentions, but for the one it sets.
func uses(text []Part, yield func(temp int)) {
	set, _ := sets(text)
	for i, p := range text {
		if p.Temp != 0 && (i > 0 || set == 0) {
			yield(p.Temp)
		}
	}
}

// liveness finds which variables are used after each node.
func (in *inliner) liveness() {
	n, w := len(in.nodes), in.words
	in.live, in.kept = make([]uint64, n*w), make([]uint64, w)
	before := make([]uint64, n*w)
	labels := map[int]int{}
	for _, e := range in.entries {
		if e.label > 0 && e.node >= 0 {
			labels[e.label] = e.node
		}
	}
	merge := func(to, from []uint64) {
		for i := range to {
			to[i] |= from[i]
		}
	}
	row := make([]uint64, w)
	for changed := true; changed; {
		changed = false
		for i := len(in.line) - 1; i >= 0; i-- {
			at := in.line[i]
			live := in.live[at*w : at*w+w]
			for _, to := range in.nodes[at].next {
				if to != exit {
					merge(live, before[to*w:to*w+w])
				}
			}
			text := in.shown[in.nodes[at].at].Text
			for _, p := range text {
				if to, ok := labels[p.Label]; ok && p.Label > 0 {
					merge(live, before[to*w:to*w+w])
				}
			}
			copy(row, live)
			if set, _ := sets(text); set > 0 {
				row[set/64] &^= 1 << (set % 64)
			}
			uses(text, func(temp int) { row[temp/64] |= 1 << (temp % 64) })
			for k, old := range before[at*w : at*w+w] {
				if old != row[k] {
					changed = true
				}
			}
			copy(before[at*w:], row)
		}
	}
	for _, e := range in.entries {
		if e.node >= 0 && e.label == 0 {
			merge(in.kept, before[e.node*w:e.node*w+w])
		}
	}
}

// after reports whether a variable is used after a node.
func (in *inliner) after(node, temp int) bool {
	bit := uint64(1) << (temp % 64)
	return in.live[node*in.words+temp/64]&bit != 0 || in.kept[temp/64]&bit != 0
}

// list rewrites the items of a block and of those inside.
func (in *inliner) list(items []*item) {
	for i, it := range items {
		switch it.kind {
		case plainItem:
			it.text = element(it.text)
			it.text = in.into(items[:i], it, it.text)
			in.unused(it)
		case ifItem, switchItem:
			it.cond = in.into(items[:i], it, it.cond)
		}
		for inner := range it.blocks {
			in.list(inner)
		}
	}
}

// into puts the values of what was set last into a text.
func (in *inliner) into(before []*item, it *item, text []Part) []Part {
	size := 0
	for _, p := range text {
		size += len(p.Text)
	}
	var past []*item   // that stay where they are
	limit := len(text) // calls that were put in so far begin here
	for k := len(before) - 1; k >= 0; k-- {
		d := before[k]
		if in.labels[it.first()] {
			return text
		}
		if d.kind != plainItem || in.nodes[d.node].kind != plainNode {
			return text
		}
		if d.hidden() {
			continue
		}
		temp, value := sets(d.text)
		if temp == 0 {
			return text
		}
		at := once(text, temp, it.kind == plainItem)
		own := false
		if it.kind == plainItem {
			set, _ := sets(text)
			own = set == temp
		}
		free, more := pure(value), size
		for _, p := range value {
			more += len(p.Text)
		}
		if at < 0 || !own && in.after(it.node, temp) || more > maxInlined || !free && at >= limit || len(past) > 0 && !(free && apart(d, past)) {
			if past = append(past, d); !free || in.labels[d.first()] {
				return text
			}
			continue // what only computes may pass what only computes
		}
		if in.labels[d.first()] && len(past) > 0 {
			return text
		}
		size = more
		text = append(append(append([]Part(nil), text[:at]...), value...), text[at+1:]...)
		if !free {
			limit = at
		} else if at < limit {
			limit += len(value) - 1
		}
		it.folds = append(append(append([]int(nil), d.folds...), d.node), it.folds...)
		d.folds, d.gone = nil, true
	}
	return text
}

// apart reports whether a statement may be moved after others, each of which sets a
// variable.
func apart(d *item, past []*item) bool {
	set, value := sets(d.text)
	for _, p := range past {
		other, _ := sets(p.text)
		if other == set || slices.ContainsFunc(value, func(v Part) bool { return v.Temp == other }) ||
			slices.ContainsFunc(p.text, func(v Part) bool { return v.Temp == set }) {
			return false
		}
	}
	return true
}

// once returns where a text uses a variable that it uses once, -1 otherwise.
func once(text []Part, temp int, statement bool) int {
	at := -1
	first := 0
	if set, _ := sets(text); statement && set > 0 {
		first = 1
	}
	for i := first; i < len(text); i++ {
		if text[i].Temp == temp {
			if at >= 0 {
				return -1
			}
			at = i
		}
	}
	return at
}

// unused drops a variable that nobody reads, and the whole statement if it does nothing
// else.
func (in *inliner) unused(it *item) {
	temp, value := sets(it.text)
	if temp == 0 || in.nodes[it.node].kind != plainNode || in.after(it.node, temp) {
		return
	}
	if !pure(value) {
		it.text = value
		return
	}
	it.dropped = true
}

// pureCalls begin the names of functions that do nothing but compute.
var pureCalls = []string{"KismetMathLibrary:", "KismetStringLibrary:", "KismetTextLibrary:", "KismetArrayLibrary:Array_Length",
	"KismetArrayLibrary:Array_IsValidIndex", "KismetArrayLibrary:Array_Contains", "KismetSystemLibrary:IsValid", "BlueprintMapLibrary:Map_Length"}

// pure reports whether an expression calls nothing that may have effects.
func pure(value []Part) bool {
	for _, p := range value {
		text := p.Text
		for {
			i := strings.IndexByte(text, '(')
			if i < 0 {
				break
			}
			if !pureHead(text[:i]) {
				return false
			}
			text = text[i+1:]
		}
	}
	return true
}

// pureHead reports whether what is in front of a parenthesis is no call, or one of
// a function that only computes.
func pureHead(text string) bool {
	i := strings.LastIndexAny(text, " ,(") + 1
	head := text[i:]
	switch {
	case head == "", head == "bool", head == "float", head == "double", head == "vector", head == "rotator", head == "transform", strings.HasSuffix(head, ">"):
		return true
	}
	for _, name := range pureCalls {
		if strings.Contains(head, name) {
			return true
		}
	}
	return false
}

// arrayGet is the function of a blueprint's array element, whose last argument receives
// it.
const arrayGet = "/Script/Engine.KismetArrayLibrary:Array_Get("

// element writes the call that gets an element of an array as an assignment.
func element(text []Part) []Part {
	n := len(text)
	if n < 4 || !strings.HasPrefix(text[0].Text, arrayGet) || text[n-1].Text != ")" || text[n-2].Temp == 0 {
		return text
	}
	args := arguments(text)
	if len(args) != 3 || len(args[2]) != 1 {
		return text
	}
	out := []Part{text[n-2], {Text: " = "}}
	out = append(append(out, args[0]...), Part{Text: "["})
	return append(append(out, args[1]...), Part{Text: "]"})
}

// arguments returns those of a text that is one call, nil when it is not.
func arguments(text []Part) (args [][]Part) {
	depth := 0
	var arg []Part
	for i, p := range text {
		if p.Temp != 0 || p.Label != 0 {
			arg = append(arg, p)
			continue
		}
		from := 0
		emit := func(to int) {
			if to > from {
				arg = append(arg, Part{Text: p.Text[from:to]})
			}
		}
		s := scanner{text: p.Text}
		for s.next() {
			switch s.c {
			case '(', '[', '{':
				if depth++; depth == 1 {
					arg, from = nil, s.at+1
				}
			case ')', ']', '}':
				if depth--; depth == 0 {
					emit(s.at)
					if i < len(text)-1 || s.at < len(p.Text)-1 {
						return nil
					}
					return append(args, arg)
				}
			case ',':
				if depth == 1 {
					emit(s.at)
					args = append(args, arg)
					arg, from = nil, min(s.at+2, len(p.Text)) // and the blank
				}
			}
		}
		emit(len(p.Text))
	}
	return nil
}

// scanner walks over the bytes of a text that are not inside of quotes.
type scanner struct {
	text string
	at   int
	c    byte
	open bool // it was called before
}

func (s *scanner) next() bool {
	if s.open {
		s.at++
	}
	s.open = true
	for s.at < len(s.text) {
		s.c = s.text[s.at]
		switch s.c {
		case '"':
			for s.at++; s.at < len(s.text) && s.text[s.at] != '"'; s.at++ {
				if s.text[s.at] == '\\' {
					s.at++
				}
			}
			s.at++
			continue
		case '\'':
			end := strings.IndexByte(s.text[s.at+1:], '\'')
			if end < 0 {
				s.at = len(s.text)
				return false
			}
			s.at += end + 2
			continue
		}
		return true
	}
	return false
}
