package web

import (
	"bytes"
	"context"
	"database/sql"
	"html"
	"net/http"
	"slices"
	"strings"
	"time"

	"pakdb/codecs"
	"pakdb/internal/process"
	"pakdb/internal/ui"
	"pakdb/query"
	"pakdb/web/internal/explore"
)

// Config is the configuration of a [Server].
type Config struct {
	// DB is the catalog as schema.OpenReadOnly opens it; it must allow several connections.
	DB *sql.DB
	// Queries opens the catalog for statements of users.
	Queries  func(context.Context) (db *query.DB, close func(), err error)
	Contents *query.Contents // nil: nothing of contents is shown
	Registry *codecs.Registry
	Library  query.Library // the named queries

	Hosts   []string // names of this server beside those of the machine itself
	Token   string   // that data is given for; "": for none
	Version string   // of the program
	Limits  Limits
}

// Limits bound what one request takes. The zero value of each is its default.
type Limits struct {
	Time    time.Duration // of a statement; 5 s
	Compare time.Duration // of a comparison, and of all else that is not a statement; 2 min
	Rows    int           // of a statement's result as JSON; 10,000
	Queries int           // statements at once; 4
	Preview int64         // bytes of a content that is shown; 64 MiB
}

func (l Limits) orDefaults() Limits {
	if l.Time == 0 {
		l.Time = 5 * time.Second
	}
	if l.Compare == 0 {
		l.Compare = 2 * time.Minute
	}
	if l.Rows == 0 {
		l.Rows = 10_000
	}
	if l.Queries == 0 {
		l.Queries = 4
	}
	if l.Preview == 0 {
		l.Preview = 64 << 20
	}
	return l
}

// answerer answers requests for data of one kind of page.
type answerer interface {
	answer(w http.ResponseWriter, r *http.Request, a *address) error
}

// Server is the explorer as a handler of HTTP. It is safe for concurrent use.
type Server struct {
	guard  guard
	builds *explore.Catalog
	slots  *slots
	pages  map[place]answerer
	limits Limits
	shell  []byte // the page, without its nonce
}

// New returns the explorer of a catalog. What the config has stays the caller's, and must
// last until [Server.Close] has returned.
func New(c Config) *Server {
	catalog := explore.New(c.DB)
	s := &Server{guard: guard{hosts: c.Hosts, token: c.Token}, limits: c.Limits.orDefaults(), builds: catalog}
	s.slots = newSlots(s.limits.Queries, c.Queries)
	files := &files{catalog: catalog, db: c.DB, contents: c.Contents, registry: c.Registry, most: s.limits.Preview}
	folders, compare := newFolders(c.DB, catalog), newComparisons(c, catalog)
	statements := &statements{slots: s.slots, library: c.Library, limits: s.limits}
	s.pages = map[place]answerer{
		pageBuilds: &overview{builds: catalog, contents: c.Contents != nil, version: c.Version},
		pageTree:   folders, pageTreemap: folders,
		pageSearch: &searches{catalog, c.DB}, pageArchives: &archives{catalog}, pageProblems: &problems{catalog},
		pagePath: files, pageFile: files,
		pageGraph:   &graphs{db: c.DB, catalog: catalog},
		pageCompare: compare, pagePatch: compare,
		pageSQL: statements, pageQuery: statements, pageSchema: statements, pageExplain: statements,
	}
	s.shell = bytes.ReplaceAll(ui.File("index.html"), []byte("{ui}"), []byte("/ui/"+ui.Digest()))
	s.shell = bytes.ReplaceAll(s.shell, []byte("{changes}"), ui.File("changes.html"))
	return s
}

// Warm reads the folders of the newest build before the first request.
func (s *Server) Warm(ctx context.Context) error {
	builds, err := s.builds.Builds(ctx)
	if err != nil || len(builds) == 0 {
		return err
	}
	return process.RescueCall(func() error {
		_, err := s.builds.Tree(ctx, builds[len(builds)-1].Label)
		return err
	})
}

// Close closes the connections for statements. No request may be under way.
func (s *Server) Close() { s.slots.end() }

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	protect(w.Header())
	if r.URL.Path == "/enter" {
		s.guard.enter(w, r)
		return
	}
	a, ok := parseAddress(r.URL.EscapedPath(), r.URL.RawQuery)
	isPage := !ok || a.form == formPage && (a.part == "" || !slices.Contains(dataParts(), a.part))
	if err := s.guard.check(r, isPage); err != nil {
		fail(w, err)
		return
	}
	switch {
	case !ok && (r.Header.Get("Sec-Fetch-Dest") != "document" && !strings.Contains(r.Header.Get("Accept"), "text/html")):
		fail(w, refuse(http.StatusNotFound, "docs/serve.md lists all addresses", "nothing is at this address"))
	case ok && a.page == pageUI:
		serveUI(w, r, a.path)
	case isPage:
		s.servePage(w, ok)
	default:
		s.serveData(w, r, &a)
	}
}

// servePage writes the page that all addresses have.
func (s *Server) servePage(w http.ResponseWriter, found bool) {
	nonce := newNonce()
	h := w.Header()
	h.Set("Content-Security-Policy", policy(nonce))
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store") // its nonce is for once
	if !found {
		w.WriteHeader(http.StatusNotFound)
	}
	_, _ = w.Write(bytes.ReplaceAll(s.shell, []byte("{nonce}"), []byte(html.EscapeString(nonce))))
}

func (s *Server) serveData(w http.ResponseWriter, r *http.Request, a *address) {
	ctx, cancel := context.WithTimeout(r.Context(), s.limits.Compare)
	defer cancel()
	page := s.pages[a.page]
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		w = packing{w}
	}
	if err := process.RescueCall(func() error { return page.answer(w, r.WithContext(ctx), a) }); err != nil {
		fail(w, err)
	}
}

// serveUI serves a file of the program. Its address has the digest of all of them, so that
// browsers keep it for ever.
func serveUI(w http.ResponseWriter, r *http.Request, name string) {
	body, kind := ui.File(name), ui.Kind(name)
	if body == nil || kind == "" {
		fail(w, refuse(http.StatusNotFound, "", "the program has no file %q", name))
		return
	}
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("Vary", "Accept-Encoding")
	if packed := ui.Packed(name); packed != nil && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		body = packed
	}
	_, _ = w.Write(body)
}
