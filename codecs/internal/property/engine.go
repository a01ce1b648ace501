package property

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/unreal"
)

// Engine is a version of Unreal Engine: 100 times the major and the minor, 427 for
// 4.27. 0 is one that is not known.
type Engine int

// The engines whose packages this package knows.
const (
	Oldest Engine = 410
	Newest Engine = 600
)

// String returns "4.27", and "unknown" for 0.
func (e Engine) String() string {
	if e == 0 {
		return "unknown"
	}
	return fmt.Sprintf("%d.%d", e/100, e%100)
}

// ParseEngine reads "4.26", or "4.26.2" with anything after it, as users and packages
// write it.
func ParseEngine(s string) (Engine, error) {
	major, rest, ok := strings.Cut(s, ".")
	minor := rest
	if i := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' }); i >= 0 {
		minor = rest[:i]
	}
	a, err1 := strconv.Atoi(major)
	b, err2 := strconv.Atoi(minor)
	e := Engine(a*100 + b)
	if !ok || err1 != nil || err2 != nil || a < 4 || a > 99 || b > 99 || e > Newest+99 {
		return 0, fmt.Errorf("engine %q: want one like 4.27 or 5.3", s)
	}
	return e, nil
}

// releases are the versions that the engines write, oldest first.
func releases() []release {
	return []release{
		{400, 342, 0}, {401, 352, 0}, {402, 363, 0}, {403, 382, 0}, {404, 385, 0}, {405, 401, 0}, {406, 413, 0}, {407, 434, 0},
		{408, 451, 0}, {409, 482, 0}, {410, 482, 0}, {411, 498, 0}, {412, 504, 0}, {413, 505, 0}, {414, 508, 0}, {415, 510, 0},
		{416, 513, 0}, {417, 513, 0}, {418, 514, 0}, {419, 516, 0}, {420, 516, 0}, {421, 517, 0}, {422, 517, 0}, {423, 517, 0},
		{424, 518, 0}, {425, 518, 0}, {426, 522, 0}, {427, 522, 0},
		{500, 522, 1004}, {501, 522, 1008}, {502, 522, 1009}, {503, 522, 1009}, {504, 522, 1012}, {505, 522, 1013},
		{506, 522, 1017}, {507, 522, 1018}, {508, 522, 1018}, {600, 522, 1018},
	}
}

type release struct {
	engine   Engine
	ue4, ue5 int
}

// versionsOf returns what an engine writes; of one newer than known, what the newest
// does.
func versionsOf(e Engine) (ue4, ue5 int) {
	for _, r := range releases() {
		if r.engine <= e {
			ue4, ue5 = r.ue4, r.ue5
		}
	}
	return ue4, ue5
}

// engineOf returns the newest engine that writes these versions, or the newest below
// them: versions between releases exist.
func engineOf(ue4, ue5 int) (e Engine) {
	for _, r := range releases() {
		if r.ue5 <= ue5 && (r.ue4 <= ue4 || r.ue5 > 0) {
			e = r.engine
		}
	}
	return e
}

// EngineOf returns the engine that saved a package, as far as the package says: by the
// engine's own version, by its versions of formats, or, where it has neither, by how
// its tables are laid out, which several engines share. exact reports the first two.
func EngineOf(f *unreal.PackageFacts) (e Engine, exact bool) {
	if e, err := ParseEngine(f.EngineVersion); err == nil && e >= 400 {
		return e, true
	}
	if f.Version != 0 || f.Version5 != 0 {
		e = engineOf(f.Version, f.Version5)
		if e >= 507 {
			e = sameVersions(f)
		}
		return e, true
	}
	return layoutEngine(f.Layout), false
}

// sameVersions distinguishes UE 5.7 from 5.8 and 6.0, which write the same versions: by the
// parts of the engine that a package used, then by the layout of its tables.
func sameVersions(f *unreal.PackageFacts) Engine {
	for _, c := range []Custom{FortniteMain, UE5Main, UE5Release} {
		if v, ok := customOf(f, c); ok && v >= c.at(508) {
			return 508
		} else if ok && v <= c.at(507) {
			return 507
		}
	}
	if f.Zen != nil || strings.HasSuffix(f.Layout, "import packages") {
		return 508
	}
	return 507
}

// layoutEngine returns the newest engine whose tables are laid out so.
func layoutEngine(layout string) Engine {
	switch layout {
	case "zen 4.26":
		return 427
	case "zen 5.0":
		return 502
	case "zen 5.3":
		return 505
	case "zen 5.6":
		return 508
	}
	var ue4, ue5 int
	if n, _ := fmt.Sscanf(layout, "ue4 %d, ue5 %d", &ue4, &ue5); n == 0 {
		return 0
	}
	e := engineOf(ue4, ue5)
	if e >= 507 && !strings.HasSuffix(layout, "import packages") {
		return 507 // 5.8 is where imports name their packages
	}
	return e
}

// Candidates returns the engines that may have saved a package without versions, the
// likeliest first: those whose tables are laid out as its own. Which one it was shows
// when values are read: see [Coverage.Better].
func Candidates(f *unreal.PackageFacts) []Engine {
	e, exact := EngineOf(f)
	if exact || e == 0 {
		return []Engine{e}
	}
	families := [][]Engine{
		{427, 426, 425, 424, 423, 422, 421, 420, 419, 418, 417, 416, 415}, {414}, {413, 412}, {411, 410, 409, 408},
		{501}, {500}, {505, 504, 503, 502}, {506}, {507}, {508, 600},
	}
	switch f.Layout {
	case "zen 4.26":
		return []Engine{427, 426, 425}
	case "zen 5.0":
		return []Engine{502, 501, 500}
	case "zen 5.3":
		return []Engine{505, 504, 503}
	case "zen 5.6":
		return []Engine{508, 507, 506, 600}
	}
	for _, family := range families {
		if slices.Contains(family, e) {
			return family
		}
	}
	return []Engine{e}
}

