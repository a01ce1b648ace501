package script

import (
	"slices"
	"strings"
)

// shape writes blocks as people do: loops with their conditions, and first what leaves.
func (t *tree) shape() {
	for i := range t.sections {
		t.sections[i].items = t.shapeList(t.sections[i].items)
	}
}

func (t *tree) shapeList(items []*item) []*item {
	items = slices.DeleteFunc(items, func(it *item) bool { return it.gone })
	for _, it := range items {
		it.body, it.other = t.shapeList(it.body), t.shapeList(it.other)
		for i := range it.cases {
			it.cases[i].body = t.shapeList(it.cases[i].body)
		}
		if it.kind == loopItem {
			it.while()
		}
	}
	for i := 0; i < len(items); i++ {
		if rest := items[i].guard(t); len(rest) > 0 {
			items = slices.Insert(items, i+1, rest...)
		}
		switch it := items[i]; {
		case it.kind == whileItem && t.form.linear:
			if t.counts(items[:i], it) {
				items = slices.Delete(items, i-1, i)
				i--
			}
		case it.kind == whileItem:
			t.forEach(items, i)
		case it.kind == ifItem && it.each && (t.leaves(it.body) || !anyShown(it.other)):
			rest := it.once(t)
			items = slices.Insert(items, i+1, rest...)
		}
	}
	return items
}

// once makes a for each of an if whose block does not come back for another one, and
// returns what then is after it.
func (it *item) once(t *tree) (rest []*item) {
	it.kind, rest, it.other = eachItem, it.other, nil
	if !t.leaves(it.body) {
		it.body = append(it.body, &item{kind: breakItem})
	}
	return rest
}

// counts makes a while a for: what is in front of it sets a variable that its
// condition names, and the last statement of its body changes that.
func (t *tree) counts(before []*item, w *item) bool {
	if len(before) == 0 || len(w.body) == 0 || w.not || t.labels[w.first()] {
		return false
	}
	init, step := before[len(before)-1], w.body[len(w.body)-1]
	if init.kind != plainItem || step.kind != plainItem || init.hidden() || step.hidden() || t.nodes[init.node].kind != plainNode || t.nodes[step.node].kind != plainNode {
		return false
	}
	name, _, ok := strings.Cut(join(init.text), " = ")
	changed := strings.Trim(join(step.text), "+-")
	if at := strings.IndexByte(changed, ' '); at >= 0 {
		changed = changed[:at]
	}
	if !ok || !strings.EqualFold(changed, name) || !names(join(w.cond), name) || continues(w.body) {
		return false
	}
	if t.labels[step.first()] {
		if jumpsTo(w.body, step.first(), true) != t.jumps(step.first()) {
			return false
		}
		resume(w.body, step.first())
		delete(t.labels, step.first())
	}
	w.init, w.step, w.body = init, step, w.body[:len(w.body)-1]
	return true
}

// names reports whether an expression names a variable.
func names(text, name string) bool {
	for from := 0; ; {
		at := strings.Index(strings.ToLower(text[from:]), strings.ToLower(name))
		if at < 0 {
			return false
		}
		at += from
		end := at + len(name)
		if (at == 0 || !isWord(text[at-1])) && (end == len(text) || !isWord(text[end])) {
			return true
		}
		from = end
	}
}

func isWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// jumps counts the jumps to a node.
func (t *tree) jumps(node int) (n int) {
	for i := range t.sections {
		n += jumpsTo(t.sections[i].items, node, false)
	}
	return n
}

// jumpsTo counts the jumps to a node in a block: near leaves out those in loops inside.
func jumpsTo(items []*item, node int, near bool) (n int) {
	for _, it := range items {
		if it.kind == gotoItem && it.node == node {
			n++
		}
		if near && it.loops() {
			continue
		}
		for inner := range it.blocks {
			n += jumpsTo(inner, node, near)
		}
	}
	return n
}

// resume makes the jumps to the step of a for continue.
func resume(items []*item, node int) {
	for _, it := range items {
		if it.kind == gotoItem && it.node == node {
			it.kind = continueItem
		}
		if it.loops() {
			continue
		}
		for inner := range it.blocks {
			resume(inner, node)
		}
	}
}

// loops reports whether an item repeats its body.
func (it *item) loops() bool {
	return it.kind == loopItem || it.kind == whileItem || it.kind == untilItem || it.kind == eachItem
}

// while finds the condition of a loop in its first or last statement.
func (it *item) while() {
	shown := slices.IndexFunc(it.body, func(b *item) bool { return !b.dropped })
	if shown < 0 {
		return
	}
	if c := it.body[shown]; shown == 0 && c.kind == ifItem {
		switch {
		case onlyBreak(c.other):
			it.become(c, c.body, false)
			return
		case onlyBreak(c.body) && !c.each:
			it.become(c, c.other, true)
			return
		}
	}
	last := it.body[len(it.body)-1]
	if last.kind != ifItem || last.each || continues(it.body) {
		return
	}
	switch {
	case onlyBreak(last.body) && len(last.other) == 0:
	case onlyBreak(last.other) && len(last.body) == 0:
		last.not = !last.not
	default:
		return
	}
	it.kind, it.cond, it.not, it.folds = untilItem, last.cond, last.not, nil
	it.body[len(it.body)-1] = &item{kind: testItem, node: last.node, folds: last.folds}
}

// become makes a loop one with a condition: its first statement c, whose block comes
// first in what is repeated.
func (it *item) become(c *item, block []*item, not bool) {
	it.kind = whileItem
	if c.each {
		it.kind = eachItem
	}
	it.node, it.folds, it.cond, it.not = c.node, c.folds, c.cond, not != c.not
	it.body = append(slices.Clone(block), it.body[slices.Index(it.body, c)+1:]...)
}

