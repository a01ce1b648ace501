package cli

import (
	"context"
	"database/sql"
	"errors"

	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/delta/maker"
	"pakdb/diff/ship/overlay"
	"pakdb/diff/ship/store/publish"
	"pakdb/diff/ship/store/update"
	"pakdb/indexer"
)

// Indexed is what "pakdb index" did.
type Indexed struct {
	Build    string `json:"build"`
	Archives int    `json:"archives"`
	Reused   int    `json:"reused"`
	Entries  int64  `json:"entries"`
	Size     int64  `json:"size"`
	Stored   int64  `json:"stored"`
	Skimmed  int64  `json:"skimmed"`

	Builds   []MergedBuild `json:"builds"`   // of the catalogs that were merged
	Contents int64         `json:"contents"` // that these kept, and this one keeps now
}

// IndexedBuild is the result of a scan.
func IndexedBuild(r *indexer.Report) Indexed {
	return Indexed{r.Build, r.Archives, r.Reused, r.Entries, r.Size, r.Stored, r.Skimmed, []MergedBuild{}, 0}
}

// MergedBuild is what "pakdb index" did with a build of another catalog.
type MergedBuild struct {
	Build    string `json:"build"`
	From     string `json:"from"`
	Done     string `json:"done"` // merged, replaced, or same: it was there
	Archives int64  `json:"archives"`
	Shared   int64  `json:"shared"` // archives that were there
	Entries  int64  `json:"entries"`
	Problems int64  `json:"problems"`
}

// AddBuild adds the problems that the catalog has of a build.
func (o *Object) AddBuild(ctx context.Context, db *sql.DB, label string) (err error) {
	rows, err := db.QueryContext(ctx, `SELECT archive, path, field, offset, ordinal, cause FROM problems WHERE build = ? ORDER BY archive, ordinal, offset`, label)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var p Problem
		if err := rows.Scan(&p.Archive, &p.Path, &p.Field, &p.Offset, &p.Ordinal, &p.Cause); err != nil {
			return err
		}
		o.Add(p)
	}
	return rows.Err()
}

// Published is what "pakdb publish" did.
type Published struct {
	Build         string `json:"build"`
	Store         string `json:"store"`
	Files         int    `json:"files"`
	Size          int64  `json:"size"`
	Contents      int    `json:"contents"`
	Chunks        int    `json:"chunks"`
	Packs         int    `json:"packs"`
	ContentDeltas int    `json:"content_deltas"`
	Patches       int    `json:"patches"`
	Whole         int    `json:"whole"`
	Written       int64  `json:"written"`
	Promoted      bool   `json:"promoted"`
	Channel       string `json:"channel"`
	Share         int    `json:"share"`
	MinClient     string `json:"min_client"`
	MaxClient     string `json:"max_client"`
}

// PublishedBuild is the result of publishing; of a build that was promoted alone p is nil.
func PublishedBuild(label, store string, p *publish.Published, to *publish.Rollout) Published {
	published := Published{Build: label, Store: store, Promoted: p == nil, Channel: to.Channel, Share: to.Share, MinClient: to.Min, MaxClient: to.Max}
	if p != nil {
		published.Files, published.Size, published.Written = p.Files, p.Size, p.Written
		published.Contents, published.Chunks, published.Packs, published.ContentDeltas, published.Patches, published.Whole = p.Contents, p.Chunks, p.Packs, p.ContentDeltas, p.Deltas, p.Whole
	}
	return published
}

// Delta is what "pakdb delta make" did.
type Delta struct {
	Patch   string `json:"patch"`
	Size    int64  `json:"size"`
	Signed  bool   `json:"signed"`
	OldSize int64  `json:"old_size"`
	NewSize int64  `json:"new_size"`
	Copied  int64  `json:"copied"`
	Coded   int64  `json:"coded"`
	Derived int64  `json:"derived"`
	Made    int64  `json:"made"`
	Sealed  int64  `json:"sealed"`
	Keys    int    `json:"keys"`
}

