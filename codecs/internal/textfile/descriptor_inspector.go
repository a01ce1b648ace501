package textfile

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"io"
	"path"
	"strings"

	"github.com/tidwall/jsonc"

	"pakdb/codecs"
	"pakdb/codecs/unreal"
	"pakdb/internal/bin"
)

//go:embed DESCRIPTOR.md
var descriptorSpec string

const descriptorFormatName = "descriptor"

// descriptorMaxSize bounds the content held in memory.
const descriptorMaxSize = 16 << 20

// DescriptorInspector returns the inspector of descriptors. Its facts are of kind
// "unreal-descriptor" with a [*unreal.DescriptorFacts].
func DescriptorInspector() *codecs.Inspector {
	return &codecs.Inspector{
		Name:     descriptorFormatName,
		Doc:      "plugins and projects of Unreal Engine (.uplugin, .uproject, .upluginmanifest)",
		Spec:     descriptorSpec,
		Revision: 1,
		Match:    descriptorMatch,
		Inspect:  descriptorInspect,
	}
}

func descriptorMatch(e *codecs.Entry, _ []byte) bool {
	switch strings.ToLower(path.Ext(e.Name)) {
	case ".uplugin", ".uproject", ".upluginmanifest":
		return true
	}
	return false
}

// descriptor is a file, with the fields that are kept.
type descriptor struct {
	FriendlyName, Description, Category, CreatedBy string
	Version                                        int64
	VersionName, EngineVersion, EngineAssociation  string
	EnabledByDefault                               *bool
	CanContainContent                              bool
	Modules                                        []struct{ Name, Type, LoadingPhase string }
	Plugins                                        []struct {
		Name              string
		Enabled, Optional bool
	}
}

// manifest is the file of a cooked game.
type manifest struct {
	Contents []struct {
		File       string
		Descriptor descriptor
	}
}

func descriptorInspect(ctx context.Context, content io.ReaderAt, size int64, e *codecs.Entry) (*codecs.Facts, error) {
	body, err := whole(ctx, descriptorFormatName, content, size, descriptorMaxSize)
	if err != nil {
		return nil, err
	}
	detail := &unreal.DescriptorFacts{}
	facts := &codecs.Facts{Kind: "unreal-descriptor", Detail: detail}
	p := &descriptorParser{newTexts(&detail.Texts), detail}
	ext := strings.ToLower(path.Ext(e.Name))
	if ext == ".upluginmanifest" {
		var m manifest
		err = json.Unmarshal(jsonc.ToJSON(bin.Text(body)), &m)
		for i := range m.Contents {
			p.add(m.Contents[i].File, false, &m.Contents[i].Descriptor)
		}
	} else {
		var d descriptor
		err = json.Unmarshal(jsonc.ToJSON(bin.Text(body)), &d)
		if _, syntax := errors.AsType[*json.SyntaxError](err); !syntax {
			p.add("", ext == ".uproject", &d)
		}
	}
	if err != nil {
		facts.Problems = append(facts.Problems, asProblem(err, size))
	}
	return facts, nil
}

// asProblem says which field is of another type, or that the file is no JSON.
func asProblem(err error, size int64) *codecs.FormatError {
	field, off := "json", int64(0)
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		field, off = e.Field, e.Offset
	} else if e, ok := errors.AsType[*json.SyntaxError](err); ok {
		off = e.Offset
	}
	if field == "" {
		field = "json"
	}
	return failure(descriptorFormatName, field, codecs.Errorf(codecs.ErrCorrupt, "%v", err), min(off, size))
}

type descriptorParser struct {
	texts
	facts *unreal.DescriptorFacts
}

// text returns the position of a text, -1 for an empty one.
func (p *descriptorParser) text(s string) int32 {
	if s == "" {
		return -1
	}
	return p.texts.text(s)
}

// add adds a descriptor. file is where a manifest says that it was; "" for the file itself,
// whose name is no part of its content.
func (p *descriptorParser) add(file string, project bool, d *descriptor) {
	name := ""
	if file != "" {
		file = strings.ReplaceAll(file, `\`, "/")
		name = strings.TrimSuffix(path.Base(file), path.Ext(file))
	}
	engine := d.EngineVersion
	if project {
		engine = d.EngineAssociation
	}
	p.facts.Descriptors = append(p.facts.Descriptors, unreal.Descriptor{
		Project: project, Name: p.text(name), Title: p.text(d.FriendlyName), Description: p.text(d.Description),
		Category: p.text(d.Category), CreatedBy: p.text(d.CreatedBy), Version: d.Version, VersionName: p.text(d.VersionName),
		Engine: p.text(engine), Enabled: d.EnabledByDefault, Content: d.CanContainContent,
		Modules: list(d.Modules), Plugins: list(d.Plugins),
	})
}

// list returns a list as JSON.
func list[T any](all []T) string {
	if len(all) == 0 {
		return "[]"
	}
	b, err := json.Marshal(all)
	if err != nil { // what was decoded can be encoded
		return "[]"
	}
	return string(b)
}
