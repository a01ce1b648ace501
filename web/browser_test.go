package web_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"pakdb/codecs/all"
	"pakdb/codecs/codecstest"
	"pakdb/indexer"
	"pakdb/internal/testkit"
	"pakdb/internal/testkit/schematest"
	"pakdb/schema"
)

// browser is a page of a headless Chromium, driven through a pipe: the protocol of its
// developer tools, messages of JSON that end in a zero byte. Tests share the process, which
// takes seconds to start, and have a profile each.
type browser struct {
	t       *testing.T
	in      *os.File
	end     func()
	session string
	origin  string

	mu      sync.Mutex
	last    int
	waiting map[int]chan reply
	wrong   []string // errors of scripts, of the policy, requests to elsewhere
}

// reply is the answer to a call.
type reply struct {
	result json.RawMessage
	error  *failure
}

type failure struct{ Message string }

var shared *browser // nil: not started

// TestMain ends the browser that tests share.
func TestMain(m *testing.M) {
	if catalog := os.Getenv(servedCatalog); catalog != "" {
		serveAlone(catalog)
		return
	}
	code := testkit.Main(m)
	if shared != nil {
		shared.end()
	}
	os.Exit(code)
}

// openBrowser opens the server's pages in a browser, or skips the test.
func openBrowser(t *testing.T, server *httptest.Server, width, height int) *browser {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser takes seconds")
	}
	if shared == nil {
		shared = startBrowser(t)
	}
	b := shared
	b.t, b.origin, b.wrong = t, server.URL, nil
	var profile struct{ BrowserContextID string }
	b.call("Target.createBrowserContext", nil, &profile)
	t.Cleanup(func() {
		b.mu.Lock()
		b.session = ""
		b.mu.Unlock()
		b.call("Target.disposeBrowserContext", map[string]any{"browserContextId": profile.BrowserContextID}, nil)
	})
	var target struct{ TargetID string }
	b.call("Target.createTarget", map[string]any{"url": "about:blank", "browserContextId": profile.BrowserContextID, "width": width, "height": height}, &target)
	var attached struct{ SessionID string }
	b.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	b.mu.Lock()
	b.session = attached.SessionID
	b.mu.Unlock()
	for _, domain := range []string{"Page", "Runtime", "Log", "Network", "Accessibility"} {
		b.call(domain+".enable", nil, nil)
	}
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}, nil)
	return b
}

