package page_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"pakdb/diff"
	"pakdb/diff/semantic"
	"pakdb/web/internal/page"
)

// hostile names that would be markup, end a script, turn text around, or break
// JSON if anyone let them.
var hostile = []string{
	`<img src=x onerror="document.title='pwned'">.uasset`,
	`</script><script>document.title='pwned'</script>`,
	`<!--<script>`,
	"a\u2028b\u2029c\x00\x1b[31m",
	"\u202egnp.exe",
	`"],["`,
	"__proto__/constructor",
	"\xff\xfe broken utf-8",
	"${document.title='pwned'}",
}

func file(path string, size int64) *diff.File {
	return &diff.File{Path: path, Archive: "<b>a.pak</b>", Type: "TXTR", Method: "zlib", Size: size, Stored: size / 2, Copies: 1}
}

// written is a page of the hostile names and n others.
func written(t testing.TB, n int) []byte {
	t.Helper()
	var out bytes.Buffer
	w := page.New(&out, "1.0 <old>", "1.1 </title><script>document.title='pwned'</script>", 20<<20)
	w.SetDownloads([]diff.Way{{Name: diff.WayBuild, Bytes: 1 << 20, Parts: 3, Of: 3, Exact: true}, {Name: diff.WayDelta, Bytes: 1 << 10}})
	var changes []diff.Change
	for i, name := range hostile {
		changes = append(changes, diff.Change{Kind: diff.Added, New: file("Evil/"+name, int64(100+i)), Download: 50, Notes: []string{name}})
	}
	kinds := []diff.Kind{diff.Modified, diff.Removed, diff.Cosmetic, diff.Renamed}
	for i := range n {
		c := diff.Change{Kind: kinds[i%len(kinds)], Old: file(fmt.Sprintf("Game/%d/old%d.uasset", i%50, i), int64(i)),
			New: file(fmt.Sprintf("Game/%d/File%d.uasset", i%50, i), int64(2*i)), Download: int64(i)}
		if c.Kind == diff.Removed {
			c.New, c.Download = nil, 0
		}
		changes = append(changes, c)
	}
	for i := range changes {
		if err := w.Add(&changes[i], nil, nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestPageIsSelfContained(t *testing.T) {
	text := string(written(t, 10))
	for _, bad := range []string{"http://", "https://", "src=x onerror=\"", "<img", "@import", "url(", "innerHTML", "eval("} {
		if strings.Contains(strings.ReplaceAll(text, "http://www.w3.org/2000/svg", ""), bad) { // that one names elements
			t.Errorf("the page holds %q", bad)
		}
	}
	if n := strings.Count(text, "<script"); n != 2 {
		t.Errorf("%d script elements, want the data and the script", n)
	}
	if n := strings.Count(text, "</script>"); n != 2 {
		t.Errorf("%d ends of script elements", n)
	}
	policy := regexp.MustCompile(`content="(default-src 'none';[^"]*)"`).FindStringSubmatch(text)
	if policy == nil || strings.Contains(policy[1], "unsafe") {
		t.Fatalf("policy %q", policy)
	}
	for _, element := range []string{"script", "style"} {
		m := regexp.MustCompile(`(?s)<` + element + `>(.*?)</` + element + `>`).FindStringSubmatch(text)
		sum := sha256.Sum256([]byte(m[1]))
		if want := "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(policy[1], want) {
			t.Errorf("the policy does not admit the %s: %s", element, policy[1])
		}
	}
}

// data returns the data of a page.
func data(t *testing.T, text string, v any) {
	t.Helper()
	m := regexp.MustCompile(`<script type="text/plain" id="data">(.*?)</script>`).FindStringSubmatch(text)
	if m == nil {
		t.Fatal("no data")
	}
	r, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(m[1])))
	if err == nil {
		err = json.NewDecoder(r).Decode(v)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// The data is JSON, a row a change, and has the names as they are.
func TestPageData(t *testing.T) {
	var all struct {
		Rows  [][]any
		Words struct {
			Dirs, Words, Builds []string
			Downloads           [][]any
		}
	}
	data(t, string(written(t, 3)), &all)
	rows, words := all.Rows, all.Words
	if got := fmt.Sprint(words.Downloads); got != "[[1.048576e+06 true all of 3 files] [1024 false a transport patch (pakdb delta make)]]" {
		t.Errorf("downloads %s", got)
	}
	if len(rows) != len(hostile)+3 || len(words.Builds) != 2 {
		t.Fatalf("%d rows, builds %q", len(rows), words.Builds)
	}
	for i, name := range hostile {
		now := rows[i][2].([]any)
		dir, _ := now[0].(float64)
		if got := words.Dirs[int(dir)] + "/" + now[1].(string); got != "Evil/"+strings.ToValidUTF8(name, "\ufffd\ufffd") && !strings.Contains(name, "\xff") {
			t.Errorf("%q became %q", "Evil/"+name, got)
		}
	}
}

// browser returns a headless Chromium, or skips.
func browser(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser takes seconds")
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("no Chromium on this machine: apt-get install chromium")
	return ""
}

// dom is what the page became when its scripts had run.
func dom(t *testing.T, browser string, text []byte) string {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "page.html")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
		"--user-data-dir="+filepath.Join(dir, "profile"), "--window-size=1400,950", "--virtual-time-budget=400000", "--dump-dom", "file://"+path)
	cmd.WaitDelay = 10 * time.Second
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, errs.String())
	}
	return string(out)
}

