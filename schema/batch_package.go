package schema

import "database/sql/driver"

// packageTable says how one table of packages is filled.
type packageTable struct {
	query string
	count func(*Package) int
	value func(t *batchTx, p *Package, i, col int) driver.Value
}

var packageTables = []packageTable{
	{
		`INSERT INTO package (content_id, engine_id, version, version5, legacy_version, licensee, layout_id, engine_version,
			compatible_engine, cooker_version, flags, guid, persistent_guid, saved_hash, name_id, compression_id, traits,
			header_size, name_count, import_count, export_count)
		SELECT a, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v FROM src`,
		func(*Package) int { return 1 }, packageColumn,
	}, {
		"INSERT INTO package_name (content_id, ordinal, name_id, flags) SELECT a, b, c, d FROM src",
		func(p *Package) int { return len(p.Names) }, packageNameColumn,
	}, {
		`INSERT INTO package_import (content_id, ordinal, class_package_id, class_id, outer, outer_path_id, object_id, number, flags)
		SELECT a, b, c, d, e, f, g, h, i FROM src`,
		func(p *Package) int { return len(p.Imports) }, packageImportColumn,
	}, {
		`INSERT INTO package_export (content_id, ordinal, class, super, outer, archetype, class_id, super_id, outer_path_id,
			object_id, number, flags, offset, size, export_flags, package_flags)
		SELECT a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p FROM src`,
		func(p *Package) int { return len(p.Exports) }, packageExportColumn,
	}, {
		"INSERT INTO package_generation (content_id, ordinal, exports, names, net_objects) SELECT a, b, c, d, e FROM src",
		func(p *Package) int { return len(p.Generations) }, packageGenerationColumn,
	},
}

func (t *batchTx) insertPackages(facts []*Entry) error {
	for _, table := range packageTables {
		err := t.insertRows(table.query, facts,
			func(f *Facts) int {
				if f.Package == nil {
					return 0
				}
				return table.count(f.Package)
			},
			func(f *Facts, i, col int) driver.Value { return table.value(t, f.Package, i, col) })
		if err != nil {
			return err
		}
	}
	return nil
}

// text returns the id of the i-th text, NULL for -1.
func (p *Package) text(i int32) driver.Value {
	if i < 0 {
		return nil
	}
	return p.ids[i]
}

func packageColumn(t *batchTx, p *Package, _, col int) driver.Value {
	switch col {
	case 2:
		return t.words[p.Engine]
	case 3:
		return p.Version
	case 4:
		return p.Version5
	case 5:
		return p.LegacyVersion
	case 6:
		return p.Licensee
	case 7:
		return t.words[p.Layout]
	case 8:
		return textOrNull(p.EngineVersion)
	case 9:
		return textOrNull(p.CompatibleEngine)
	case 10:
		return p.CookerVersion
	case 11:
		return p.Flags
	}
	return packageEndColumn(t, p, col)
}

func packageEndColumn(t *batchTx, p *Package, col int) driver.Value {
	switch col {
	case 12:
		return blobOrNull(p.GUID)
	case 13:
		return blobOrNull(p.PersistentGUID)
	case 14:
		return blobOrNull(p.SavedHash)
	case 15:
		return p.text(p.Name)
	case 16:
		return t.words[p.Compression]
	case 17:
		return p.Traits
	case 18:
		return p.HeaderSize
	case 19:
		return p.NameCount
	case 20:
		return p.ImportCount
	default:
		return p.ExportCount
	}
}

func packageNameColumn(_ *batchTx, p *Package, i, col int) driver.Value {
	if col == 2 {
		return p.ids[i]
	}
	return p.Names[i]
}

func packageImportColumn(_ *batchTx, p *Package, i, col int) driver.Value {
	switch im := &p.Imports[i]; col {
	case 2:
		return p.text(im.ClassPackage)
	case 3:
		return p.text(im.Class)
	case 4:
		return int64(im.Outer)
	case 5:
		return p.text(im.OuterPath)
	case 6:
		return p.text(im.Object)
	case 7:
		return place(int64(im.Number))
	default:
		return im.Flags
	}
}

func packageExportColumn(_ *batchTx, p *Package, i, col int) driver.Value {
	x := &p.Exports[i]
	switch col {
	case 2:
		return int64(x.Class)
	case 3:
		return int64(x.Super)
	case 4:
		return int64(x.Outer)
	case 5:
		return int64(x.Archetype)
	case 6:
		return p.text(x.ClassName)
	case 7:
		return p.text(x.SuperName)
	case 8:
		return p.text(x.OuterPath)
	case 9:
		return p.text(x.Object)
	case 10:
		return place(int64(x.Number))
	case 11:
		return x.Flags
	case 12:
		return x.Offset
	case 13:
		return x.Size
	case 14:
		return x.ExportFlags
	default:
		return x.PackageFlags
	}
}

func packageGenerationColumn(_ *batchTx, p *Package, i, col int) driver.Value {
	switch g := &p.Generations[i]; col {
	case 2:
		return g.Exports
	case 3:
		return g.Names
	default:
		return g.NetObjects
	}
}

func textOrNull(s string) driver.Value {
	if s == "" {
		return nil
	}
	return s
}

func blobOrNull(b []byte) driver.Value {
	if b == nil {
		return nil
	}
	return b
}