// startBrowser starts a browser without a page, or skips the test.
func startBrowser(t *testing.T) *browser {
	t.Helper()
	var path string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		t.Skip("no Chromium on this machine: apt-get install chromium")
	}
	theirIn, ourOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ourIn, theirOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	profile, err := os.MkdirTemp("", "browser")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--disable-extensions", "--remote-debugging-pipe", "--user-data-dir="+profile, "--no-startup-window")
	cmd.ExtraFiles = []*os.File{theirIn, theirOut}
	cmd.WaitDelay = 10 * time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_, _ = theirIn.Close(), theirOut.Close()
	b := &browser{t: t, in: ourOut, waiting: map[int]chan reply{}}
	read := make(chan struct{})
	go func() { defer close(read); b.read(ourIn) }()
	b.end = func() {
		_, _ = b.in.WriteString("{\"id\":0,\"method\":\"Browser.close\"}\x00")
		ended := time.AfterFunc(10*time.Second, func() { _ = cmd.Process.Kill() })
		_ = cmd.Wait()
		ended.Stop()
		_, _ = b.in.Close(), ourIn.Close()
		<-read
		for range 100 { // some of its processes end later
			if os.RemoveAll(profile) == nil {
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
	return b
}

// read takes answers to calls, and notes what must not happen.
func (b *browser) read(from *os.File) {
	messages := bufio.NewReader(from)
	for {
		text, err := messages.ReadBytes(0)
		if err != nil {
			return
		}
		var m struct {
			ID        int
			Method    string
			SessionID string
			Result    json.RawMessage
			Error     *failure
			Params    struct {
				Request          struct{ URL string }
				Entry            struct{ Level, Text, URL string }
				Type             string
				ExceptionDetails struct {
					Text      string
					Exception struct{ Description string }
				}
			}
		}
		if json.Unmarshal(text[:len(text)-1], &m) != nil {
			continue
		}
		b.mu.Lock()
		if m.SessionID != b.session { // an event of the page of another test
			m.Method = ""
		}
		switch p := &m.Params; m.Method {
		case "Network.requestWillBeSent":
			if u := p.Request.URL; !strings.HasPrefix(u, b.origin+"/") && !strings.HasPrefix(u, "data:") && !strings.HasPrefix(u, "blob:"+b.origin) && u != "about:blank" {
				b.wrong = append(b.wrong, "a request to "+u)
			}
		case "Log.entryAdded":
			if p.Entry.Level == "error" {
				b.wrong = append(b.wrong, p.Entry.Text+" "+p.Entry.URL)
			}
		case "Runtime.exceptionThrown":
			b.wrong = append(b.wrong, p.ExceptionDetails.Text+" "+p.ExceptionDetails.Exception.Description)
		case "Runtime.consoleAPICalled":
			if p.Type == "error" {
				b.wrong = append(b.wrong, "console: "+string(text))
			}
		}
		if waits := b.waiting[m.ID]; m.ID != 0 && waits != nil {
			delete(b.waiting, m.ID)
			waits <- reply{m.Result, m.Error}
		}
		b.mu.Unlock()
	}
}

func (b *browser) call(method string, params any, result any) {
	b.t.Helper()
	b.mu.Lock()
	b.last++
	id, answer := b.last, make(chan reply, 1)
	b.waiting[id] = answer
	b.mu.Unlock()
	message := map[string]any{"id": id, "method": method}
	if params != nil {
		message["params"] = params
	}
	if b.session != "" {
		message["sessionId"] = b.session
	}
	text, err := json.Marshal(message)
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.in.Write(append(text, 0)); err != nil {
		b.t.Fatal(err)
	}
	select {
	case got := <-answer:
		if got.error != nil {
			b.t.Fatalf("%s: %s", method, got.error.Message)
		}
		if result != nil {
			if err := json.Unmarshal(got.result, result); err != nil {
				b.t.Fatalf("%s: %v", method, err)
			}
		}
	case <-time.After(time.Minute):
		b.t.Fatalf("%s: no answer", method)
	}
}

// eval returns the value of an expression, which may be a promise.
func (b *browser) eval(expression string) any {
	b.t.Helper()
	var got struct{ Result struct{ Value any } }
	b.call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true}, &got)
	return got.Result.Value
}

func (b *browser) text(expression string) string {
	b.t.Helper()
	s, _ := b.eval(expression).(string)
	return s
}

