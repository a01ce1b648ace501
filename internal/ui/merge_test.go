package ui_test

import (
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pakdb/internal/ui"
)

const conflicts = `{"base":"1.0","mods":["A_P.pak","B_P.pak"],"names":["mods/A_P.pak","B P.pak"],"out":"Merged_9_P.pak","sum":"1 entry in several mods, 2 conflicts",
"entries":[{"path":"../../../Game/DT.uasset","shown":"Game/DT.uasset","mods":["A_P.pak","B_P.pak"],"lines":[
{"status":"conflict","name":"DT[Flare].Damage","object":"DT","field":"Rows[Flare].Damage","base":"38","values":{"A_P.pak":"99","B_P.pak":"42"},"why":"they give different values"},
{"status":"same","name":"DT[Oar].Cost","object":"DT","field":"Rows[Oar].Cost","base":"40","values":{"A_P.pak":"41","B_P.pak":"41"},"why":""},
{"status":"conflict","name":"\u003cimg src=x onerror=alert(1)\u003e","object":"DT","field":"Rows[Oar].Title","base":"a","values":{"A_P.pak":"b","B_P.pak":"c"},"why":"they give different values"}]}]}`

// decides takes one side of the first conflict, and reports what there is to copy.
const decides = `
document.querySelector("input[value='B_P.pak']").click();
const report = document.createElement("pre");
report.id = "report";
report.textContent = [document.querySelector("[role=status]").textContent, document.querySelector("pre.hunk").textContent,
  ...JSON.parse(document.querySelector("textarea").value).map((d) => d.path + " " + d.object + " " + d.field + ": " + d.take)].join("\n");
document.body.append(report);
`

// TestDecisions decides a conflict on the page of several mods.
func TestDecisions(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser takes seconds")
	}
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("no Chromium on this machine: apt-get install chromium")
	}
	script := ui.Script("words.js", "theme.js", "merge.js") + decides
	dir := t.TempDir()
	path := filepath.Join(dir, "page.html")
	page := fmt.Sprintf("%s<body><main class=\"changes\"></main><script type=\"application/json\" id=\"data\">%s</script><script>%s</script></body></html>", ui.Head("mods", "", script), conflicts, script)
	if err := os.WriteFile(path, []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
		"--user-data-dir="+filepath.Join(dir, "profile"), "--virtual-time-budget=10000", "--dump-dom", "file://"+path).Output()
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?s)<pre id="report">(.*?)</pre>`).FindSubmatch(out)
	if found == nil {
		t.Fatalf("no report: %.2000s", out)
	}
	want := []string{"1 conflict is open of 2.", "pakdb mod merge --base 1.0 mods/A_P.pak 'B P.pak' --resolve decisions.json -o Merged_9_P.pak",
		"../../../Game/DT.uasset DT Rows[Flare].Damage: B_P.pak", "../../../Game/DT.uasset DT Rows[Oar].Title: "}
	if got := html.UnescapeString(string(found[1])); got != strings.Join(want, "\n") {
		t.Errorf("got %s, want %q", got, want)
	}
	if strings.Contains(string(out), "<img") {
		t.Error("a name became markup")
	}
}
