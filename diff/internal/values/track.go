package values

// Tracker follows the values of a package back through its older versions, from one to the
// next. A value is the same as long as [Compare] finds no difference: an element that moved
// in its array, or a row with another name, is.
type Tracker struct {
	values []Tracked
	at     []*node // of values that are not known yet, in the oldest version so far
	oldest *objects
	known  int
}

// Tracked is a value, and the version that gave it.
type Tracked struct {
	Name, Value string
	// Since is the version in which it got the value: 0 is the newest, -1 is not known.
	Since  int
	Before *string // its value before that; nil: it was not there
}

// Track begins with the newest version.
func Track(rows []Row) *Tracker {
	t := &Tracker{oldest: objectsOf(rows)}
	t.oldest.each(func(name, value string, n *node) {
		t.values, t.at = append(t.values, Tracked{Name: name, Value: value, Since: -1}), append(t.at, n)
	})
	return t
}

// Values returns all values in their order.
func (t *Tracker) Values() []Tracked { return t.values }

// Done reports whether it is known of all values which version gave them.
func (t *Tracker) Done() bool { return t.known == len(t.values) }

// Before takes the version before version since, the oldest so far.
func (t *Tracker) Before(since int, rows []Row) {
	older, twins := objectsOf(rows), map[*node]*node{}
	none := func() *objects { return &objects{} }
	c := &comparer{shown: shownNames(older, t.oldest), old: none, new: none}
	c.paired = func(old, new *node) { link(twins, old, new) }
	c.objects(older, t.oldest)
	for i, n := range t.at {
		switch twin := twins[n]; {
		case n == nil:
		case twin != nil && n.sameValue(twin):
			t.at[i] = twin
		default:
			v := &t.values[i]
			if v.Since = since; twin != nil {
				text := twin.summary()
				v.Before = &text
			}
			t.at[i] = nil
			t.known++
		}
	}
	t.oldest = older
}

// link notes that a node became another one, with all below where they are the same, or
// are one value for people.
func link(twins map[*node]*node, old, new *node) {
	twins[new] = old
	if old.hash() == new.hash() || old.single() != "" && new.single() != "" && len(old.children) == len(new.children) {
		for i := range new.children {
			link(twins, old.children[i].node, new.children[i].node)
		}
	}
}

// sameValue reports whether two nodes have the value that list yields of them.
func (n *node) sameValue(other *node) bool {
	if n.leaf != nil && len(n.children) > 0 {
		return other.leaf != nil && n.leaf.compared() == other.leaf.compared()
	}
	return n.hash() == other.hash()
}