func TestPageInBrowser(t *testing.T) {
	chromium := browser(t)
	got := dom(t, chromium, written(t, 500))
	if !strings.Contains(got, ">384 of 509 changes, 125 cosmetic not shown<") {
		t.Errorf("the list was not drawn: %.2000s", got)
	}
	title := regexp.MustCompile(`<title>(.*?)</title>`).FindString(got)
	if strings.Contains(title, "'pwned' ") || strings.Contains(title, ">pwned<") || strings.Contains(got, "<img") {
		t.Errorf("a name became markup: %s", title)
	}
	if !strings.Contains(got, `\u202egnp.exe`) || strings.Contains(got, "\u202e") {
		t.Error("a name turns text around")
	}
}

// driver uses the page as a person would, of 30,000 rows, and leaves a report.
const driver = `
const $ = (id) => document.getElementById(id);
const until = async (what, test) => { for (let i = 0; i < 4000; i++) { if (test()) return; await new Promise((done) => setTimeout(done, 25)); } report.errors.push("waited in vain for " + what); };
const key = (e, k) => e.dispatchEvent(new KeyboardEvent("keydown", { key: k, bubbles: true, cancelable: true }));
const button = (text) => [...document.querySelectorAll("button")].find((b) => b.textContent.startsWith(text));
const names = () => [...document.querySelectorAll("article h2")].map((h) => h.textContent);
const shown = () => $("shown").textContent;
const set = (id, value, event) => { $(id).value = value; $(id).dispatchEvent(new Event(event)); };
const report = { errors: [] };
window.addEventListener("error", (e) => report.errors.push(e.message));
window.addEventListener("unhandledrejection", (e) => report.errors.push(String(e.reason)));
document.addEventListener("securitypolicyviolation", (e) => report.errors.push(e.violatedDirective));
(async () => {
  await until("the changes", () => names().length > 5);
  report.shown = shown();
  report.articles = names().length;
  button("Map").click();
  await until("the map", () => $("map").width * $("map").height > 100000);
  const colours = new Set(), data = $("map").getContext("2d").getImageData(0, 0, $("map").width, $("map").height).data;
  for (let i = 0; i < data.length; i += 4096) colours.add(data[i] << 16 | data[i + 1] << 8 | data[i + 2]);
  report.colours = colours.size;
  key($("map"), "ArrowRight");
  report.live = $("live").textContent;
  button("Sizes").click();
  report.sizes = $("sizes").textContent;
  button("Changes").click();
  set("order", "size", "change");
  report.largest = names()[0];
  key(document.body, "n"); key(document.body, "n");
  report.on = document.querySelector("article.on h2").textContent;
  report.address = location.hash;
  set("search", "old4241.", "input");
  await until("the answer", () => names().length === 1);
  report.found = shown() + ": " + names() + ": " + button("removed").textContent + ", all" + document.querySelector("#folders .n").textContent;
  key($("search"), "Escape");
  await until("all again", () => names().length > 5);
  button("modified").click();
  report.modified = shown();
  button("modified").click();
  button("Evil").click();
  report.under = shown();
  const before = getComputedStyle(document.body).backgroundColor;
  key(document.body, "t");
  report.themed = getComputedStyle(document.body).backgroundColor !== before;
  const out = document.createElement("pre");
  out.id = "report";
  out.textContent = JSON.stringify(report);
  document.body.append(out);
})();`

