package web

import (
	"context"

	"pakdb/diff"
	"pakdb/diff/history"
	"pakdb/query/portable"
	"pakdb/query/pushed"
)

// serveCopies serves the pages that copies of builds in ClickHouse have.
func (s *Server) serveCopies(c *Config) {
	builds := pushed.New(c.Copies)
	s.servePages(builds, &overview{version: c.Version, engine: "clickhouse", can: []ability{}})
	s.slots = newSlots(s.limits.Queries, func(context.Context) (session, func(), error) {
		return pushed.NewSession(c.Copies, s.limits.Rows+1), func() {}, nil
	})
	files := &files{catalog: builds, history: func(ctx context.Context, path string) ([]history.Event, error) { return historyOf(ctx, builds, path) }}
	statements := &statements{slots: s.slots, library: c.Library, limits: s.limits, describe: describeCopies, advise: func(string) string { return "" },
		command: "pakdb query --on clickhouse://HOST/DATABASE", hint: "ask for one build, or for fewer rows"}
	s.pages[pagePath], s.pages[pageFile] = files, files
	s.pages[pageSQL], s.pages[pageQuery], s.pages[pageSchema] = statements, statements, statements
}

// historyOf is the history of a path by what each build has there.
func historyOf(ctx context.Context, builds *pushed.Source, path string) ([]history.Event, error) {
	labels, versions, err := builds.Versions(ctx, path)
	if err != nil {
		return nil, err
	}
	all := make([]*diff.File, len(versions))
	for i, v := range versions {
		if v == nil {
			continue
		}
		all[i] = &diff.File{Path: path, Archive: v.Archive, Type: v.Type, Method: v.Method, Size: v.Size, Stored: v.Stored, Copies: v.Copies, Content: v.Content}
		if v.Encrypted {
			all[i].Flags = 1
		}
	}
	return history.Follow(labels, all), nil
}

// describeCopies describes the views that copies have, as the documentation of the catalog
// does those of the same names.
func describeCopies(context.Context, session) (views, tables []relation, functions []map[string]string, err error) {
	docs := viewDocs()
	for _, v := range portable.Views() {
		views = append(views, docs[v.Name].relation(v.Name, v.Names()))
	}
	return views, []relation{}, []map[string]string{}, nil
}
