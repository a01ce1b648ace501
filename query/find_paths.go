package query

import (
	"context"
	"iter"
	"slices"
	"strings"

	"pakdb/internal/asset"
	"pakdb/internal/search"
)

// paths yields the paths that have all terms somewhere, one of them in the name of the
// file, of the files of an asset one; and the folders that have all of them.
func (f *Finder) paths(ctx context.Context, q *Search) iter.Seq2[match, error] {
	return func(yield func(match, error) bool) {
		seen, assets := map[int64]bool{}, map[string]bool{}
		for i := range q.terms {
			if !q.leads(i) {
				continue
			}
			for m, err := range f.filesWith(ctx, q.terms[i].text) {
				if err == nil && (seen[m.id] || !q.inPath(m.text)) {
					continue
				}
				seen[m.id] = true
				if stem, _, part := asset.Split(m.text); part != asset.None {
					if assets[stem] {
						continue
					}
					assets[stem] = true
				}
				m.kind, m.score = search.Files, q.pathScore(m.text)
				if !yield(m, err) || err != nil {
					return
				}
			}
		}
		if len(q.terms) == 0 {
			return
		}
		for m, err := range f.foldersWith(ctx, q.terms[0].text) {
			if err == nil && !q.inPath(m.text) {
				continue
			}
			m.kind, m.score = search.Folders, q.pathScore(strings.TrimSuffix(m.text, "/"))
			if !yield(m, err) || err != nil {
				return
			}
		}
	}
}

// leads reports whether paths are looked up by a term: a short one takes a look at each
// path, which is done where all of them are short.
func (q *Search) leads(i int) bool {
	return search.Trigrams(q.terms[i].text) != "" || !slices.ContainsFunc(q.terms, func(t term) bool { return search.Trigrams(t.text) != "" })
}

// inPath reports whether a path has all terms; they may be parts of words.
func (q *Search) inPath(path string) bool {
	path = strings.ToLower(path)
	for i := range q.terms {
		if !strings.Contains(path, q.terms[i].text) {
			return false
		}
	}
	return true
}

// pathScore is the score of a path: by the name of the file, without its extension.
func (q *Search) pathScore(path string) int {
	name := path[strings.LastIndexByte(path, '/')+1:]
	if i := strings.LastIndexByte(name, '.'); i > 0 && !strings.Contains(q.text, ".") {
		name = name[:i]
	}
	return q.score(name)
}

// filesWith yields the paths of files whose names have a part.
func (f *Finder) filesWith(ctx context.Context, part string) iter.Seq2[match, error] {
	if match := search.Trigrams(part); match != "" {
		return f.rows(ctx, search.FilesSQL, match, search.Contains(part))
	}
	return f.rows(ctx, "SELECT p.path_id, "+search.Path+" FROM x_path p CROSS JOIN x_dir d ON d.dir_id = p.dir_id WHERE p.name LIKE ? ESCAPE '\\'", search.Contains(part))
}

func (f *Finder) foldersWith(ctx context.Context, part string) iter.Seq2[match, error] {
	if match := search.Trigrams(part); match != "" {
		return f.rows(ctx, search.FoldersSQL, match, search.Contains(part))
	}
	return f.rows(ctx, "SELECT dir_id, prefix FROM x_dir WHERE prefix LIKE ? ESCAPE '\\'", search.Contains(part))
}