// MadeDelta is the result of making a patch, which key signs, if not nil.
func MadeDelta(out string, h *delta.Header, s *maker.Stats, key *delta.SecretKey) Delta {
	d := Delta{Patch: out, Size: h.Length(), Signed: key != nil, Copied: s.Copied, Coded: s.Raw, Derived: s.Derived, Sealed: s.Sealed, Keys: len(h.Keys)}
	if key != nil {
		d.Size = delta.SignedLength(h, key)
	}
	for _, f := range h.Old {
		d.OldSize += f.Size
	}
	for _, f := range h.New {
		d.NewSize += f.Size
	}
	for _, n := range s.Made {
		d.Made += n
	}
	return d
}

// CheckedStore is what "pakdb store check" did.
type CheckedStore struct {
	Builds int   `json:"builds"`
	Files  int   `json:"files"`
	Size   int64 `json:"size"`
	Packs  int   `json:"packs"`
	Stored int64 `json:"stored"`
	Signed int   `json:"signed"`
}

// Updated is what "pakdb update" did.
type Updated struct {
	Build    string `json:"build"`
	Dir      string `json:"dir"`
	Same     int    `json:"same"`
	Changed  int    `json:"changed"`
	New      int    `json:"new"`
	Removed  int    `json:"removed"`
	Kept     int    `json:"kept"`
	Fetched  int64  `json:"fetched"`
	Requests int64  `json:"requests"`
	Written  int64  `json:"written"`

	Preloaded bool `json:"preloaded,omitempty"` // the build waits, and no file has changed
}

// UpdatedFolder is the result of an update.
func UpdatedFolder(dir string, p *update.Plan, r *update.Remote) Updated {
	b := &p.Bill
	return Updated{p.Build, dir, b.Same, b.Changed, b.New, b.Gone, b.Kept, r.Fetched(), r.Requests(), b.Write, false}
}

// Packed is what "pakdb pack" did.
type Packed struct {
	Archive string `json:"archive"`
	Format  string `json:"format"`
	Entries int64  `json:"entries"`
	Size    int64  `json:"size"`
	Stored  int64  `json:"stored"`
}

// Verified is what "pakdb verify" did.
type Verified struct {
	Archives int   `json:"archives"`
	Entries  int64 `json:"entries"`
	Size     int64 `json:"size"`
	Others   int64 `json:"others"`
}

// Patch is what "pakdb patch build" did.
type Patch struct {
	Archives []PatchArchive `json:"archives"`
	Size     int64          `json:"size"`
	Added    int            `json:"added"`
	Replaced int            `json:"replaced"`
	Carried  int            `json:"carried"`
	Deleted  int            `json:"deleted"`
	LeftOut  int            `json:"left_out"`
}

// PatchArchive has what was written to one file: Passed is its stored bytes that no
// encoder touched, Deleted its delete records.
type PatchArchive struct {
	Path    string `json:"path"`
	Size    int64  `json:"size"`
	Passed  int64  `json:"passed"`
	Files   int    `json:"files"`
	Deleted int    `json:"deleted"`
}

// BuiltPatch is the result of a plan, and of what was written of it.
func BuiltPatch(p *overlay.Plan, written []overlay.Written) Patch {
	done := Patch{Archives: []PatchArchive{}, LeftOut: len(p.Left)}
	counts := map[overlay.Action]int{}
	for i := range p.Items {
		counts[p.Items[i].Action]++
	}
	done.Added, done.Replaced = counts[overlay.Add], counts[overlay.Replace]
	done.Carried, done.Deleted = counts[overlay.Carry], counts[overlay.Delete]
	for i := range written {
		w := &written[i]
		files, deleted := p.Counts(&w.Part)
		done.Archives = append(done.Archives, PatchArchive{w.Path, w.Size, w.Raw, files, deleted})
		done.Size += w.Size
	}
	return done
}

// AddPlan adds what makes the exit code of a plan 1.
func (o *Object) AddPlan(p *overlay.Plan) {
	for i := range p.Kept {
		o.Add(Problem{Path: &p.Kept[i].Path, Cause: "stays: the archives cannot hold delete records"})
	}
	if p.Faults == 0 {
		return
	}
	for _, w := range p.Warnings {
		o.Add(Problem{Cause: w})
	}
}
