package web_test

import (
	"net/url"
	"testing"

	"pakdb/query/portable/portabletest"
	"pakdb/schema/schematest"
)

// TestCopiesInBrowser goes through the pages of copies: nothing leads to what they lack.
func TestCopiesInBrowser(t *testing.T) {
	s, client := serveCopies(t, portabletest.Engine(t, ".."), nil)
	b := openBrowser(t, s, 1300, 900)
	if err := client.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.open("/")
	if got := b.text(`document.querySelector("main pre").textContent`); got != "pakdb push 1.0 --to clickhouse://HOST/DATABASE" {
		t.Errorf("without a build: %q", got)
	}
	db := schematest.Open(t, trickyCatalog(t))
	for _, label := range []string{"1.0", "1.1", portabletest.Odd, "3.0"} {
		if _, err := client.Push(t.Context(), db, label); err != nil {
			t.Fatal(err)
		}
	}
	lacks := func() {
		t.Helper()
		b.named()
		const to = `[...document.querySelectorAll("a")].map((a) => a.getAttribute("href") ?? "").filter((h) => /^.(compare|patch)|[/]graph|[/]download/.test(h)).join()`
		if got := b.text(to); got != "" {
			t.Errorf("%s leads to %s", b.text("location.pathname"), got)
		}
	}
	for _, address := range []string{"/", "/b/1.1/tree", "/b/1.1/archives", "/b/1.1/problems", "/b/1.1/search?q=power", "/b/1.1/search?q=zzz", "/sql", "/q/builds",
		"/b/" + url.PathEscape(portabletest.Odd) + "/tree", "/b/1.1/path/Calligraphy/Powers/Blueprints/Power.blueprint"} {
		b.open(address)
		lacks()
		if b.eval(`document.querySelector("main.failed") !== null`) == true {
			t.Errorf("%s: %s", address, b.text("document.querySelector('main').innerText"))
		}
	}
	b.until("the history", `document.querySelector("[aria-label=History] table")`)
	if b.eval(`document.querySelector("[aria-label=References]") !== null || document.querySelector("main .preview") !== null`) == true {
		t.Error("a file has references or a preview")
	}
	if got := b.eval(`(async () => {
		for (const i of [0, 1, 2]) {
			document.querySelector("header a[href='/sql']").click();
			for (let n = 0; n < 200 && document.querySelectorAll(".example").length < 3; n++) await new Promise((f) => setTimeout(f, 30));
			document.querySelectorAll(".example")[i].click();
			for (let n = 0; n < 200 && !/ rows?/.test(document.querySelector(".sql-status").innerText); n++) await new Promise((f) => setTimeout(f, 30));
			if (!/^[1-9]/.test(document.querySelector(".sql-status").innerText)) return i + ": " + document.querySelector("main").innerText;
			history.back();
			await new Promise((f) => setTimeout(f, 200));
		}
		return true;
	})()`); got != true {
		t.Errorf("example %.600v", got)
	}
	b.fine()
	// What is not there says so.
	b.open("/compare/1.0...1.1")
	if got := b.text("document.querySelector('main').innerText"); got == "" || b.eval(`document.querySelector("main.failed") === null`) == true {
		t.Errorf("a comparison: %q", got)
	}
	b.fine()
}
