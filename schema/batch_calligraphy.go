package schema

import "database/sql/driver"

// calligraphyTable says how one table is filled.
type calligraphyTable struct {
	query string
	count func(*Calligraphy) int
	value func(t *batchTx, c *Calligraphy, i, col int) driver.Value
}

var calligraphyTables = []calligraphyTable{
	{
		"INSERT INTO calligraphy_record (content_id, seq, space_id, id, guid, blueprint, path_id, flags) SELECT a, b, c, d, e, f, g, h FROM src",
		func(c *Calligraphy) int { return len(c.Records) }, recordColumn,
	}, {
		"INSERT INTO calligraphy_replacement (content_id, seq, old_guid, new_guid, last_guid, name) SELECT a, b, c, d, e, f FROM src",
		func(c *Calligraphy) int { return len(c.Replacements) }, replacementColumn,
	}, {
		"INSERT INTO calligraphy_asset (content_id, seq, id, guid, flags, name) SELECT a, b, c, d, e, f FROM src",
		func(c *Calligraphy) int { return len(c.Assets) }, assetColumn,
	}, {
		"INSERT INTO calligraphy_curve (content_id, start, points) SELECT a, c, d FROM src",
		func(c *Calligraphy) int { return one(c.Curve) }, curveColumn,
	}, {
		"INSERT INTO calligraphy_blueprint (content_id, runtime_class, default_id) SELECT a, c, d FROM src",
		func(c *Calligraphy) int { return one(c.Blueprint) }, blueprintColumn,
	}, {
		"INSERT INTO calligraphy_member (content_id, seq, field, name, type, list, subtype) SELECT a, b, c, d, e, f, g FROM src",
		func(c *Calligraphy) int { return len(c.Members) }, memberColumn,
	}, {
		"INSERT INTO calligraphy_value (content_id, ordinal, owner, blueprint, copy, field, type, position, value) SELECT a, b, c, d, e, f, g, h, i FROM src",
		func(c *Calligraphy) int { return len(c.Values) }, valueColumn,
	}, {
		"INSERT INTO calligraphy_resource (content_id, signature, version, class_id, class) SELECT a, c, d, e, f FROM src",
		func(c *Calligraphy) int { return one(c.Resource) }, resourceColumn,
	},
}

func one[T any](p *T) int {
	if p == nil {
		return 0
	}
	return 1
}

func (t *batchTx) insertCalligraphy(facts []*Entry) error {
	for _, table := range calligraphyTables {
		err := t.insertRows(table.query, facts,
			func(f *Facts) int {
				if f.Calligraphy == nil {
					return 0
				}
				return table.count(f.Calligraphy)
			},
			func(f *Facts, i, col int) driver.Value { return table.value(t, f.Calligraphy, i, col) })
		if err != nil {
			return err
		}
	}
	return nil
}

func recordColumn(t *batchTx, c *Calligraphy, i, col int) driver.Value {
	switch r := &c.Records[i]; col {
	case 2:
		return t.words[r.Space]
	case 3:
		return r.ID
	case 4:
		return r.GUID
	case 5:
		return r.Blueprint
	case 6:
		return r.path.id
	default:
		return r.Flags
	}
}

func replacementColumn(_ *batchTx, c *Calligraphy, i, col int) driver.Value {
	switch r := &c.Replacements[i]; col {
	case 2:
		return r.Old
	case 3:
		return r.New
	case 4:
		return r.Last
	default:
		return r.Name
	}
}

func assetColumn(_ *batchTx, c *Calligraphy, i, col int) driver.Value {
	switch a := &c.Assets[i]; col {
	case 2:
		return a.ID
	case 3:
		return a.GUID
	case 4:
		return a.Flags
	default:
		return a.Name
	}
}

func curveColumn(_ *batchTx, c *Calligraphy, _, col int) driver.Value {
	if col == 2 {
		return c.Curve.Start
	}
	return c.Curve.Points
}

func blueprintColumn(_ *batchTx, c *Calligraphy, _, col int) driver.Value {
	if col == 2 {
		return c.Blueprint.RuntimeClass
	}
	return c.Blueprint.Default
}

func memberColumn(_ *batchTx, c *Calligraphy, i, col int) driver.Value {
	switch m := &c.Members[i]; col {
	case 2:
		return m.Field
	case 3:
		return m.Name
	case 4:
		return m.Type
	case 5:
		return flag(m.List)
	default:
		return m.Subtype
	}
}

func valueColumn(_ *batchTx, c *Calligraphy, i, col int) driver.Value {
	switch v := &c.Values[i]; col {
	case 2:
		return place(v.Owner)
	case 3:
		return v.Blueprint
	case 4:
		return v.Copy
	case 5:
		return v.Field
	case 6:
		return v.Type
	case 7:
		return place(v.Position)
	default:
		return v.Value
	}
}

func resourceColumn(_ *batchTx, c *Calligraphy, _, col int) driver.Value {
	switch r := c.Resource; col {
	case 2:
		return r.Signature
	case 3:
		return r.Version
	case 4:
		return r.ClassID
	default:
		if r.Class == "" {
			return nil
		}
		return r.Class
	}
}
