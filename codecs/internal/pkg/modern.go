package pkg

import (
	"context"
	"errors"
	"fmt"

	"pakdb/codecs"
	"pakdb/codecs/unreal"
)

// The newest versions whose layout is known.
const (
	newestUE4    = 522
	newestUE5    = 1018
	newestLegacy = -9
)

// versions are what a UE4 or UE5 package is read by.
type versions struct {
	legacy, ue4, ue5 int
	// importPackage: imports name their package also where editor data is
	// left out. UE 5.8.1 does so under the version of 5.7.
	importPackage bool
}

func (v versions) String() string {
	if v.importPackage {
		return fmt.Sprintf("ue4 %d, ue5 %d, import packages", v.ue4, v.ue5)
	}
	if v.ue5 != 0 {
		return fmt.Sprintf("ue4 %d, ue5 %d", v.ue4, v.ue5)
	}
	return fmt.Sprintf("ue4 %d", v.ue4)
}

// newer reports versions that came after this was written.
func (v versions) newer() bool {
	return v.legacy < newestLegacy || v.ue4 > newestUE4 || v.ue5 > newestUE5
}

// candidates are the layouts to try for an unversioned package, by the legacy
// version, which even those have. Of each family whose cooked header is the
// same the newest is first, for packages with editor data come the others.
func candidates(legacy int) (out []versions) {
	ue4 := map[int][]int{
		-7: {522, 519, 518, 517, 515, 510, 508, 507},
		-6: {505, 503, 483, 458},
		-5: {434, 383, 342}, -4: {434, 383, 342}, -3: {434, 383, 342}, -2: {342},
	}
	var ue5 []int
	switch {
	case legacy <= -9:
		out = append(out, versions{legacy: legacy, ue4: newestUE4, ue5: newestUE5, importPackage: true})
		ue5 = []int{1018, 1017, 1015, 1014}
	case legacy == -8:
		ue5 = []int{1013, 1012, 1009, 1008, 1007, 1005, 1004, 1002, 1001, 1000}
	}
	for _, v := range ue5 {
		out = append(out, versions{legacy: legacy, ue4: newestUE4, ue5: v})
	}
	for _, v := range ue4[legacy] {
		out = append(out, versions{legacy: legacy, ue4: v})
	}
	return out
}

// attempts are the layouts to try, the likeliest first. A package that has
// known versions of Epic's is read by them, so that damage is not mistaken for
// another layout.
func attempts(stored versions, licensee int) []versions {
	all := candidates(stored.legacy)
	switch {
	case stored.ue4 == 0 && stored.ue5 == 0:
		return all
	case licensee == 0 && !stored.newer():
		all = nil
	}
	again := stored
	again.importPackage = true
	if stored.ue5 >= newestUE5 {
		all = append([]versions{again}, all...)
	}
	return append([]versions{stored}, all...)
}

// modern reads packages of UE4 and UE5.
type modern struct{ *parser }

// readModern reads a package of UE4 or UE5: by its versions, or, where it has
// none or they do not fit, by the first layout without a contradiction.
func readModern(ctx context.Context, sp *space, o opening) (*Package, error) {
	stored, licensee, err := storedVersions(ctx, sp, o)
	if err != nil {
		return nil, failure("version", 4, err)
	}
	if stored.legacy > -2 {
		err := codecs.Errorf(codecs.ErrCorrupt, "legacy version %d", stored.legacy)
		return only(sp, unreal.PackageFacts{Engine: "UE4", LegacyVersion: stored.legacy}, "version", err), nil
	}
	unversioned := stored.ue4 == 0 && stored.ue5 == 0
	var best *parser
	for _, v := range attempts(stored, licensee) {
		p := tryModern(ctx, sp, o, v)
		if best == nil || best.found.worse(&p.found) {
			best = p
		}
		if best.found.clean() || ctx.Err() != nil {
			break
		}
	}
	f := best.facts
	f.Version, f.Version5, f.Licensee, f.Unversioned = stored.ue4, stored.ue5, licensee, unversioned
	if f.Name == "" {
		f.Name = impliedName(f)
	}
	modern{best}.judgeVersion(stored)
	return best.finish(), nil
}

