package values_test

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pakdb/diff/internal/values"
	"pakdb/internal/testkit"
)

// rows makes rows of lines "object class field value", where a field may hold its
// outermost index or key: "T DataTable Rows[Rifle].Cost 5".
func rows(text string) (all []values.Row) {
	for line := range strings.Lines(text) {
		f := strings.SplitN(strings.TrimSpace(line), " ", 4)
		if len(f) < 4 {
			continue
		}
		r := values.Row{Object: f[0], Class: f[1], Field: f[2], Value: f[3], Type: "Int"}
		if strings.HasSuffix(f[2], "Guid") {
			r.Type = "Struct(Guid)"
		}
		if strings.HasSuffix(f[2], "Name") {
			r.Type = "Enum<EColour>"
		}
		if from, to := strings.IndexByte(f[2], '['), strings.IndexByte(f[2], ']'); from >= 0 && to > from {
			r.Field, r.Element = f[2][:from+1]+f[2][to:], f[2][from+1:to]
			_, err := strconv.Atoi(r.Element)
			r.Keyed = err != nil || r.Class == "DataTable"
		}
		all = append(all, r)
	}
	return all
}

func lines(changes []values.Change) (all []string) {
	for _, c := range changes {
		text := ""
		switch {
		case c.Old == nil:
			text = "+ " + c.Name + ": " + *c.New
		case c.New == nil:
			text = "- " + c.Name + ": " + *c.Old
		default:
			text = "~ " + c.Name + ": " + *c.Old + " -> " + *c.New
		}
		if c.Cosmetic {
			text += " (cosmetic)"
		}
		all = append(all, text)
	}
	return all
}

