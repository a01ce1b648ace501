package web_test

import (
	"testing"

	"pakdb/codecs/all"
	"pakdb/codecs/codecstest"
	"pakdb/indexer"
	"pakdb/internal/testkit"
	"pakdb/internal/testkit/schematest"
	"pakdb/schema"
)

// TestSoundsInBrowser: sounds play as they are served, and one that browsers do not play has
// a sentence and the download.
func TestSoundsInBrowser(t *testing.T) {
	testkit.OnlyDeep(t)
	paths := []string{codecstest.Sample(t, "iostore", "cue4parse-ue5.8", "Zlib"), codecstest.Sample(t, "iostore", "cue4parse-ue5.8", "global.utoc")}
	catalog := schematest.Write(t, func(c *schema.Catalog) {
		if _, err := indexer.Run(t.Context(), indexer.Options{Catalog: c, Registry: all.Registry(), Label: "1", Paths: paths}); err != nil {
			t.Fatal(err)
		}
	})
	b := openBrowser(t, serve(t, catalog, nil), 1300, 900)
	for _, codec := range []string{"Opus", "ProjectDefined", "ADPCM"} { // the second is Vorbis, the third PCM
		b.open("/b/1/path/Audio/SW_Format_" + codec + ".uasset")
		b.until("the player of "+codec, `document.querySelector("audio")`)
		b.eval(`document.querySelector("audio").preload = "auto"`)
		b.until(codec+" can play", `document.querySelector("audio").readyState >= 3 && Math.abs(document.querySelector("audio").duration - 2) < 0.1`)
	}
	b.fine()
	b.open("/b/1/path/Audio/SW_Format_BinkAudio.uasset")
	b.until("the sentence", `document.querySelector("[role=tabpanel]").textContent.includes("the sound is Bink Audio, which browsers do not play: download")`)
	b.until("the download", `document.querySelector("[role=tabpanel] a[download]").href.includes("raw=1")`)
}