// storedVersions reads the versions as the file has them.
func storedVersions(ctx context.Context, sp *space, o opening) (v versions, licensee int, err error) {
	v.legacy = int(int32(o.version))
	_, err = sp.scan(ctx, &layout{}, o.order, extent{8, 64}, func(d *decoder) {
		if v.legacy != -4 {
			d.Skip(4) // version of UE3
		}
		v.ue4 = int(d.I32())
		if v.legacy <= -8 {
			v.ue5 = int(d.I32())
		}
		licensee = int(d.I32())
	})
	return v, licensee, err
}

func tryModern(ctx context.Context, sp *space, o opening, v versions) *parser {
	p := &parser{ctx: ctx, sp: sp, order: o.order, lay: &layout{number: true}, v: v, facts: &unreal.PackageFacts{
		Engine: "UE4", LegacyVersion: v.legacy, Layout: v.String(),
	}}
	if v.ue5 != 0 || v.legacy <= -8 {
		p.facts.Engine = "UE5"
	}
	if _, err := sp.scan(ctx, p.lay, o.order, extent{8, headBytes}, modern{p}.summary); err != nil {
		p.found.err("summary", 0, err)
		p.found.lost += lostSummary
		return p
	}
	p.declare()
	p.meets("summary", p.sum.End, p.sum.Names.Offset)
	if len(p.sum.Chunks) > 0 || p.sum.compressionFlags != 0 {
		p.found.add(errors.ErrUnsupported, "compression_flags", p.sum.End, "compressed UE4 package, flags 0x%x", p.sum.compressionFlags)
		return p
	}
	if !p.loadHeader() {
		return p
	}
	p.facts.Split = p.facts.HeaderSize == sp.size && p.facts.ExportCount > 0
	modern{p}.tables()
	return p
}

// judgeVersion says what is special about the versions: newer than known is
// no reason to fail as long as the tables hold together.
func (p modern) judgeVersion(v versions) {
	newer := v.newer()
	switch {
	case newer && p.found.hard > 0:
		p.drop()
		p.found.add(errors.ErrUnsupported, "version", 4, "newer than known: legacy %d, ue4 %d, ue5 %d", v.legacy, v.ue4, v.ue5)
	case newer:
		p.found.add(codecs.ErrNonStrict, "version", 4, "newer than known: legacy %d, ue4 %d, ue5 %d", v.legacy, v.ue4, v.ue5)
	}
}

// drop forgets tables that were read by a layout that does not fit.
func (p modern) drop() {
	f := p.facts
	*f = unreal.PackageFacts{Engine: f.Engine, Version: f.Version, Version5: f.Version5, LegacyVersion: f.LegacyVersion,
		Licensee: f.Licensee, Unversioned: f.Unversioned, BigEndian: f.BigEndian}
	p.sum, p.found = Summary{}, findings{}
}

func (p modern) tables() {
	least := int64(4)
	if p.v.ue4 >= ue4NameHashes {
		least = 8
	}
	p.readNames(least, p.nameEntry)
	if !p.allNames() {
		return
	}
	p.readImports(28, p.importEntry)
	p.readExports(60, p.exportEntry)
	p.checkLayout()
	if len(p.facts.Exports) == p.facts.ExportCount {
		p.depends()
		p.readPreload()
	}
	p.readSoftPackages()
	p.readSoftObjects()
	p.readAssetRegistry()
	p.readDataResources()
	checks(p).checkRoots()
	p.checkEnd()
}

// depends reads the depends table, which cooked packages may lack.
func (p modern) depends() {
	if p.sum.Depends.Offset <= 0 || p.facts.ExportCount == 0 {
		return
	}
	p.readDepends()
	if !p.dependsInRange() {
		p.facts.Depends = unreal.RefLists{}
		p.found.add(codecs.ErrCorrupt, "depends", p.sum.Depends.Offset, "points outside of the tables")
	}
}
