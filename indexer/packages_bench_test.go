package indexer_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"pakdb/codecs/codecstest"
	"pakdb/indexer"
)

// thousandPackages writes 1,000 packages of 300 names, 100 imports and 300
// exports each, 16 KiB of data apiece, and returns their bytes.
func thousandPackages(b *testing.B, dir string) (total int64) {
	b.Helper()
	data := make([]byte, 16<<10/300)
	for i := range 1000 {
		var p codecstest.Package
		for k := range 100 {
			p.Imports = append(p.Imports, fmt.Sprintf("P%03d.Class%d", (i+k%10)%1000, k))
		}
		for k := range 300 {
			copy(data, fmt.Sprint(i, k))
			p.Exports = append(p.Exports, codecstest.Export{Name: fmt.Sprintf("Object%d_%d", i%50, k), Class: p.Imports[k%100], Data: string(data)})
		}
		file := p.Bytes()
		total += int64(len(file))
		write(b, filepath.Join(dir, fmt.Sprintf("D%d", i%20), fmt.Sprintf("P%03d.u", i)), file)
	}
	return total
}

// BenchmarkPackages scans a thousand packages, and what the scan costs when
// nobody looks into them; then reads the catalog.
func BenchmarkPackages(b *testing.B) {
	dir := b.TempDir()
	total := thousandPackages(b, dir)
	var c catalog
	b.Run("index", func(b *testing.B) {
		b.SetBytes(total)
		b.ReportAllocs()
		for b.Loop() {
			c = newCatalog(b)
			c.mustScan(indexer.Options{Label: "1", Paths: []string{dir}})
		}
	})
	c = newCatalog(b)
	c.mustScan(indexer.Options{Label: "1", Paths: []string{dir}})
	for _, q := range []struct{ name, sql string }{
		{"all exports", "SELECT count(full_name), sum(size) FROM exports WHERE build = '1'"},
		{"all names", "SELECT count(name) FROM package_names WHERE build = '1'"},
		{"classes", "SELECT class, count(*) FROM exports WHERE build = '1' GROUP BY class"},
		{"imports of one", "SELECT * FROM imports WHERE build = '1' AND path = 'P077.u'"},
		{"dependencies of all", "SELECT status, count(*) FROM dependencies WHERE build = '1' GROUP BY status"},
	} {
		b.Run(q.name, func(b *testing.B) {
			for b.Loop() {
				c.rows(q.sql)
			}
		})
	}
}
