package script

import (
	"fmt"
	"strconv"
	"strings"

	"pakdb/codecs/unreal"
	"pakdb/internal/bin"
)

// The UE4 and UE5 versions that change functions, named for what they bring.
const (
	ue4Refs      = 514 // 4.18: functions list their children
	ue4Fields    = 519 // properties are no objects any more; 518 is 4.24 as well as 4.25
	ue4SetArray  = 303
	ue5Wide      = 1004 // vectors of doubles
	ue5Control   = 1011 // a byte in front of tagged properties
	ue5TypeNames = 1012
	ue5Newest    = 1018 // 5.7 and all later ones
)

// Package flags.
const (
	unversionedProperties = 0x2000
	filterEditorOnly      = 0x80000000
)

// kismetLayout is how the functions of one package are laid out.
type kismetLayout struct {
	chained     bool // before 4.18: a function refers to the next field and its first child
	fields      bool // 4.25+: properties are in the function
	owner       bool // a path of a property ends with its owner
	fieldFlags  bool // fields have object flags: all but cooked ones of 5.8+
	wide        bool // vectors are of doubles
	notes       bool // 5.8+: kinds of text moved
	setArrayRef bool
	ue5         bool
	unversioned bool // properties without tags
	control     bool
	editor      bool // fields have metadata
	zen         bool
	links       bool // places of names and objects are listed
	raw         bool // calls of the ubergraph show where they enter it
}

// kismetLayouts returns the layouts to try, the likeliest first. What the versions
// leave open (some engines share them, and cooked packages may have none) is
// decided by which of them fits.
func kismetLayouts(f *unreal.PackageFacts) []kismetLayout {
	ue4, ue5 := versions(f)
	base := kismetLayout{
		wide: ue5 >= ue5Wide, ue5: ue5 > 0, setArrayRef: ue4 < ue4SetArray,
		unversioned: f.Flags&unversionedProperties != 0, editor: f.Flags&filterEditorOnly == 0,
		zen: strings.HasSuffix(f.Engine, "zen"), fieldFlags: true, owner: true,
	}
	base.control = ue5 >= ue5Control && !base.unversioned
	modern, refs, chained := base, base, base
	modern.fields = true
	chained.chained = true
	ownerless := modern
	ownerless.owner = false
	list := []kismetLayout{modern}
	switch {
	case ue5 >= ue5Newest:
		next := modern
		next.notes, next.fieldFlags = true, base.editor
		bare := modern
		bare.fieldFlags = false
		list = append(list, next, bare)
	case ue5 > 0:
	case f.Unversioned:
		list = append(list, refs, chained, ownerless)
	case ue4 >= ue4Fields:
	case ue4 == ue4Fields-1:
		list = append(list, refs, ownerless)
	case ue4 >= ue4Refs:
		list = []kismetLayout{refs}
	default:
		list = []kismetLayout{chained}
	}
	return list
}

// versions returns the versions of a package, or those it was read by.
func versions(f *unreal.PackageFacts) (ue4, ue5 int) {
	ue4, ue5 = f.Version, f.Version5
	if ue4 != 0 || ue5 != 0 {
		return ue4, ue5
	}
	if _, err := fmt.Sscanf(f.Layout, "ue4 %d, ue5 %d", &ue4, &ue5); ue4 != 0 {
		return ue4, ue5 // without ue5 the scan ends early
	} else if err == nil {
		return ue4, ue5
	}
	if strings.HasPrefix(f.Engine, "UE5") {
		return 522, ue5Newest
	}
	return 522, 0
}

// name reads a name's index and number.
func (l *kismetLayout) name(in *bin.Reader) unreal.ObjectName {
	n := unreal.ObjectName{Index: in.I32(), Number: in.I32()}
	if l.zen {
		n.Index &= 0x3FFFFFFF // the top bits select the table
	}
	return n
}

// cast names a conversion.
func (l *kismetLayout) cast(kind uint8) string {
	if l.ue5 {
		switch kind {
		case 0:
			return "interface"
		case 1, 2:
			return "bool"
		case 3:
			return "float"
		case 4:
			return "double"
		}
	} else {
		switch kind {
		case 0x46:
			return "interface"
		case 0x47, 0x49:
			return "bool"
		}
	}
	return "cast#" + strconv.Itoa(int(kind))
}