func TestCompare(t *testing.T) {
	for name, tt := range map[string]struct{ old, new, want string }{
		"nothing": {},
		"a field of a class": {"Default__Rifle_C Rifle_C Damage 12", "Default__Rifle_C Rifle_C Damage 14",
			"~ Rifle.Damage: 12 -> 14"},
		"a class whose name is taken": {"Default__Rifle_C Rifle_C Damage 12\nRifle Object A 1", "Default__Rifle_C Rifle_C Damage 14\nRifle Object A 1",
			"~ Default__Rifle_C.Damage: 12 -> 14"},
		"a vector": {"Gates_C.Box Box Location.X -30.0\nGates_C.Box Box Location.Y 0.0\nGates_C.Box Box Location.Z 60.0",
			"Gates_C.Box Box Location.X 0.0\nGates_C.Box Box Location.Y 0.0\nGates_C.Box Box Location.Z 90.0",
			"~ Gates_C.Box.Location: (-30, 0, 60) -> (0, 0, 90)"},
		"back to what is inherited": {"A O Cost 5\nA O Name n", "A O Name n", "~ A.Cost: 5 -> default"},
		"no longer inherited":       {"A O Name n", "A O Name n\nA O Size.X 1\nA O Size.Y 2", "~ A.Size: default -> (1, 2)"},
		"a cell of a table": {"DT DataTable Rows[Rifle].Cost 500\nDT DataTable Rows[Rifle].Damage 5", "DT DataTable Rows[Rifle].Damage 5",
			"~ DT[Rifle].Cost: 500 -> default"},
		"rows of a table": {"DT DataTable Rows[A].Cost 1\nDT DataTable Rows[B].Cost 2\nDT DataTable Rows[C].Cost 3\nDT DataTable Rows[C].Name c",
			"DT DataTable Rows[A].Cost 1\nDT DataTable Rows[B2].Cost 2\nDT DataTable Rows[D].Cost 9",
			"~ DT row: B -> B2\n+ DT[D]: {Cost 9}\n- DT[C]: {Cost 3, Name c}"},
		"an element at the front": {"A O Slots[0] a\nA O Slots[1] b", "A O Slots[0] x\nA O Slots[1] a\nA O Slots[2] b", "+ A.Slots[0]: x"},
		"an element taken out":    {"A O Slots[0] a\nA O Slots[1] b\nA O Slots[2] c", "A O Slots[0] a\nA O Slots[1] c", "- A.Slots[1]: b"},
		"an element that changed": {"A O Slots[0] a\nA O Slots[1] b\nA O Slots[2] c", "A O Slots[0] a\nA O Slots[1] x\nA O Slots[2] c", "~ A.Slots[1]: b -> x"},
		"within an element": {"A O P[0].Count 1\nA O P[0].Name x\nA O P[1].Count 2", "A O P[0].Count 3\nA O P[0].Name x\nA O P[1].Count 2",
			"~ A.P[0].Count: 1 -> 3"},
		"another order": {"A O Slots[0] a\nA O Slots[1] b", "A O Slots[0] b\nA O Slots[1] a", "~ A.Slots: 1 element -> in another place (cosmetic)"},
		"another order, and one more": {"A O Slots[0] a\nA O Slots[1] b\nA O Slots[2] c", "A O Slots[0] c\nA O Slots[1] a\nA O Slots[2] x\nA O Slots[3] b",
			"~ A.Slots: 1 element -> in another place (cosmetic)\n+ A.Slots[2]: x"},
		"rows with numbers for names": {"DT DataTable Rows[0].Cost 1\nDT DataTable Rows[1].Cost 2", "DT DataTable Rows[0].Cost 2\nDT DataTable Rows[1].Cost 1",
			"~ DT[0].Cost: 1 -> 2\n~ DT[1].Cost: 2 -> 1"},
		"equal rows renamed": {"DT DataTable Rows[A].Cost 1\nDT DataTable Rows[B].Cost 1", "DT DataTable Rows[C].Cost 1\nDT DataTable Rows[D].Cost 1",
			"~ DT row: A -> C\n~ DT row: B -> D"},
		"an id comes": {"A O X 1", "A O X 1\nA O ItemGuid 2", "~ A.ItemGuid: default -> 2"},
		"a map": {"A O M[0].Key k\nA O M[0].Value 1\nA O M[1].Key l\nA O M[1].Value 2", "A O M[0].Key l\nA O M[0].Value 3\nA O M[1].Key n\nA O M[1].Value 4",
			"~ A.M[l]: 2 -> 3\n+ A.M[n]: 4\n- A.M[k]: 1"},
		"an id":                  {"A O StateGuid 1", "A O StateGuid 2", "~ A.StateGuid: 1 -> 2 (cosmetic)"},
		"an object renamed":      {"A O X 1\nA O Y 2", "B O X 1\nB O Y 2", "~ object: A -> B"},
		"an object in its place": {"A O X 1", "B O X 2", ""},
		"names in another case": {"A O Min 1\nA O Outer.Float 2\nB DataTable Rows[Rifle].Cost 1\nB DataTable Rows[Rifle].Size.X 1\nB DataTable Rows[Rifle].Size.Y 1",
			"a o min 1\na o OUTER.float 2\nb datatable Rows[rifle].cost 1\nb datatable Rows[rifle].size.x 2\nb datatable Rows[rifle].size.y 1",
			"~ b[rifle].size: (1, 1) -> (2, 1)"},
		"members in another case": {"A O TheName Red\nA O TheText Red\nA O M[0].Key K\nA O M[0].Value 1", "A O TheName RED\nA O TheText RED\nA O M[0].Key k\nA O M[0].Value 2",
			"~ A.TheText: Red -> RED\n+ A.M[k]: 2\n- A.M[K]: 1"},
		"many values": {"A O P[0].A 1", "A O P[0].A 1\nA O P[1].A 1\nA O P[1].B 2\nA O P[1].C 3\nA O P[1].D 4\nA O P[1].E 5\nA O P[1].F 6\nA O P[1].G 7",
			"+ A.P[1]: {A 1, B 2, C 3, D 4, E 5, F 6, and 1 more}"},
	} {
		if got := strings.Join(lines(values.Compare(values.Side{Rows: rows(tt.old)}, values.Side{Rows: rows(tt.new)})), "\n"); got != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, tt.want)
		}
	}
}

// random makes rows of one object with arrays, maps and tables, as files have them.
func random(r *rand.Rand) (all []values.Row) {
	add := func(field, element string) {
		all = append(all, values.Row{Object: "T" + strconv.Itoa(r.IntN(2)), Class: "DataTable", Field: field, Element: element,
			Keyed: field == "Rows[].Cost", Type: "Int", Value: strconv.Itoa(r.IntN(4))})
	}
	for range r.IntN(3) {
		add("F"+strconv.Itoa(r.IntN(3)), "")
	}
	for i := range r.IntN(6) {
		add("Slots[]", strconv.Itoa(i))
	}
	for i := range r.IntN(4) {
		add("Rows[].Cost", "r"+strconv.Itoa(r.IntN(5)+i))
	}
	return all
}

