package gpak_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/gpak"
	"pakdb/testdata/gen/fixture"
)

func fixtureFile(t testing.TB, name string) codecs.Source {
	return codecstest.OpenFile(t, filepath.Join(codecstest.ModuleRoot(t), "testdata", name))
}

func TestFixturesAreWhatTheGeneratorMakes(t *testing.T) {
	files, err := fixture.Files()
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(codecstest.ModuleRoot(t), "testdata", name))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s differs (%v): go run ./testdata/gen", name, err)
		}
		total += len(got)
	}
	if total > 200_000 {
		t.Errorf("fixtures take %d bytes", total)
	}
}

func TestFixturesKeepTheContract(t *testing.T) {
	for name, version := range map[string]string{"mu_cdata_1.5.sip": "SQLite 1.5", "mu_cdata_1.6.sip": "SQLite 1.6",
		"Calligraphy.sip": "KAPG 1", "Calligraphy_next.sip": "KAPG 1"} {
		t.Run(name, func(t *testing.T) {
			src := fixtureFile(t, name)
			codecstest.Contract(t, gpak.Format(), src, codecstest.ContractOptions{})
			codecstest.ByteCoverage(t, gpak.Format(), src, nil)
			if v := codecstest.Open(t, gpak.Format(), src, nil).Info().Version; v != version {
				t.Errorf("version %q", v)
			}
			if found := codecstest.Problems(context.Background(), gpak.Format(), src, nil); len(found) > 0 {
				t.Error(found)
			}
		})
	}
}

// The differences that testdata/README.md promises.
func TestFixtureBuilds(t *testing.T) {
	old := codecstest.Contents(t, codecstest.Open(t, gpak.Format(), fixtureFile(t, "Calligraphy.sip"), nil))
	now := codecstest.Contents(t, codecstest.Open(t, gpak.Format(), fixtureFile(t, "Calligraphy_next.sip"), nil))
	var got []string
	for name, data := range now {
		if oldData, ok := old[name]; !ok {
			got = append(got, "+ "+strings.TrimPrefix(name, "Calligraphy/"))
		} else if !bytes.Equal(oldData, data) {
			got = append(got, "* "+strings.TrimPrefix(name, "Calligraphy/"))
		}
	}
	for name := range old {
		if _, ok := now[name]; !ok {
			got = append(got, "- "+strings.TrimPrefix(name, "Calligraphy/"))
		}
	}
	slices.Sort(got)
	want := []string{
		"* Blueprint.directory",
		"* Curve.directory",
		"* Entity/Characters/Mobs/Robot.prototype",
		"* Powers/Curves/DamageByRank.curve",
		"* Powers/Player/Aegis/Drones.prototype",
		"* Prototype.directory",
		"* Replacement.directory",
		"+ Powers/Blueprints/Summons/SummonPower.blueprint",
		"+ Powers/Blueprints/Summons/SummonPower.defaults",
		"+ Powers/Curves/ShieldByRank.curve",
		"+ Powers/Player/Aegis/Shield.prototype",
		"- Powers/Blueprints/SummonPower.blueprint",
		"- Powers/Blueprints/SummonPower.defaults",
		"- Regions/Harbor/CanneryBoss.prototype",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestDamagedFixture(t *testing.T) {
	found := codecstest.Problems(context.Background(), gpak.Format(), fixtureFile(t, "damaged.sip"), nil)
	var fe *codecs.FormatError
	if len(found) != 1 || !errors.As(found[0], &fe) || !errors.Is(fe, codecs.ErrCorrupt) || fe.Entry == "" || fe.Off < 0 {
		t.Errorf("%d problems: %v", len(found), found)
	}
}

func TestLargeArchive(t *testing.T) {
	var out bytes.Buffer
	if err := fixture.Large(&out, 2000, 1); err != nil {
		t.Fatal(err)
	}
	isStrict(t, out.Bytes())
	if items := readPak(t, out.Bytes()); len(items) != 2000 {
		t.Errorf("%d entries", len(items))
	}
}