// Custom is a part of the engine that numbers its own formats.
type Custom uint8

// The parts whose versions decide how values are stored.
const (
	Core Custom = iota
	Editor
	Framework
	Release
	FortniteMain
	FortniteRelease
	UE5Main
	UE5Release
	Sequencer
	AnimPhys
	InstancedStruct
	Blueprints
	customs
)

// customTable is what the parts are called in files, and the versions that they had in
// the engines: pairs of an engine and the version from it on. Source: FORMAT.md.
func customTable() [customs]customRow {
	return [customs]customRow{
		Core:            {key(0x375EC13C06E448FB, 0xB50084F0262A717E), []int32{412, 1, 415, 2, 422, 3, 425, 4}},
		Editor:          {key(0xE4B068EDF49442E9, 0xA231DA0B2E46BB41), []int32{415, 14, 417, 20, 419, 23, 420, 24, 421, 26, 422, 30, 423, 34, 424, 37, 425, 38, 426, 40}},
		Framework:       {key(0xCFFC743F43B04480, 0x939114DF171D2073), []int32{413, 12, 414, 17, 415, 22, 416, 23, 417, 28, 418, 30, 419, 33, 420, 34, 422, 35, 424, 36, 425, 37}},
		Release:         {key(0x9C54D522A8264FBE, 0x9421074661B482D0), []int32{417, 10, 419, 12, 420, 17, 421, 20, 423, 23, 424, 28, 425, 30, 426, 38, 427, 43, 500, 44}},
		FortniteMain:    {key(0x601D1886AC644F84, 0xAA16D3DE0DEAC7D6), []int32{420, 12, 421, 17, 422, 25, 423, 27, 424, 31, 426, 43, 427, 47, 500, 59, 501, 80, 502, 83, 503, 111, 504, 134, 505, 170, 506, 207, 507, 225, 508, 268}},
		FortniteRelease: {key(0xE70863686B234C58, 0x84391B7016265E91), []int32{500, 3, 501, 4, 502, 8, 503, 10, 504, 12, 507, 17, 508, 20}},
		UE5Main:         {key(0x697DD581E64F41AB, 0xAA4A51ECBEB7B628), []int32{500, 59, 501, 88, 502, 104, 503, 118, 504, 119, 506, 121, 508, 123}},
		UE5Release:      {key(0xD89B5E4224BD4D46, 0x8412ACA8DF641779), []int32{500, 36, 501, 41, 503, 47, 504, 51, 506, 56, 507, 61, 508, 68}},
		Sequencer:       {key(0x7B5AE74CD2704C10, 0xA95857980B212A5A), []int32{416, 4, 419, 6, 420, 9, 422, 11, 425, 12, 427, 14}},
		AnimPhys:        {key(0x29E575DDE0A34627, 0x9D10D276232CDCEA), []int32{417, 7, 418, 12, 419, 16, 420, 17}},
		InstancedStruct: {key(0xE21E1CAAAF47425E, 0x89BF6AD44C44A8BB), []int32{500, 1}},
		Blueprints:      {key(0xB0D832E41F894F0D, 0xACCF7EB736FD4AA2), []int32{414, 6}},
	}
}

type customRow struct {
	key   codecs.ID
	since []int32
}

func key(hi, lo uint64) codecs.ID { return codecs.ID{Hi: hi, Lo: lo, Bits: 128} }

// at returns the version that a part had in an engine, -1 before the first known.
func (c Custom) at(e Engine) int32 {
	v := int32(-1)
	since := customTable()[c].since
	for i := 0; i < len(since); i += 2 {
		if Engine(since[i]) <= e {
			v = since[i+1]
		}
	}
	return v
}

// customOf returns the version of a part that a package states.
func customOf(f *unreal.PackageFacts, c Custom) (int32, bool) {
	want := customTable()[c].key
	for _, v := range f.Custom {
		if v.Key == want {
			return v.Version, true
		}
	}
	return -1, false
}

// versions are all that decides how the values of a package are stored.
type versions struct {
	engine   Engine
	ue4, ue5 int
	custom   [customs]int32
	stated   bool // by the package, else what the engine writes
	editor   bool // has editor data
	cooked   bool
	schemas  bool // lists are unversioned
	wide     bool // vectors are f64
}

// Flags of packages of UE4 and UE5.
const (
	flagCooked           = 0x200
	flagUnversioned      = 0x2000
	flagFilterEditorOnly = 0x80000000
)

// newVersions decides the versions of a package. The engine counts where the package
// does not state its own versions; 0 takes that of the package's tables.
func newVersions(f *unreal.PackageFacts, e Engine) versions {
	v := versions{engine: e, ue4: f.Version, ue5: f.Version5}
	own, exact := EngineOf(f)
	if exact || e == 0 {
		v.engine = own
	}
	v.stated = f.Version != 0 || f.Version5 != 0
	if !v.stated {
		v.ue4, v.ue5 = versionsOf(v.engine)
	}
	for c := range customs {
		if v.custom[c] = c.at(v.engine); v.stated && len(f.Custom) > 0 {
			v.custom[c], _ = customOf(f, c)
		}
	}
	v.editor = f.Flags&flagFilterEditorOnly == 0
	v.cooked = f.Flags&flagCooked != 0
	v.schemas = f.Flags&flagUnversioned != 0
	v.wide = v.ue5 >= 1004
	return v
}
