package page_test

import (
	"bytes"
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
	"pakdb/diff/page"
	"pakdb/diff/semantic"
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
	w := page.New(&out, "1.0 <old>", "1.1 </title><script>document.title='pwned'</script>")
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
		if err := w.Add(&changes[i], nil); err != nil {
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
		if strings.Contains(text, bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
	if n := strings.Count(text, "<script"); n != 3 {
		t.Errorf("%d script elements, want rows, words and the script", n)
	}
	if n := strings.Count(text, "</script>"); n != 3 {
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

// The data is JSON, a row a change, and has the names as they are.
func TestPageData(t *testing.T) {
	text := string(written(t, 3))
	data := func(id string, v any) {
		m := regexp.MustCompile(`(?s)<script type="application/json" id="` + id + `">(.*?)</script>`).FindStringSubmatch(text)
		if m == nil {
			t.Fatalf("no %s", id)
		}
		if err := json.Unmarshal([]byte(m[1]), v); err != nil {
			t.Fatalf("%s: %v", id, err)
		}
	}
	var rows [][]any
	data("rows", &rows)
	var words struct {
		Dirs, Words, Builds []string
		Downloads           [][]any
	}
	data("words", &words)
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
		"--user-data-dir="+filepath.Join(dir, "profile"), "--window-size=1400,950", "--virtual-time-budget=20000", "--dump-dom", "file://"+path)
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
	if !strings.Contains(got, ">509 changes<") {
		t.Errorf("the list was not drawn: %.2000s", got)
	}
	if !strings.Contains(got, "<td>about 1.00 KiB</td><td>0.1 %</td><td>a transport patch (pakdb delta make)</td>") {
		t.Error("what is to be downloaded is not told")
	}
	title := regexp.MustCompile(`<title>(.*?)</title>`).FindString(got)
	if strings.Contains(title, "'pwned' ") || strings.Contains(title, ">pwned<") || strings.Contains(got, "<img") {
		t.Errorf("a name became markup: %s", title)
	}
	if !strings.Contains(got, `\u202egnp.exe`) || strings.Contains(got[:strings.Index(got, `id="rows"`)], "\u202e") {
		t.Error("a name turns text around")
	}
}

// driver uses the page as a person would, of 100,000 rows, and leaves a report.
const driver = `
const wait = (ms) => new Promise((done) => setTimeout(done, ms));
const $ = (id) => document.getElementById(id);
const key = (e, k) => e.dispatchEvent(new KeyboardEvent("keydown", { key: k, bubbles: true, cancelable: true }));
const lines = () => [...document.querySelectorAll(".line")];
const report = { errors: [] };
window.addEventListener("error", (e) => report.errors.push(e.message));
document.addEventListener("securitypolicyviolation", (e) => report.errors.push(e.violatedDirective));
(async () => {
  await wait(50);
  report.shown = $("shown").textContent;
  report.lines = lines().length;
  report.pixels = $("map").width * $("map").height;
  const colours = new Set(), data = $("map").getContext("2d").getImageData(0, 0, $("map").width, $("map").height).data;
  for (let i = 0; i < data.length; i += 4096) colours.add(data[i] << 16 | data[i + 1] << 8 | data[i + 2]);
  report.colours = colours.size;
  $("scroll").focus();
  key($("scroll"), "End");
  await wait(200);
  report.last = lines().at(-1)?.getAttribute("aria-rowindex");
  report.on = document.querySelector(".line.on .name")?.textContent;
  [...document.querySelectorAll("#heads button")].find((b) => b.textContent === "New size").click();
  await wait(200);
  report.largest = lines()[0].querySelector(".name").textContent;
  $("search").value = "file4242.";
  $("search").dispatchEvent(new Event("input"));
  await wait(900);
  report.found = $("shown").textContent;
  report.foundName = lines()[0]?.querySelector(".name").textContent;
  key($("search"), "Escape");
  await wait(300);
  $("map").focus();
  key($("map"), "ArrowRight");
  report.live = $("live").textContent;
  key($("map"), "Enter");
  await wait(300);
  report.detail = $("detail").textContent;
  [...document.querySelectorAll(".chip")].find((b) => b.textContent.startsWith("modified")).click();
  await wait(300);
  report.withoutModified = $("shown").textContent;
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
	const n = 100_000
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
		Lines, Pixels, Colours                   int
		Shown, Last, On, Largest, Found          string
		FoundName, Live, Detail, WithoutModified string
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
		{"all rows are counted", report.Shown == "100,009 changes"},
		{"few lines exist", report.Lines > 5 && report.Lines < 100},
		{"the map has a size", report.Pixels > 100_000},
		{"the map has colours", report.Colours >= 4},
		{"End is the last row", report.Last == "100010" && report.On == "File99999.uasset"},
		{"sorted by size", report.Largest == "File99999.uasset"},
		{"found", report.Found == "1 of 100,009 changes" && report.FoundName == "File4242.uasset"},
		{"the map says where one is", report.Live != ""},
		{"without a kind", report.WithoutModified != report.Shown && strings.HasSuffix(report.WithoutModified, "of 100,009 changes")},
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

// TestPictures: the page has pictures of the textures that changed most, in their rows.
func TestPictures(t *testing.T) {
	var b bytes.Buffer
	w := page.New(&b, "1", "2")
	for i := range 50 {
		picture := image.NewNRGBA(image.Rect(0, 0, 2, 2))
		w.AddPictures([]*semantic.Pictures{{Object: fmt.Sprintf("T_<%d>", i), Text: "differ", Old: picture, New: picture, Weight: float64(i % 45)}})
		f := &diff.File{Path: fmt.Sprintf("T_%d.uasset", i), Size: 1}
		if err := w.Add(&diff.Change{Kind: diff.Modified, Old: f, New: f}, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(b.String(), `id="words">`)
	text, _, _ = strings.Cut(text, "</script>")
	var words struct {
		Pictures     map[string][][]any
		MorePictures int
	}
	if err := json.Unmarshal([]byte(text), &words); err != nil {
		t.Fatal(err)
	}
	if len(words.Pictures) != 40 || words.MorePictures != 10 || words.Pictures["0"] != nil || words.Pictures["44"] == nil {
		t.Errorf("%d rows have pictures, %d are left out", len(words.Pictures), words.MorePictures)
	}
	one := words.Pictures["44"][0]
	if one[0] != "T_<44>" || !strings.HasPrefix(one[2].(string), "data:image/png;base64,") || one[4] != nil {
		t.Errorf("got %v", one)
	}
	if strings.Contains(text, "<") {
		t.Error("names are markup")
	}
}