func onlyBreak(items []*item) bool {
	return len(items) == 1 && items[0].kind == breakItem
}

// continues reports whether a block begins another round of the loop that it is in.
func continues(items []*item) bool {
	return slices.ContainsFunc(items, func(it *item) bool {
		return it.kind == continueItem || !it.loops() && it.any(continues)
	})
}

// leaves reports whether control does not reach what is after a block.
func (t *tree) leaves(items []*item) bool {
	if len(items) == 0 {
		return false
	}
	switch last := items[len(items)-1]; last.kind {
	case gotoItem, breakItem, continueItem, returnItem:
		return true
	case plainItem:
		return t.nodes[last.node].kind == haltNode
	case ifItem:
		return t.leaves(last.body) && t.leaves(last.other)
	}
	return false
}

// guard makes an if whose block leaves one without an else, and returns what then is
// after it.
func (it *item) guard(t *tree) (rest []*item) {
	if it.kind != ifItem {
		return nil
	}
	if !anyShown(it.body) && len(it.other) > 0 && !it.each {
		it.body, it.other, it.not = it.other, it.body, !it.not
		if len(it.other) > 0 && anyShown(it.other) || len(it.other) == 0 {
			return nil
		}
	}
	if len(it.other) == 0 || it.each {
		return nil
	}
	first, second := t.leaves(it.body), t.leaves(it.other)
	if second && !t.form.linear && (!first || lines(it.other) < lines(it.body)) {
		it.body, it.other, it.not = it.other, it.body, !it.not
		first = true
	}
	if first {
		rest, it.other = it.other, nil
	}
	return rest
}

func anyShown(items []*item) bool {
	return slices.ContainsFunc(items, func(it *item) bool { return !it.dropped })
}

// lines counts the items of a block and of those inside, up to a few.
func lines(items []*item) (n int) {
	for _, it := range items {
		if n++; n > 20 {
			break
		}
		n += lines(it.body) + lines(it.other) + 3*len(it.cases)
	}
	return n
}

// forEach makes the loop at a place one over an array, if it counts as the macro of
// blueprints does:
//
//	counter = 0; index = 0
//	while (Less(counter, Length(array))) { index = counter; ...; counter = Add(counter, 1) }
func (t *tree) forEach(items []*item, at int) {
	w := items[at]
	cond := arguments(w.cond)
	if len(cond) != 2 || w.not || !strings.HasSuffix(w.cond[0].Text, "KismetMathLibrary:Less_IntInt(") || len(cond[0]) != 1 || cond[0][0].Temp == 0 || continues(w.body) {
		return
	}
	length := arguments(cond[1])
	if len(length) != 1 || !strings.HasSuffix(headOf(cond[1]), "KismetArrayLibrary:Array_Length(") || len(w.body) < 2 {
		return
	}
	counter := cond[0][0].Temp
	body := w.body
	first, last := body[0], body[len(body)-1]
	set, value := sets(last.text)
	add := arguments(value)
	if set != counter || last.kind != plainItem || len(add) != 2 || !strings.HasSuffix(headOf(value), "KismetMathLibrary:Add_IntInt(") ||
		len(add[0]) != 1 || add[0][0].Temp != counter || join(add[1]) != "1" || t.labels[last.first()] {
		return
	}
	body = body[:len(body)-1]
	index := cond[0][0]
	if set, value := sets(first.text); set != 0 && first.kind == plainItem && len(value) == 1 && value[0].Temp == counter && !t.labels[first.first()] && !mentions(body[1:], counter) {
		index = first.text[0]
	} else {
		first = nil
	}
	if changes(body, counter) {
		return
	}
	var zeros []*item // in front of the loop
	begins := false
	for k := at - 1; k >= 0 && at-k <= 2; k-- {
		if items[k].dropped {
			continue
		}
		set, value := sets(items[k].text)
		if items[k].kind != plainItem || set != counter && set != index.Temp || join(value) != "0" {
			break
		}
		begins = begins || set == counter
		zeros = append(zeros, items[k])
	}
	if !begins || t.labels[w.first()] {
		return
	}
	w.kind = eachItem
	w.cond = append(append(slices.Clone(length[0]), Part{Text: "["}, index), Part{Text: "]"})
	for _, it := range append(zeros, first, last) {
		if it != nil {
			it.dropped = true
		}
	}
}

// changes reports whether a block sets a variable.
func changes(items []*item, temp int) bool {
	return slices.ContainsFunc(items, func(it *item) bool {
		set, _ := sets(it.text)
		return set == temp || it.any(func(inner []*item) bool { return changes(inner, temp) })
	})
}

func headOf(text []Part) string {
	if len(text) == 0 {
		return ""
	}
	head, _, ok := strings.Cut(text[0].Text, "(")
	if !ok {
		return ""
	}
	return head + "("
}

func join(text []Part) string {
	var b strings.Builder
	for _, p := range text {
		b.WriteString(p.Text)
	}
	return b.String()
}

// mentions reports whether a block names a variable.
func mentions(items []*item, temp int) bool {
	has := func(text []Part) bool {
		return slices.ContainsFunc(text, func(p Part) bool { return p.Temp == temp })
	}
	return slices.ContainsFunc(items, func(it *item) bool {
		return !it.dropped && has(it.text) || has(it.cond) || it.any(func(inner []*item) bool { return mentions(inner, temp) })
	})
}
