package schema_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pakdb/codecs/all"
	"pakdb/indexer"
)

// TestEffectiveSettings: which values hold, by platform, whatever operators the files have.
func TestEffectiveSettings(t *testing.T) {
	c, path := newCatalog(t)
	dir := t.TempDir()
	for name, body := range map[string]string{
		"Engine/Config/BaseEngine.ini":                "[A]\nOne=base\nTwo=base\n+List=a\n+List=b\n+List=B\n.List=b\nKept=1\n[B]\n+Gone=x\n",
		"Engine/Config/Windows/BaseWindowsEngine.ini": "[A]\nOne=base of windows\n",
		"Game/Config/DefaultEngine.ini":               "[a]\none=default\n-List=b\n+List=c\n+LIST=A\n[B]\n!Gone=ClearArray\n+Gone=y\n+New=1\n+New=2\n",
		"Engine/Config/Windows/WindowsEngine.ini":     "[A]\nTwo=windows\n",
		"Game/Config/Windows/WindowsEngine.ini":       "[A]\n+List=d\n[B]\nNew=3\n",
		"Game/Config/Linux/LinuxEngine.ini":           "[A]\nTwo=linux\n",
		"Game/Config/DefaultGame.ini":                 "[A]\nOne=game\nnothing\n",
		"Game/Plugins/P/Config/DefaultEngine.ini":     "[A]\nOne=plugin\n",
		"Game/Config/Other.ini":                       "[A]\nOne=other\n",
		"Game/Saved/DefaultEngine.ini":                "[A]\nOne=saved\n",
		"Game/Config/Windows/LinuxEngine.ini":         "[A]\nOne=misplaced\n",
		"Game/Config/Layouts/DefaultLayout.ini":       "[A]\nOne=layout\n",
	} {
		writeLoose(t, dir, name, []byte(body))
	}
	if _, err := indexer.Run(t.Context(), indexer.Options{Catalog: c, Registry: all.Registry(), Label: "1", Paths: []string{dir}}); err != nil {
		t.Fatal(err)
	}
	rows, err := readDB(t, path).Query(`SELECT platform || '|' || file || '|' || lower(section) || '|' || lower(key) || '|' || group_concat(value ORDER BY position)
		FROM config_effective GROUP BY platform, file, lower(section), lower(key) ORDER BY 1`)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	var got []string
	for rows.Next() {
		var row string
		if err := rows.Scan(&row); err != nil {
			t.Fatal(err)
		}
		got = append(got, row)
	}
	var want []string
	for _, platform := range []string{"", "Linux", "Windows"} {
		two, list, added := "base", "a,c", "1,2"
		switch platform {
		case "Linux":
			two = "linux"
		case "Windows":
			two, list, added = "windows", "a,c,d", "3"
		}
		want = append(want, platform+"|Engine|a|kept|1", platform+"|Engine|a|list|"+list, platform+"|Engine|a|one|default",
			platform+"|Engine|a|two|"+two, platform+"|Engine|b|gone|y", platform+"|Engine|b|new|"+added, platform+"|Game|a|one|game")
	}
	slices.Sort(want)
	slices.Sort(got)
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}
