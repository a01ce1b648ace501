// Package ui holds the files that browsers get: the page of the explorer, its scripts
// and styles, as plain files. Some of them serve the page of "pakdb diff --format
// html" as well, which [Script] makes one script of.
//
// The files are ES modules without a framework, and go to browsers as they are. The
// editor for SQL alone is built, from parts of others: editor/build.js does that, and its
// result is kept beside it.
package ui

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/hex"
	"html"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

//go:embed *.html *.css *.js editor/editor.js
var files embed.FS

// all are the files by their names, and packed the same as gzip has them.
var all = sync.OnceValue(func() map[string][]byte {
	found := map[string][]byte{}
	for _, pattern := range []string{"*.html", "*.css", "*.js", "editor/editor.js"} {
		names, _ := fs.Glob(files, pattern) // the patterns are right
		for _, name := range names {
			found[path.Base(name)], _ = files.ReadFile(name) // it is there
		}
	}
	return found
})

var packed = sync.OnceValue(func() map[string][]byte {
	found := map[string][]byte{}
	for name, body := range all() {
		var b bytes.Buffer
		w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // it is a level
		_, _ = w.Write(body)                                  // to memory
		_ = w.Close()
		found[name] = b.Bytes()
	}
	return found
})

var digest = sync.OnceValue(func() string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(all())) {
		_, _ = h.Write(append([]byte(name+"\x00"), all()[name]...))
	}
	return hex.EncodeToString(h.Sum(nil)[:10])
})

// File returns a file, nil for none. Nobody may change it.
func File(name string) []byte { return all()[name] }

// Packed returns a file as gzip has it, nil for none.
func Packed(name string) []byte { return packed()[name] }

// Digest returns what changes whenever a file does.
func Digest() string { return digest() }

// Kind returns the type of a file for HTTP, "" for what is not served by its name.
func Kind(name string) string {
	switch path.Ext(name) {
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	}
	return ""
}

var (
	importLine = regexp.MustCompile(`(?m)^import .*;\n`)
	exportWord = regexp.MustCompile(`(?m)^export `)
)

// Head returns the beginning of a page that needs nothing else, up to its body: a policy admits
// that style and script alone, by their hashes, and pictures that are on the page.
func Head(title, style, script string) string {
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
	}
	return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src '` + hash(script) + `'; style-src '` + hash(style) + `'; img-src data:; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>` + html.EscapeString(title) + `</title>
<style>` + style + `</style>
</head>
`
}

// Script returns modules as one script, in an order in which each uses those before it
// alone. Their names must be as one module's.
func Script(names ...string) string {
	var b strings.Builder
	b.WriteString("\"use strict\";\n{\n")
	for _, name := range names {
		text := importLine.ReplaceAllString(string(File(name)), "")
		b.WriteString(exportWord.ReplaceAllString(text, ""))
	}
	b.WriteString("}\n")
	return b.String()
}
