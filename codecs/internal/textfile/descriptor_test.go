package textfile_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/internal/textfile"
	"pakdb/codecs/unreal"
)

func descriptorInspect(name, body string) (*codecs.Facts, error) {
	return textfile.DescriptorInspector().Inspect(context.Background(), bytes.NewReader([]byte(body)), int64(len(body)), &codecs.Entry{Name: name})
}

const plugin = `{ // comment
	"FileVersion": 3, "Version": 7, "VersionName": "1.2", "FriendlyName": "Water", "Description": "Rivers",
	"Category": "World", "CreatedBy": "Someone", "EngineVersion": "5.3.0", "EnabledByDefault": false, "CanContainContent": true,
	"Modules": [{"Name": "Water", "Type": "Runtime", "LoadingPhase": "Default"}, ],
	"Plugins": [{"Name": "Landmass", "Enabled": true}],
}`

// samples are files by name.
var samples = map[string]string{
	"Plugins/Water/Water.uplugin": plugin,
	"Shooter.uproject":            `{"FileVersion": 3, "EngineAssociation": "4.26", "Plugins": [{"Name": "Water", "Enabled": true, "Optional": true}]}`,
	"Game.upluginmanifest":        `{"Contents": [{"File": "../../../Engine/Plugins/A/A.uplugin", "Descriptor": {"Version": 1}}, {"File": "B.uplugin", "Descriptor": ` + plugin + `}]}`,
}

func TestDescriptorSamples(t *testing.T) {
	for name, want := range map[string]string{
		"Plugins/Water/Water.uplugin": ` Water 7 1.2 5.3.0 [{"Name":"Water","Type":"Runtime","LoadingPhase":"Default"}] [{"Name":"Landmass","Enabled":true,"Optional":false}]|`,
		"Shooter.uproject":            `project   0  4.26 [] [{"Name":"Water","Enabled":true,"Optional":true}]|`,
		"Game.upluginmanifest": `A  1   [] []|` +
			`B Water 7 1.2 5.3.0 [{"Name":"Water","Type":"Runtime","LoadingPhase":"Default"}] [{"Name":"Landmass","Enabled":true,"Optional":false}]|`,
	} {
		facts, err := descriptorInspect(name, samples[name])
		if err != nil || len(facts.Problems) > 0 {
			t.Errorf("%s: %v, %+v", name, err, facts)
			continue
		}
		f := facts.Detail.(*unreal.DescriptorFacts)
		text := func(i int32) string {
			if i < 0 {
				return ""
			}
			return f.Texts[i]
		}
		got := ""
		for _, d := range f.Descriptors {
			if d.Project {
				got += "project "
			}
			got += fmt.Sprintf("%s %s %d %s %s %s %s|", text(d.Name), text(d.Title), d.Version, text(d.VersionName), text(d.Engine), d.Modules, d.Plugins)
		}
		if got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
	}
}

func TestDescriptorProblems(t *testing.T) {
	for _, c := range []struct {
		body, field string
		descriptors int
	}{
		{`{"Version": "x", "FriendlyName": "A"}`, "Version", 1},
		{`{"Version": 1`, "json", 0},
		{``, "json", 0},
		{`[1]`, "json", 1},
	} {
		facts, err := descriptorInspect("A.uplugin", c.body)
		if err != nil || len(facts.Problems) != 1 {
			t.Errorf("%q: %v, %+v", c.body, err, facts)
			continue
		}
		if p := facts.Problems[0]; p.Field != c.field || !errors.Is(p, codecs.ErrCorrupt) || len(facts.Detail.(*unreal.DescriptorFacts).Descriptors) != c.descriptors {
			t.Errorf("%q: %v", c.body, p)
		}
	}
}

func TestDescriptorCorpus(t *testing.T) {
	for i, name := range []string{"Plugins/Water/Water.uplugin", "Shooter.uproject", "Game.upluginmanifest"} {
		codecstest.Corpus(t, *update, "FuzzDescriptorInspect", fmt.Sprint("file", i), fmt.Sprintf("string(%q)", name), fmt.Sprintf("string(%q)", samples[name]))
	}
}

func FuzzDescriptorInspect(f *testing.F) {
	f.Fuzz(func(t *testing.T, name, body string) {
		facts, err := descriptorInspect(name, body)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range facts.Problems {
			if p.Off < 0 || p.Off > int64(len(body)) || p.Field == "" {
				t.Fatalf("%v: no place", p)
			}
		}
		facts.Detail.Batch()
	})
}