// What is equal has no changes, and what came on the way there goes on the way back.
func TestBackAndForth(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range testkit.Of(300, 2000) {
		a, b := random(r), random(r)
		if got := compare(a, slices.Clone(a)); len(got) > 0 {
			t.Fatalf("%v\n%v", a, lines(got))
		}
		there, back := compare(a, b), compare(b, a)
		more := func(all []values.Change) (n int) {
			for _, c := range all {
				if c.Old == nil {
					n++
				} else if c.New == nil {
					n--
				}
			}
			return n
		}
		if more(there) != -more(back) {
			t.Fatalf("%v\n%v\n%v\n%v", a, b, lines(there), lines(back))
		}
	}
}

// A hundred thousand elements or rows that have nothing in common are compared in a
// moment.
func TestManyElements(t *testing.T) {
	for _, field := range []string{"Slots[]", "Rows[].Cost"} {
		var a, b []values.Row
		for i := range 100_000 {
			element := strconv.Itoa(i)
			if field != "Slots[]" {
				element = "r" + element
			}
			a = append(a, values.Row{Object: "T", Class: "DataTable", Field: field, Element: element, Keyed: field != "Slots[]", Value: strconv.Itoa(i)})
			b = append(b, values.Row{Object: "T", Class: "DataTable", Field: field, Element: "n" + element, Keyed: field != "Slots[]", Value: strconv.Itoa(-i - 1)})
		}
		if field == "Slots[]" {
			for i := range b {
				b[i].Element = strconv.Itoa(i)
			}
		}
		got := compare(a, b)
		if len(got) < 100_000 {
			t.Errorf("%s: %d changes", field, len(got))
		}
	}
}

func FuzzCompare(f *testing.F) {
	f.Add("A O Slots[0] a\nA O Slots[1] b", "A O Slots[0] b\nA O M[0].Key k")
	f.Add("DT DataTable Rows[A].Cost 1\nDT DataTable Rows[.Cost 2", "DT DataTable Rows[B].Cost 1\nDT DataTable [[]]. 2")
	f.Fuzz(func(t *testing.T, old, new string) {
		a, b := rows(old), rows(new)
		if got := compare(a, a); len(got) > 0 {
			t.Errorf("%v", lines(got))
		}
		compare(a, b)
	})
}

func compare(old, new []values.Row) []values.Change {
	return values.Compare(values.Side{Rows: old}, values.Side{Rows: new})
}

// TestInherited: a field that is not there is told with what the object has in its place.
func TestInherited(t *testing.T) {
	calls := 0
	from := func(text string) func() []values.Row {
		return func() []values.Row { calls++; return rows(text) }
	}
	for _, tt := range []struct{ old, new, inherits, want string }{
		{"A O Cost 5\nA O Name n", "A O Name n", "A O Cost 3", "~ A.Cost: 5 -> default (3)"},
		{"A O Cost 5\nA O Name n", "A O Name n", "B O Cost 3", "~ A.Cost: 5 -> default"},
		{"A O Size.X 1\nA O Size.Y 2\nA O Name n", "A O Name n", "A O Size.X 7\nA O Size.Y 8", "~ A.Size: (1, 2) -> default (7, 8)"},
		{"A O Cost 5", "A O Cost 6", "A O Cost 3", "~ A.Cost: 5 -> 6"},
	} {
		calls = 0
		got := values.Compare(values.Side{Rows: rows(tt.old)}, values.Side{Rows: rows(tt.new), Inherited: from(tt.inherits)})
		if text := strings.Join(lines(got), "\n"); text != tt.want {
			t.Errorf("%q to %q: %s, want %s", tt.old, tt.new, text, tt.want)
		}
		if absent := strings.Contains(tt.want, "default"); calls > 1 || (calls > 0) != absent {
			t.Errorf("%q to %q: inherited values were read %d times", tt.old, tt.new, calls)
		}
	}
	got := values.Compare(values.Side{Rows: rows("A O Name n"), Inherited: from("A O Cost 3")}, values.Side{Rows: rows("A O Name n\nA O Cost 4")})
	if text := strings.Join(lines(got), "\n"); text != "~ A.Cost: default (3) -> 4" {
		t.Error(text)
	}
}
