package pushed

import (
	"context"
	"database/sql/driver"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"pakdb/query/explore"
	"pakdb/query/find"
	"pakdb/query/graph"
	"pakdb/schema"
)

// Search implements [explore.Source]: paths, ids and hashes of contents.
func (s *Source) Search(ctx context.Context, b *explore.Build, typed string, most int) (*explore.Answers, error) {
	a := &explore.Answers{Found: []explore.Found{}}
	q := find.Parse(typed)
	if len(q.Terms()) == 0 {
		return a, nil
	}
	if hash, err := hex.DecodeString(typed); err == nil && (len(hash) == 32 || len(hash) == schema.StatedSize) {
		err = s.contents(ctx, b, hex.EncodeToString(hash), most, a)
		return a, err
	}
	places, err := s.Places(ctx, b, typed)
	if err != nil {
		return nil, err
	}
	for _, at := range places {
		a.Add(most, explore.Found{Kind: "path", Path: typed, Builds: []string{b.Label}, Archive: at.Archive, Ordinal: at.Ordinal})
	}
	if key, ok := graph.ParseID(typed); ok && len(places) == 0 {
		if err := s.ids(ctx, b, typed, key, most, a); err != nil {
			return nil, err
		}
	}
	return a, s.paths(ctx, b, q, typed, most, a)
}

func (s *Source) contents(ctx context.Context, b *explore.Build, hash string, most int, a *explore.Answers) error {
	// Entries are not sorted by content, contents are: what is not there costs nothing.
	there := false
	err := s.each(ctx, "SELECT content FROM contents WHERE build = :build AND startsWith(content, :hash) LIMIT 1", values{"build": b.Label, "hash": hash}, func([]driver.Value) error {
		there = true
		return nil
	})
	if err != nil || !there {
		return err
	}
	return s.each(ctx, fmt.Sprintf("SELECT path, archive, ordinal, content FROM entries WHERE build = :build AND startsWith(ifNull(content, ''), :hash) ORDER BY archive, ordinal LIMIT %d", most+1),
		values{"build": b.Label, "hash": hash}, func(v []driver.Value) error {
			a.Add(most, explore.Found{Kind: "content", Text: text(v[3]), Path: text(v[0]), Builds: []string{b.Label}, Archive: text(v[1]), Ordinal: integer(v[2])})
			return nil
		})
}

// ids finds the files of an id. Views have it with all of its digits.
func (s *Source) ids(ctx context.Context, b *explore.Build, typed string, key int64, most int, a *explore.Answers) error {
	return s.each(ctx, fmt.Sprintf("SELECT DISTINCT path FROM entries WHERE build = :build AND asset_id IN (:long, :short) AND path IS NOT NULL ORDER BY path LIMIT %d", most+1),
		values{"build": b.Label, "long": fmt.Sprintf("%016x", uint64(key)), "short": fmt.Sprintf("%08x", uint64(key))}, func(v []driver.Value) error {
			a.Add(most, explore.Found{Kind: "id", Text: typed, Path: text(v[0]), Builds: []string{b.Label}})
			return nil
		})
}

