package semantic

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"pakdb/diff/internal/values"
)

// Curve is a curve that changed, by its points.
type Curve struct {
	Name     string // "C_Tide.FloatCurve"; "" where the file is one curve
	Old, New [][2]float64
}

// curves are points by the names of curves, in the order of these.
type curves struct {
	names  []string
	points map[string][][2]float64
}

// set puts a coordinate of a point: 0 is where it is, 1 its value.
func (c *curves) set(name string, point, coordinate int, value string) {
	v, err := strconv.ParseFloat(value, 64)
	if err != nil || point < 0 || point >= mostPoints {
		return
	}
	if c.points == nil {
		c.points = map[string][][2]float64{}
	}
	all, seen := c.points[name]
	if !seen {
		c.names = append(c.names, name)
	}
	for len(all) <= point {
		all = append(all, [2]float64{})
	}
	all[point][coordinate] = v
	c.points[name] = all
}

// mostPoints bounds the points of a curve that are drawn.
const mostPoints = 20_000

// keyField is a coordinate of a key of a curve of Unreal, with all that is before it.
var keyField = regexp.MustCompile(`(?i)^(.*)\.Keys\[(\d*)\]\.(Time|Value)$`)

// curvesOf returns the curves among values of objects.
func curvesOf(rows []values.Row) (c curves) {
	for i := range rows {
		r := &rows[i]
		if !strings.Contains(r.Field, "[") {
			continue
		}
		m := keyField.FindStringSubmatch(r.Field)
		if m == nil {
			continue
		}
		point, err := strconv.Atoi(m[2])
		if m[2] == "" {
			point, err = strconv.Atoi(r.Element)
		}
		if err != nil {
			continue
		}
		coordinate := 0
		if strings.EqualFold(m[3], "Value") {
			coordinate = 1
		}
		c.set(r.Object+"."+strings.Replace(m[1], "[]", "["+r.Element+"]", 1), point, coordinate, r.Value)
	}
	return c
}

// pointsOf returns the curve of fields "point 3", which are at their numbers.
func pointsOf(fields []field) (c curves) {
	for i := range fields {
		if at, err := strconv.Atoi(strings.TrimPrefix(fields[i].name, "point ")); err == nil {
			point := len(c.points[""])
			c.set("", point, 0, strconv.Itoa(at))
			c.set("", point, 1, fields[i].value)
		}
	}
	return c
}

// changedCurves returns those that differ, in their order, with those that came at the end.
func changedCurves(old, new curves) (all []Curve) {
	for _, name := range old.names {
		if !slices.Equal(old.points[name], new.points[name]) {
			all = append(all, Curve{name, old.points[name], new.points[name]})
		}
	}
	for _, name := range new.names {
		if old.points[name] == nil {
			all = append(all, Curve{name, nil, new.points[name]})
		}
	}
	return all
}
