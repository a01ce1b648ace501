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
		if items[i].kind == whileItem {
			t.forEach(items, i)
		}
	}
	return items
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
	for _, it := range items {
		switch it.kind {
		case continueItem:
			return true
		case ifItem:
			if continues(it.body) || continues(it.other) {
				return true
			}
		case switchItem:
			for _, c := range it.cases {
				if continues(c.body) {
					return true
				}
			}
		}
	}
	return false
}

// leaves reports whether control does not reach what stands behind a block.
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

// guard makes an if whose block leaves one without an else, and returns what then stands
// behind it.
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
	if second && (!first || lines(it.other) < lines(it.body)) {
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
		return set == temp || changes(it.body, temp) || changes(it.other, temp) ||
			slices.ContainsFunc(it.cases, func(c block) bool { return changes(c.body, temp) })
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
	for _, it := range items {
		if !it.dropped && has(it.text) || has(it.cond) || mentions(it.body, temp) || mentions(it.other, temp) {
			return true
		}
		for _, c := range it.cases {
			if mentions(c.body, temp) {
				return true
			}
		}
	}
	return false
}
