package property

// place is where the parts of a value lie that change with it. Offsets are those in the
// bytes of the export; 0 is for none, but for tag.
type place struct {
	tag   int32 // the name that begins the tag
	size  int32 // the i32 that is the size of the value: in its tag, or of an instanced struct
	flag  int32 // the tag's bool; from UE5 1012 on its flags
	inner int32 // the size in the tag of the elements of an array
	count int32 // the number of elements
	head  int32 // the header of a list without tags, which is up to end
	end   int32 // of a tagged list, where its None begins
	slots []slot
	form  listForm

	tagged bool
}

// listForm says how the list of a struct is stored.
type listForm uint8

const (
	formNone      listForm = iota // it is none
	formTagged                    // tags and values
	formPositions                 // values by their positions
)

// forget drops what is known of the value, but not of its tag.
func (p *place) forget() {
	*p = place{tag: p.tag, size: p.size, flag: p.flag, tagged: p.tagged}
}

// placeOf returns the place of node i, that of the export's own list for -1, and one that
// nobody reads unless places are wanted. It is valid until a node is added.
func (l *List) placeOf(i int) *place {
	switch {
	case !l.placed || i >= len(l.places):
		return &l.nowhere
	case i < 0:
		return &l.top
	}
	return &l.places[i]
}

// cut drops the nodes from n on.
func (l *List) cut(n int) {
	l.Nodes = l.Nodes[:n]
	if l.placed {
		l.places = l.places[:n]
	}
}

// countOf reads the number of elements of node i.
func (p *parser) countOf(i, least int) int {
	p.l.placeOf(i).count = int32(p.in.Off())
	return p.count(least)
}