// paths finds the paths that have all terms somewhere, one of them in the name of the file,
// and the folders that have all of them; the best first, as package find has them. Of equally
// good ones the order is that of the paths.
func (s *Source) paths(ctx context.Context, b *explore.Build, q *find.Query, typed string, most int, a *explore.Answers) error {
	of := values{"build": b.Label, "all": q.Lower()}
	has := func(where, term string) string { return "position(lowerUTF8(" + where + "), :" + term + ") > 0" }
	var inPath, inFolder, leading []string
	for i, t := range q.Terms() {
		name := fmt.Sprint("term", i)
		of[name] = t.Text
		inPath = append(inPath, has("assumeNotNull(path)", name))
		inFolder = append(inFolder, has("concat(found, '/')", name))
		if t.Leads {
			leading = append(leading, has("last", name))
		}
	}
	// The extension does not count unless it was typed.
	base := "last"
	if !strings.Contains(typed, ".") {
		base = "if(position(substring(last, 2), '.') > 0, substring(last, 1, length(last) - position(reverse(last), '.')), last)"
	}
	const slash = "position(concat(reverse(p), '/'), '/')" // from the end
	// Each path is looked at once, for itself and for its folder.
	sql := fmt.Sprintf(`SELECT kind, found, multiIf(word = :all, 0, position(word, :all) = 1, 1, position(word, :all) > 0, 2, 3) AS rank, length(base) AS long
		FROM (SELECT kind, found, %s AS base, lowerUTF8(base) AS word
			FROM (SELECT DISTINCT hit.1 AS kind, hit.2 AS found, substring(found, length(found) - position(concat(reverse(found), '/'), '/') + 2) AS last
				FROM (SELECT arrayJoin([('path', p), ('folder', substring(p, 1, greatest(0, length(p) - %s)))]) AS hit
					FROM (SELECT assumeNotNull(path) AS p FROM entries WHERE build = :build AND path IS NOT NULL AND %s)))
			WHERE kind = 'path' AND (%s) OR kind = 'folder' AND found <> '' AND %s)
		ORDER BY rank, long, found LIMIT %d`, base, slash, strings.Join(inPath, " AND "), strings.Join(leading, " OR "), strings.Join(inFolder, " AND "), most+1)
	var hits []explore.Found
	err := s.each(ctx, sql, of, func(v []driver.Value) error {
		f := explore.Found{Kind: text(v[0]), Path: text(v[1])}
		if f.Kind == "folder" {
			f.Path += "/"
		}
		f.Text = f.Path
		if f.Kind == "folder" || !slices.ContainsFunc(a.Found, func(have explore.Found) bool { return have.Kind == "path" && have.Path == f.Path }) {
			hits = append(hits, f)
		}
		return nil
	})
	if err != nil || len(hits) == 0 {
		return err
	}
	in, err := s.buildsOf(ctx, hits)
	if err != nil {
		return err
	}
	builds, err := s.Builds(ctx)
	if err != nil {
		return err
	}
	for i := range hits {
		f := &hits[i]
		f.Builds = []string{}
		for k := range builds {
			if in[hit{f.Path, builds[k].Label}] {
				f.Builds = append(f.Builds, builds[k].Label)
			}
		}
		a.Add(most, *f)
	}
	return nil
}

// hit is a path, or a folder with a slash at its end, in a build.
type hit struct{ path, build string }

// buildsOf tells which builds have paths, or files directly in folders.
func (s *Source) buildsOf(ctx context.Context, hits []explore.Found) (map[hit]bool, error) {
	var paths, folders []string
	for i := range hits {
		if f := &hits[i]; f.Kind == "folder" {
			folders = append(folders, "startsWith(assumeNotNull(path), "+literal(f.Path)+")")
		} else {
			paths = append(paths, literal(f.Path))
		}
	}
	in := map[hit]bool{}
	ask := func(what, condition string) error {
		return s.each(ctx, "SELECT DISTINCT "+what+" AS found, build FROM entries WHERE path IS NOT NULL AND ("+condition+")", nil, func(v []driver.Value) error {
			in[hit{strings.Clone(text(v[0])), strings.Clone(text(v[1]))}] = true
			return nil
		})
	}
	if len(paths) > 0 {
		if err := ask("path", "path IN ("+strings.Join(paths, ", ")+")"); err != nil {
			return nil, err
		}
	}
	if len(folders) > 0 {
		if err := ask("concat(dir, '/')", strings.Join(folders, " OR ")); err != nil {
			return nil, err
		}
	}
	return in, nil
}

// literal returns a text as SQL of ClickHouse has it. What people type goes as parameters;
// these texts are too many for an address.
func literal(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s) + "'"
}
