package main

import (
	"fmt"
	"html"
	"os"
	"os/exec"
	"regexp"

	"github.com/rogpeppe/go-internal/testscript"
)

// decide opens the page of "mod conflicts --format html" in Chromium, takes one side of all
// conflicts, and writes the list of decisions that the page has then: decide PAGE SIDE LIST.
func decide(ts *testscript.TestScript, _ bool, args []string) {
	policy := regexp.MustCompile(`<meta http-equiv="Content-Security-Policy"[^>]*>`) // admits the page's own script alone
	page := policy.ReplaceAllString(ts.ReadFile(args[0]), "") + fmt.Sprintf(`<script>
for (const radio of document.querySelectorAll("input[type=radio]")) if (radio.value === %q) radio.click();
const list = document.createElement("pre");
list.id = "list";
list.textContent = document.querySelector("textarea").value;
document.body.append(list);
</script>`, args[1])
	opened := ts.MkAbs("opened.html")
	ts.Check(os.WriteFile(opened, []byte(page), 0o600))
	out, err := exec.Command("chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--user-data-dir="+ts.MkAbs("profile"),
		"--virtual-time-budget=10000", "--dump-dom", "file://"+opened).Output()
	ts.Check(err)
	found := regexp.MustCompile(`(?s)<pre id="list">(.*?)</pre>`).FindSubmatch(out)
	if found == nil {
		ts.Fatalf("no list: %.2000s", out)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(html.UnescapeString(string(found[1]))), 0o600))
}
