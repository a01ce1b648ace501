package calligraphy

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"pakdb/codecs"
)

// The spaces of Marvel Heroes' database, and the file that names what is in each.
const (
	spaceCurve     codecs.Space = "curve"
	spaceAssetType codecs.Space = "asset_type"
	spaceBlueprint codecs.Space = "blueprint"
	spacePrototype codecs.Space = "prototype"
)

func directoryOf(space codecs.Space) string {
	switch space {
	case spaceCurve:
		return "Calligraphy/Curve.directory"
	case spaceAssetType:
		return "Calligraphy/Type.directory"
	case spaceBlueprint:
		return "Calligraphy/Blueprint.directory"
	case spacePrototype:
		return "Calligraphy/Prototype.directory"
	}
	return ""
}

// database is Marvel Heroes' game database, as far as it was looked into. Its first
// error ends the work.
type database struct {
	ctx     context.Context
	files   codecs.Files
	err     error
	records map[codecs.Space]map[uint64]string // paths by id; of a space that was asked for
	loaded  map[string]*Facts
	assets  map[uint64]string // names by id, of all types; nil: not asked for yet
}

func newDatabase(ctx context.Context, files codecs.Files) *database {
	return &database{ctx: ctx, files: files, records: map[codecs.Space]map[uint64]string{},
		loaded: map[string]*Facts{}}
}

// load returns the facts of a file, nil if there are none.
func (d *database) load(path string) *Facts {
	if f, ok := d.loaded[path]; ok || path == "" || d.err != nil {
		return f
	}
	facts, err := d.files.Facts(d.ctx, path)
	if err != nil && !absent(err) {
		d.err = err
	}
	var found *Facts
	if facts != nil && err == nil {
		found, _ = facts.Detail.(*Facts)
	}
	d.loaded[path] = found
	return found
}

// path returns the path of the record that an id means, "" if none is known.
func (d *database) path(space codecs.Space, id uint64) string {
	paths, ok := d.records[space]
	if !ok {
		paths = map[uint64]string{}
		if f := d.load(directoryOf(space)); f != nil {
			for _, r := range f.Records {
				paths[r.ID] = r.Path
			}
		}
		d.records[space] = paths
	}
	return paths[id]
}

// name is path, or the id where that is not known; nil for no record.
func (d *database) name(space codecs.Space, id uint64) any {
	if id == 0 {
		return nil
	}
	if path := d.path(space, id); path != "" {
		return path
	}
	return idText(id)
}

// asset returns the name of a value of an asset type. Some fields have values of
// another type than they declare, so all types are looked through then.
func (d *database) asset(assetType, id uint64) any {
	if id == 0 {
		return nil
	}
	if name, ok := d.assetIn(d.path(spaceAssetType, assetType), id); ok {
		return name
	}
	if d.assets == nil {
		d.assets = map[uint64]string{}
		for _, path := range d.records[spaceAssetType] {
			if f := d.load(path); f != nil {
				for _, a := range f.Assets {
					d.assets[a.ID] = a.Name
				}
			}
		}
	}
	if name, ok := d.assets[id]; ok {
		return name
	}
	return idText(id)
}

func (d *database) assetIn(path string, id uint64) (name string, ok bool) {
	if f := d.load(path); f != nil {
		for _, a := range f.Assets {
			if a.ID == id {
				return a.Name, true
			}
		}
	}
	return "", false
}

func (d *database) blueprint(id uint64) *Blueprint {
	if f := d.load(d.path(spaceBlueprint, id)); f != nil {
		return f.Blueprint
	}
	return nil
}

// mostParents bounds chains of parents, which damaged files may close to loops.
const mostParents = 64

// member returns what a blueprint, or one of its parents, declares under an id; nil if
// that is not known.
func (d *database) member(blueprint, id uint64, depth int) *Member {
	b := d.blueprint(blueprint)
	if b == nil || depth > mostParents {
		return nil
	}
	for i := range b.Members {
		if b.Members[i].ID == id {
			return &b.Members[i]
		}
	}
	for _, parent := range b.Parents {
		if m := d.member(parent.Blueprint, id, depth+1); m != nil {
			return m
		}
	}
	return nil
}

// shortName is the last part of a path, without its extension.
func shortName(path string) string {
	name := path[strings.LastIndexByte(path, '/')+1:]
	if i := strings.LastIndexByte(name, '.'); i > 0 {
		name = name[:i]
	}
	return name
}

// absent reports whether a file is not there, or says nothing: what it is wanted for
// stays unresolved then.
func absent(err error) bool {
	var damaged *codecs.FormatError
	return errors.Is(err, fs.ErrNotExist) || errors.As(err, &damaged)
}

func idText(id uint64) string { return fmt.Sprintf("0x%016x", id) }
