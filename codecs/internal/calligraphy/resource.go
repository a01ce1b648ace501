package calligraphy

import (
	"encoding/binary"
	"io"
	"slices"

	"pakdb/codecs"
	"pakdb/internal/bin"
)

const resourceHead = 12

var resourceExtensions = [...]string{
	".cell", ".district", ".encounter", ".fragment", ".markerset", ".prop", ".propset", ".ui",
}

func isResource(ext string) bool { return slices.Contains(resourceExtensions[:], ext) }

// inspectResource reads the head of a resource file. The rest is not described;
// references in it are found by scanning, once all ids of a build are known.
func inspectResource(content io.ReaderAt, size int64, ext string) (*codecs.Facts, error) {
	var head [resourceHead]byte
	if size < resourceHead {
		return nil, failure("header", codecs.Errorf(codecs.ErrTruncated, "need %d bytes, have %d", resourceHead, size), 0)
	}
	if err := bin.Fill(content, head[:], 0); err != nil {
		return nil, failure("header", err, 0)
	}
	id := classID(head[:])
	return &codecs.Facts{
		Kind: "calligraphy-" + ext[1:],
		Scan: &codecs.Scan{
			Layout: codecs.IDLayout{Width: 8},
			Spaces: []codecs.Space{SpaceGUID, SpacePrototype, SpaceBlueprint, SpaceCurve, SpaceAssetType, SpaceAsset},
		},
		Detail: &Facts{Resource: &Resource{
			Signature: binary.LittleEndian.Uint32(head[0:]),
			Version:   binary.LittleEndian.Uint32(head[4:]),
			ClassID:   id,
			Class:     className(id),
		}},
	}, nil
}

func classID(head []byte) uint32 {
	if len(head) < resourceHead {
		return 0
	}
	return binary.LittleEndian.Uint32(head[8:])
}

// classNames are the classes of the game's program that its public readers name
// for resource files and what is in them. A name that no file uses merely never
// matches.
var classNames = [...]string{
	"CellPrototype",
	"DistrictPrototype",
	"EncounterResourcePrototype",
	"MarkerSetPrototype",
	"NaviFragmentPrototype",
	"PropPackagePrototype",
	"PropSetPrototype",
	"UIPrototype",

	"AnchoredPanelPrototype",
	"CellConnectorMarkerPrototype",
	"DotCornerMarkerPrototype",
	"EntityMarkerPrototype",
	"PathNodePrototype",
	"PathNodeSetPrototype",
	"ProceduralPropGroupPrototype",
	"PropSetTypeEntryPrototype",
	"PropSetTypeListPrototype",
	"ResourceMarkerPrototype",
	"RoadConnectionMarkerPrototype",
	"StretchedPanelPrototype",
	"UnrealPropMarkerPrototype",
}

// className returns the name whose hash is id, or "".
func className(id uint32) string {
	for _, name := range classNames {
		if DJB2(name) == id {
			return name
		}
	}
	return ""
}