func TestPageWithManyRows(t *testing.T) {
	chromium := browser(t)
	const n = 30_000
	text := string(written(t, n))
	sum := sha256.Sum256([]byte(driver))
	text = strings.Replace(text, "script-src '", "script-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"' '", 1)
	text = strings.Replace(text, "</body>", "<script>"+driver+"</script></body>", 1)
	got := dom(t, chromium, []byte(text))
	m := regexp.MustCompile(`<pre id="report">(.*?)</pre>`).FindStringSubmatch(got)
	if m == nil {
		t.Fatal("the page was not usable to the end")
	}
	var report struct {
		Errors                                   []string
		Articles, Colours                        int
		Shown, On, Largest, Found, Live, Address string
		Modified, Under, Sizes                   string
		Themed                                   bool
	}
	if err := json.Unmarshal([]byte(m[1]), &report); err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", report)
	for _, check := range []struct {
		what string
		ok   bool
	}{
		{"no errors", len(report.Errors) == 0},
		{"all rows are counted", report.Shown == "22,509 of 30,009 changes, 7,500 cosmetic not shown"},
		{"few changes are drawn", report.Articles > 5 && report.Articles < 100},
		{"the map has colours", report.Colours >= 4},
		{"the map says where one is", report.Live != ""},
		{"the downloads", strings.Contains(report.Sizes, "about 1.00 KiB0.1 %a transport patch (pakdb delta make)")},
		{"sorted by size", report.Largest == "File29999.uasset"},
		{"n goes to the next", report.On == "File29996.uasset"},
		{"the change is in the address", strings.Contains(report.Address, "File29996.uasset")},
		{"found, with counts", report.Found == "1 of 30,009 changes: old4241.uasset: removed 1, all1"},
		{"of a kind", report.Modified == "7,500 of 30,009 changes"},
		{"of a folder", report.Under == "9 of 30,009 changes"},
		{"another theme", report.Themed},
	} {
		if !check.ok {
			t.Errorf("not so: %s", check.what)
		}
	}
}

func BenchmarkPage(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		b.SetBytes(int64(len(written(b, 100_000))))
	}
}

// TestPageIsBounded: what changed inside is on the page as far as there is room, and a row says
// where it is left out.
func TestPageIsBounded(t *testing.T) {
	var b bytes.Buffer
	w := page.New(&b, "1", "2", 4000)
	picture := image.NewNRGBA(image.Rect(0, 0, 2, 2))
	for i := range 50 {
		value := fmt.Sprintf("%x", sha256.Sum256([]byte{byte(i)}))
		in := &semantic.Difference{Fields: []semantic.Field{{Name: "Hash", New: &value}}}
		f := &diff.File{Path: fmt.Sprintf("T_%d.uasset", i), Size: 1}
		if err := w.Add(&diff.Change{Kind: diff.Modified, Old: f, New: f}, in, []*semantic.Pictures{{Object: "T_<b>", Text: "differ", Old: picture, New: picture}}, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var all struct{ Rows [][]any }
	data(t, b.String(), &all)
	whole := 0
	for _, row := range all.Rows {
		if inside, ok := row[9].(map[string]any); ok {
			whole++
			one := inside["pictures"].([]any)[0].([]any)
			if one[0] != "T_<b>" || !strings.HasPrefix(one[2].(string), "data:image/png;base64,") || one[4] != nil {
				t.Errorf("got %v", one)
			}
		} else if row[9] != 0.0 {
			t.Errorf("got %v", row[9])
		}
	}
	if len(all.Rows) != 50 || whole < 3 || whole == 50 {
		t.Errorf("%d of %d changes have what is inside", whole, len(all.Rows))
	}
}