// until waits for an expression to be true.
func (b *browser) until(what, expression string) {
	b.t.Helper()
	for range 600 {
		if b.eval("Boolean("+expression+")") == true {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	b.fine()
	b.t.Fatalf("waited in vain: %s; at %s: %.600s", what, b.text("location.href"), b.text("document.body.innerText"))
}

// open goes to an address, as a person who types it does.
func (b *browser) open(address string) {
	b.t.Helper()
	b.call("Page.navigate", map[string]any{"url": b.origin + address}, nil)
	b.until(address+" is shown", `document.body?.ariaBusy === "false"`)
}

// press types a key.
func (b *browser) press(key string, modifiers int) {
	b.t.Helper()
	code := map[string]int{"Enter": 13, "Escape": 27, "ArrowDown": 40, "ArrowRight": 39, "Backspace": 8, "End": 35, "Tab": 9}[key]
	event := map[string]any{"type": "keyDown", "key": key, "code": key, "windowsVirtualKeyCode": code, "modifiers": modifiers}
	if len(key) == 1 {
		event["text"] = key
	}
	if key == "Enter" {
		event["text"] = "\r"
	}
	b.call("Input.dispatchKeyEvent", event, nil)
	event["type"] = "keyUp"
	delete(event, "text")
	b.call("Input.dispatchKeyEvent", event, nil)
}

// named fails for controls without a name in the accessibility tree.
func (b *browser) named() {
	b.t.Helper()
	var tree struct {
		Nodes []struct {
			Ignored    bool
			Role, Name struct{ Value any }
		}
	}
	b.call("Accessibility.getFullAXTree", nil, &tree)
	roles := []string{"button", "link", "textbox", "searchbox", "combobox", "checkbox", "slider", "application", "table", "tab", "navigation", "progressbar"}
	controls := 0
	for _, n := range tree.Nodes {
		role, _ := n.Role.Value.(string)
		name, _ := n.Name.Value.(string)
		if n.Ignored || !slices.Contains(roles, role) {
			continue
		}
		controls++
		if strings.TrimSpace(name) == "" {
			b.t.Errorf("%s: a %s has no name", b.text("location.pathname"), role)
		}
	}
	if controls < 5 {
		b.t.Errorf("%s: only %d controls", b.text("location.pathname"), controls)
	}
}

// fine fails for what went wrong since the last call.
func (b *browser) fine() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, w := range b.wrong {
		b.t.Errorf("%.500s", w)
	}
	b.wrong = nil
}

func TestExplorerInBrowser(t *testing.T) {
	catalog, _ := scanned(t)
	s := serve(t, catalog, nil)
	b := openBrowser(t, s, 1300, 900)

	b.open("/")
	b.named()
	if got := b.text(`document.querySelector("table tbody a").textContent`); got != "1.1" {
		t.Errorf("the newest build is %q", got)
	}
	b.eval(`document.querySelector("table tbody a").click()`)
	b.until("the folders", `location.pathname === "/b/1.1/tree" && document.querySelectorAll(".line").length > 2`)
	b.named()
	if got := b.eval(`(() => { const c = document.getElementById("map"), d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data, all = new Set();
		for (let i = 0; i < d.length; i += 4096) all.add(d[i] << 16 | d[i + 1] << 8 | d[i + 2]); return all.size; })()`); got.(float64) < 3 {
		t.Errorf("the map has %v colours", got)
	}
	// From the root to a leaf by keys alone, and back.
	steps := 0
	for ; steps < 10 && !strings.Contains(b.text("location.pathname"), "/file/"); steps++ {
		b.until("the list", `document.querySelector("#scroll .line")`)
		b.press("l", 0)
		b.press("ArrowDown", 0)
		before := b.text("location.href")
		b.press("Enter", 0)
		b.until("one step down", fmt.Sprintf(`location.href !== %q && document.body.ariaBusy === "false"`, before))
	}
	if steps < 2 || steps == 10 {
		t.Errorf("%d steps to a file", steps)
	}
	b.until("the history", `document.querySelector("[aria-label=History] table")`)
	b.named()
	b.eval(`document.querySelector("main.file").remembered = 1; history.back()`)
	b.until("the folder again", `document.querySelector("main.tree .line")`)
	b.press("l", 0)
	b.press("Backspace", 0)
	b.until("the folder above", `document.querySelector("main.tree .line") && document.body.ariaBusy === "false"`)

	// The map: a click goes in, Backspace goes out.
	b.open("/b/1.1/tree")
	b.until("the map is drawn", `document.querySelector(".legend span")`)
	b.eval(`(() => { const c = document.getElementById("map"), r = c.getBoundingClientRect(); c.dispatchEvent(new MouseEvent("click", { clientX: r.left + r.width / 3, clientY: r.top + 8, bubbles: true })); })()`)
	b.until("a folder of the map", `location.pathname !== "/b/1.1/tree" && document.querySelector("main.tree .line")`)
	b.until("the page", `document.body.ariaBusy === "false"`)
	b.until("its map is drawn", `document.querySelector(".legend span")`)
	b.press("m", 0)
	b.press("ArrowRight", 0)
	if b.text(`document.querySelector("[aria-live]").textContent`) == "" {
		t.Error("the map does not say what is marked")
	}
	b.press("Backspace", 0)
	b.until("the root", `location.pathname === "/b/1.1/tree"`)

	// Sorting is in the address, and lasts.
	b.open("/b/1.1/tree/Calligraphy")
	b.eval(`[...document.querySelectorAll("#heads button")].find((h) => h.textContent === "Decoded").click()`)
	b.until("the order in the address", `location.search === "?sort=size"`)
	b.open("/b/1.1/tree/Calligraphy?sort=size")
	if got := b.text(`document.querySelector("#heads [aria-sort=descending]").textContent`); got != "Decoded" {
		t.Errorf("sorted by %q", got)
	}

	// Searching by keys alone.
	b.press("/", 0)
	b.call("Input.insertText", map[string]any{"text": "curve"}, nil)
	b.press("Enter", 0)
	b.until("answers", `location.pathname === "/b/1.1/search" && document.querySelectorAll(".hit a").length > 0`)
	b.named()

	// SQL by keys alone: the statement, its rows, the file of them.
	b.press("Escape", 0)
	b.press("s", 0)
	b.until("the page for SQL", `location.pathname === "/sql" && document.activeElement?.matches(".cm-content")`)
	b.named()
	b.call("Input.insertText", map[string]any{"text": "SELECT path, size FROM entries WHERE build = :build ORDER BY size DESC"}, nil)
	b.press("Enter", 2)
	b.until("rows", `document.querySelectorAll("main [role=row]:has([role=gridcell])").length > 5`)
	if got := b.text(`location.search`); !strings.Contains(got, "SELECT") {
		t.Errorf("the address does not have the statement: %s", got)
	}
	if got := b.text(`fetch([...document.querySelectorAll("a")].find((a) => a.textContent === "CSV").href).then((r) => r.text())`); !strings.HasPrefix(got, "path,size\n") {
		t.Errorf("CSV %.100q", got)
	}
	b.open("/q/largest?p.limit=3")
	b.until("rows of a named query", `document.querySelectorAll("main [role=row]:has([role=gridcell])").length === 3`)
	b.fine()
	b.open("/sql?sql=" + url.QueryEscape("SELECT nothing FROM entries"))
	b.until("the error", `document.querySelector("[role=alert]")?.textContent.includes("nothing")`)
	b.mu.Lock()
	b.wrong = slices.DeleteFunc(b.wrong, func(w string) bool { return strings.Contains(w, "400 (Bad Request)") }) // the browser tells of it
	b.mu.Unlock()

	// Light and dark.
	before := b.text(`getComputedStyle(document.body).backgroundColor`)
	b.press("Escape", 0)
	b.eval(`document.activeElement.blur()`)
	b.press("t", 0)
	if after := b.text(`getComputedStyle(document.body).backgroundColor`); after == before {
		t.Error("t does not change the theme")
	}
	b.open("/b/1.1/path/Calligraphy/Powers/Curves/DamageByRank.curve")
	b.until("the curve", `document.querySelectorAll("[role=tabpanel] svg circle").length > 3`)
	b.eval(`document.querySelector("[role=tab]:nth-child(2)").click()`)
	b.until("another tab in the address", `location.search.startsWith("?show=")`)
	b.open("/patch/1.1...1.1")
	b.named()
	b.open("/compare/1.1...1.1")
	b.named()
	b.open("/b/1.1/problems")
	b.named()
	b.open("/b/1.1/archives")
	b.named()
	b.fine()
}

// TestMeaningInBrowser opens what is known of files of an Unreal game.
func TestMeaningInBrowser(t *testing.T) {
	testkit.OnlyDeep(t)
	b := openBrowser(t, serve(t, harbor(t), nil), 1300, 900)
	panel := func(what string) string {
		return `document.querySelector("[role=tabpanel]")?.textContent.includes(` + strconv.Quote(what) + `)`
	}
	tab := func(name string) string {
		return `[...document.querySelectorAll("[role=tab]")].find((t) => t.textContent === ` + strconv.Quote(name) + `).click()`
	}
	b.open("/b/1.1/path/Harbor/Content/Data/DT_Weapons.uasset")
	b.until("a table", panel("Storm Lantern"))
	if got := b.text(`[...document.querySelectorAll("[role=tabpanel] .fresh")].map((v) => v.title).filter((t) => t.includes("→")).join("; ")`); got != "24 (1.0) → 27 (1.1); 38 (1.0) → 34 (1.1); 420 (1.0) → 460 (1.1); 0.4 (1.0) → 0.45 (1.1)" {
		t.Errorf("what changed is marked by %q", got)
	}
	b.eval(`document.querySelector("[title^='24 (1.0)']").click()`)
	b.until("the line over all builds", `document.querySelectorAll("[aria-label='History of DT_Weapons[BoatHook].Damage'] svg circle").length === 2`)
	b.eval(`document.querySelector("[role=tabpanel] input[type=checkbox]").click()`)
	b.until("rows that changed", `document.querySelectorAll("[role=tabpanel] tbody tr").length === 4 && location.search === "?changed=1"`)
	b.eval(tab("Values"))
	b.until("values that changed", panel("Before")+` && document.querySelectorAll("table.origins tbody tr").length === 9`)
	b.eval(`document.querySelector("[role=tabpanel] input[type=checkbox]").click()`)
	b.until("all values", panel("DT_Weapons.RowStruct"))
	b.open("/b/1.1/path/Harbor/Content/Localization/Game/fr/Game.locres")
	b.until("texts", panel("Lanterne-tempête")+" && "+panel("language fr"))
	b.named()
	b.open("/b/1.1/path/Harbor/Content/Data/C_Tide.uasset")
	b.until("a curve", panel("7 points")+` && document.querySelector("[role=tabpanel] svg")`)
	b.open("/b/1.1/path/Harbor/Content/Textures/T_Sign.uasset")
	b.until("a picture", `document.querySelector("[role=tabpanel] img")?.naturalWidth === 64`)
	b.eval(`(() => { const c = [...document.querySelectorAll("[role=tabpanel] select")].find((s) => s.parentElement.textContent.startsWith("mip")); c.value = "2"; c.dispatchEvent(new Event("change")); })()`)
	b.until("a smaller mip", `document.querySelector("[role=tabpanel] img")?.naturalWidth === 16`)
	b.open("/b/1.1/tree/Harbor/Content/Textures?see=pictures")
	b.until("a grid of pictures", `document.querySelector("#thumbs img")?.naturalWidth === 64 && document.getElementById("grid").hidden`)
	b.press("/", 0)
	b.call("Input.insertText", map[string]any{"text": "DT_Weap"}, nil)
	b.until("what is found so far", `document.querySelector(".hints a")?.textContent.startsWith("DT_Weapons.uasset")`)
	b.press("ArrowDown", 0)
	b.press("Enter", 0)
	b.until("the file", `document.querySelector("main.file h1")?.textContent.includes("DT_Weapons")`)
	b.open("/b/1.1/graph?path=Harbor/Content/Blueprints/BP_Door.uasset")
	b.until("boxes with classes, and one of the engine", `[...document.querySelectorAll("svg.graph text")].some((t) => t.textContent.startsWith("BlueprintGeneratedClass")) && document.querySelector("svg.graph .outside .name")?.textContent === "2 packages of the engine"`)
	b.open("/b/1.1/path/Harbor/Content/Textures/T_Sign.uexp")
	b.until("the asset", `document.querySelector(".sub")?.textContent.startsWith("Texture2D · 64 x 64, DXT1, 7 mips · 3.76 KiB in 2 files") && document.querySelector("h1").textContent.includes("T_Sign.uasset")`)
	b.until("history of its pixels", `document.querySelector("[aria-label=History]").textContent.includes("modified .uexp")`)
	b.open("/b/1.1/path/Harbor/Content/Blueprints/BP_Door.uasset")
	b.until("defaults", panel("Speed"))
	b.eval(`document.querySelector("[aria-label='1.1: history of BP_Door.Speed']").click()`)
	b.until("what they were", panel("120")+" && "+panel("150"))
	b.eval(tab("Code"))
	b.until("code", panel("if (!self.bLocked) {"))
	b.open("/compare/1.0...1.1?q=DT_Weapons")
	b.until("a table of rows that changed", `document.querySelector("article")?.innerText.includes("24 → 27")`)
	if got := b.text(`document.querySelector(".said").textContent`); got != "5 values: Damage 24 → 27, Damage 38 → 34, Cost 420 → 460, …" {
		t.Errorf("the summary is %q", got)
	}
	if got := b.text(`[...document.querySelectorAll("table.grid tbody th")].map((h) => h.textContent).join()`); got != "BoatHook,Flare,Harpoon,+ Lantern" {
		t.Errorf("rows %q", got)
	}
	b.named()
	// A change has an address, n and p step, and the browser remembers what was viewed.
	b.open("/compare/1.0...1.1?at=" + url.QueryEscape("Harbor/Content/Textures/T_Sign.uasset")) // of which the .uexp changed
	b.until("the asset of an address", `document.querySelector("article.on h2")?.textContent === "T_Sign"`)
	b.open("/compare/1.0...1.1?at=" + url.QueryEscape("Harbor/Content/Data/C_Tide.uexp"))
	b.until("both curves", `document.querySelector("article.on")?.querySelectorAll(".chart polyline").length === 2`)
	b.press("n", 0)
	b.until("the next", `document.querySelector("article.on h2").textContent === "DT_Weapons" && location.search.includes("DT_Weapons")`)
	b.press("v", 0)
	b.press("p", 0)
	b.until("the one before", `document.querySelector("article.on h2").textContent === "C_Tide"`)
	b.open("/compare/1.0...1.1?under=" + url.QueryEscape("Harbor/Content/Data"))
	b.until("two changes, one viewed", `document.querySelectorAll("article").length === 2 && document.querySelectorAll("article.seen").length === 1`)
	if got := b.text(`document.getElementById("kinds").textContent`); !strings.Contains(got, "modified 2") {
		t.Errorf("the counts do not follow the folder: %s", got)
	}
	b.fine()
}

// TestComparisonInBrowser opens what changed between two releases of a real mod.
func TestComparisonInBrowser(t *testing.T) {
	dir := t.TempDir()
	catalog := schematest.Write(t, func(c *schema.Catalog) {
		for _, build := range []string{"old", "new"} {
			at := filepath.Join(dir, build, "mod_P.pak")
			body, err := os.ReadFile(codecstest.Sample(t, "unreal-pak", "pairs", "sandboxutilities_"+build+"_P.pak"))
			if err == nil {
				err = os.MkdirAll(filepath.Dir(at), 0o700)
			}
			if err == nil {
				err = os.WriteFile(at, body, 0o600)
			}
			if err == nil {
				_, err = indexer.Run(t.Context(), indexer.Options{Catalog: c, Registry: all.Registry(), Label: build, Paths: []string{filepath.Dir(at)}})
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	})
	b := openBrowser(t, serve(t, catalog, nil), 1300, 900)
	b.open("/compare/old...new?q=LOG_State")
	b.until("one change", `document.querySelectorAll("article").length === 1`)
	b.until("its class", `document.querySelector("article .class").textContent === "WidgetBlueprintGeneratedClass"`)
	b.until("values and code", `["Mods/Logger", "LoadGameFromSlot"].every((w) => document.querySelector("article").textContent.includes(w))`)
	b.open("/compare/old...new?by=class&under=WidgetBlueprintGeneratedClass")
	b.until("changes of a class", `document.querySelectorAll("article").length === 6`)
	b.named()
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": false}, nil)
	b.open("/compare/old...new")
	b.until("a change in the upper third of a phone", `document.querySelector("article")?.getBoundingClientRect().top < 844 / 3`)
	b.call("Emulation.clearDeviceMetricsOverride", nil, nil)
	b.open("/b/new/path/_AssemblyStorm/Common/Logger/LOG_State.uasset")
	b.eval(`[...document.querySelectorAll("[role=tab]")].find((t) => t.textContent === "Code").click()`)
	b.until("a link in the code", `document.querySelector("[role=tabpanel] pre a")`)
	b.eval(`document.querySelector("[role=tabpanel] pre a").click()`)
	b.until("the file that it names", `document.title.startsWith("LOG_Save.uasset")`)
	b.open("/patch/old...new?only=**/Logger/**")
	b.until("what the patch hides", `/mod_P.pak\s*2$/m.test([...document.querySelectorAll("section")].find((e) => e.querySelector("h2")?.textContent === "What it hides")?.innerText)`)
	b.fine()
}

// TestHostileNamesInBrowser shows all names on all pages: none becomes markup.
func TestHostileNamesInBrowser(t *testing.T) {
	testkit.OnlyDeep(t)
	s := serve(t, evil(t), nil)
	b := openBrowser(t, s, 390, 800)
	build := url.PathEscape(labels()[1])
	pages := []string{"/", "/b/" + build + "/tree", "/b/" + build + "/archives", "/b/" + build + "/search?q=script", "/compare/" + url.PathEscape(strings.Join(labels(), "...")),
		"/sql?sql=" + url.QueryEscape("SELECT build, path FROM entries")}
	var folder list
	ask(t, s, "/b/"+build+"/tree.json").json(t, &folder)
	for _, row := range folder.Rows {
		if row[0] == "folder" {
			pages = append(pages, "/b/"+build+"/tree?path="+url.QueryEscape(row[1].(string)))
		} else {
			pages = append(pages, fmt.Sprintf("/b/%s/file/%s/%v", build, url.PathEscape(row[6].(string)), row[7]))
		}
	}
	for _, page := range append(pages[:6:6], testkit.Some(pages[6:], 3)...) {
		b.open(page)
		if page == "/" {
			b.named()
		}
		if title := b.text("document.title"); title == "pwned" || strings.Contains(title, "\u202e") {
			t.Errorf("%s: title %q", page, title)
		}
		if b.eval(`Boolean(document.querySelector("img[onerror], main script"))`) == true {
			t.Errorf("%s: a name became markup", page)
		}
		if strings.Contains(b.text("document.body.innerText"), "\u202e") {
			t.Errorf("%s: a name turns text around", page)
		}
		if wide := b.eval("document.documentElement.scrollWidth - innerWidth"); wide.(float64) > 0 {
			t.Errorf("%s: %v pixels wider than a phone", page, wide)
		}
	}
	b.mu.Lock()
	b.wrong = slices.DeleteFunc(b.wrong, func(w string) bool { return strings.Contains(w, "404 (Not Found)") }) // the contents of made entries
	b.mu.Unlock()
	b.fine()
}

// TestPagesAreAccessible has axe-core look at all pages, light and dark: it finds nothing.
// PAKDB_NODE names a folder with node_modules, of the packages in query/testdata/node.
func TestPagesAreAccessible(t *testing.T) {
	axe, err := os.ReadFile(filepath.Join(os.Getenv("PAKDB_NODE"), "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		t.Skip("PAKDB_NODE names no folder with axe-core")
	}
	b := openBrowser(t, serve(t, twoBuilds(t, "Harbor.pak", "Harbor_next.pak", "Calligraphy.sip", "Calligraphy_next.sip"), nil), 1300, 900)
	at := "/b/1.1/path/Harbor/Content/"
	door := "/compare/1.0...1.1?at=" + url.QueryEscape("Harbor/Content/Blueprints/BP_Door.uasset")
	for _, theme := range []string{"light", "dark"} {
		b.call("Emulation.setEmulatedMedia", map[string]any{"features": []any{map[string]any{"name": "prefers-color-scheme", "value": theme}}}, nil)
		for _, page := range [][2]string{ // and until when it is not complete
			{"/"}, {"/b/1.1/tree/Harbor/Content", `document.querySelector(".legend button")`}, {at + "Textures/T_Sign.uasset", `document.querySelector("[role=tabpanel] img")`},
			{at + "Data/DT_Weapons.uasset", `document.querySelector("[role=tabpanel] table")`}, {at + "Data/DT_Weapons.uasset?show=blame", `document.querySelector("table.origins")`}, {at + "Data/C_Tide.uasset", `document.querySelector("[role=tabpanel] svg")`},
			{at + "Blueprints/BP_Door.uasset?show=code", `document.querySelector("[role=tabpanel] pre")`}, {at + "Audio/Bell.wav", `document.querySelector("audio")`},
			{"/b/1.1/search?q=Harbor/Content/Data/DT_Weapons.uasset", `document.querySelector("mark")`}, {"/b/1.1/problems"}, {"/b/1.1/archives"}, {"/b/1.1/graph?path=Harbor/Content/Data/DT_Weapons.uasset", `document.querySelector("svg a")`},
			{"/compare/1.0...1.1", `document.querySelector("article .said:not(:empty)")`}, {door, `document.querySelector("article.on .hunk")`}, {"/patch/1.0...1.1"},
			{"/sql?sql=" + url.QueryEscape("SELECT path, size FROM entries"), `document.querySelector("[role=gridcell]")`}, {"/q/largest", `document.querySelector("[role=gridcell]")`}, {"/nothing"},
		} {
			b.open(page[0])
			if page[1] != "" {
				b.until("all of "+page[0], page[1])
			}
			b.eval(`for (const fold of document.querySelectorAll("article button[aria-expanded=false]")) fold.click()`) // what is technical
			b.eval(string(axe) + ";0")
			found := b.text(`axe.run(document).then((r) => r.violations.map((v) => v.id + ": " + v.nodes.slice(0, 3).map((n) => n.target.join(" ")).join(", ")).join("\n"))`)
			if found != "" {
				t.Errorf("%s, %s:\n%s", page[0], theme, found)
			}
		}
	}
}

// TestManyRowsInBrowser scrolls to the last of many files in one folder.
func TestManyRowsInBrowser(t *testing.T) {
	testkit.OnlyDeep(t)
	const n = 50_000
	catalog := schematest.Write(t, func(c *schema.Catalog) {
		schematest.Build(t, c, "1", func(b *schema.Build) {
			entries := make([]schema.Entry, n)
			for i := range entries {
				entries[i] = entryOf(fmt.Sprintf("all/File%06d.uasset", i))
			}
			schematest.Mount(t, b, "a.pak", entries...)
		})
	})
	s := serve(t, catalog, nil)
	b := openBrowser(t, s, 1000, 700)
	b.open("/b/1/tree/all")
	b.press("l", 0)
	b.press("End", 0)
	b.until("the last row", fmt.Sprintf(`[...document.querySelectorAll(".line")].at(-1)?.textContent.includes("File%06d")`, n-1))
	if lines := b.eval(`document.querySelectorAll(".line").length`); lines.(float64) > 100 {
		t.Errorf("%v lines exist", lines)
	}
	b.fine()
}

// TestTokenInBrowser: the page asks for the token, and goes on with it.
func TestTokenInBrowser(t *testing.T) {
	catalog, _ := scanned(t)
	s := serve(t, catalog, withToken)
	b := openBrowser(t, s, 800, 600)
	b.open("/b/1.1/tree")
	b.call("Input.insertText", map[string]any{"text": "0123456789abcdef"}, nil)
	b.eval(`document.querySelector("form.problem input").value = "0123456789abcdef"; document.querySelector("form.problem button").click()`)
	b.until("the folders", `document.querySelector("main.tree .line")`)
	if b.eval(`document.cookie`) != "" {
		t.Error("scripts can read the token")
	}
	if got := ask(t, s, "/b/1.1/tree.json"); got.StatusCode != http.StatusUnauthorized {
		t.Errorf("without it: %s", got.Status)
	}
}
