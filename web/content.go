package web

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"pakdb/codecs/unreal/media"
	"pakdb/internal/bin"
	"pakdb/internal/picture"
	"pakdb/web/internal/explore"
)

func extension(e *explore.Entry) string { return strings.ToLower(path.Ext(e.Path)) }

func isSound(e *explore.Entry) bool { return extension(e) == ".ogg" || extension(e) == ".wav" }

// textExtensions are files that are text, most likely.
const textExtensions = " .txt .ini .json .xml .csv .lua .cfg .conf .log .md .html .htm .css .js .py .yaml .yml .toml .uplugin .uproject .upluginmanifest .usf .ush .hlsl .glsl .int .uc .srt .po .bat .sh .properties .locmeta "

func isText(e *explore.Entry) bool {
	known := slices.Contains([]string{"text", "json", "xml", "config"}, e.Kind)
	return known || extension(e) != "" && strings.Contains(textExtensions, " "+extension(e)+" ")
}

// isPlain reports whether a content of an unknown format begins as a text.
func (f *file) isPlain(ctx context.Context) bool {
	d, err := f.digest()
	if err != nil {
		return false
	}
	in, _, err := f.contents.Open(ctx, d)
	if err != nil {
		return false
	}
	defer func() { _ = in.Close() }()
	head := make([]byte, 4096)
	n, err := io.ReadFull(in, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return false
	}
	text, encoding := decodeText(head[:n])
	return encoding != latin1 && !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && !strings.ContainsRune("\t\n\f\r", r) })
}

// mostText is how much of a text is shown at once.
const mostText = 1 << 20

// text shows the beginning of a content as text.
func (f *file) text(w http.ResponseWriter, r *http.Request, _ *address) error {
	body, err := f.bytes(r.Context()) // whole: only then it is known to be the one that was scanned
	if err != nil {
		return err
	}
	text, encoding := decodeText(body[:min(mostText, len(body))])
	writeJSON(w, map[string]any{"text": text, "encoding": encoding, "truncated": len(body) > mostText})
	return nil
}

const latin1 = "Latin-1"

// decodeText reads UTF-8 and, by its mark, UTF-16; other bytes are those of Latin-1.
func decodeText(b []byte) (text, encoding string) {
	switch {
	case bytes.HasPrefix(b, []byte("\xff\xfe")):
		return string(bin.Text(b)), "UTF-16, little-endian"
	case bytes.HasPrefix(b, []byte("\xfe\xff")):
		return string(bin.Text(b)), "UTF-16, big-endian"
	}
	whole := b
	for range utf8.UTFMax - 1 { // the cut may go through a character
		if utf8.Valid(whole) || len(whole) == 0 {
			break
		}
		whole = whole[:len(whole)-1]
	}
	if utf8.Valid(whole) {
		return strings.TrimPrefix(string(whole), "\ufeff"), "UTF-8"
	}
	runes := make([]rune, len(b))
	for i, c := range b {
		runes[i] = rune(c)
	}
	return string(runes), latin1
}

// hexPage is how many bytes are shown at once.
const hexPage = 4096

// hex shows bytes of a content.
func (f *file) hex(w http.ResponseWriter, r *http.Request, a *address) error {
	offset, err := a.number("offset", 0, 0, 1<<50)
	if err != nil {
		return err
	}
	body, err := f.bytes(r.Context())
	if err != nil {
		return err
	}
	if offset > 0 && offset >= int64(len(body)) {
		return refuse(http.StatusRequestedRangeNotSatisfiable, "", "the content has %d bytes", len(body))
	}
	page := body[offset:min(offset+hexPage, int64(len(body)))]
	writeJSON(w, map[string]any{"offset": offset, "size": len(body), "bytes": hex.EncodeToString(page), "page": hexPage})
	return nil
}

// download writes the content as a file. What differs from its digest ends early.
func (f *file) download(w http.ResponseWriter, r *http.Request, _ *address) error {
	d, err := f.digest()
	if err != nil {
		return err
	}
	in, size, err := f.contents.Open(r.Context(), d)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	h := w.Header()
	h.Set("Content-Type", "application/octet-stream")
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": downloadName(f.entry)}))
	h.Set("Content-Length", strconv.FormatInt(size, 10))
	h.Set("Cache-Control", "no-store")
	if r.Method == http.MethodHead {
		return nil
	}
	_, err = io.Copy(w, in)
	if err != nil {
		_ = http.NewResponseController(w).SetWriteDeadline(time.Unix(1, 0)) // nobody takes it for all
	}
	return nil
}

func downloadName(e *explore.Entry) string {
	name := path.Base(e.Path)
	if e.Path == "" || name == "/" || name == "." {
		name = fmt.Sprintf("entry-%d", e.Ordinal)
	}
	return name
}

// meaning answers with what the content means, as a tree.
func (f *file) meaning(w http.ResponseWriter, r *http.Request, _ *address) error {
	b, err := f.inBuild(r.Context())
	if err != nil {
		return err
	}
	root, _, err := b.Meaning(r.Context(), f.path())
	return reply(w, root, err)
}

// code is the functions of a package, as people write them.
func (f *file) code(w http.ResponseWriter, r *http.Request, _ *address) error {
	b, err := f.inBuild(r.Context())
	if err != nil {
		return err
	}
	p, err := b.Package(r.Context(), f.path())
	if err != nil {
		return err
	}
	text, err := p.Code()
	return reply(w, map[string]any{"code": string(text)}, err)
}

// picture is a picture of the content, as PNG that was made here.
func (f *file) picture(w http.ResponseWriter, r *http.Request, a *address) error {
	side, err := a.number("side", 1024, 16, 4096)
	if err != nil {
		return err
	}
	number, err := a.number("number", 0, 0, 1<<20)
	if err != nil {
		return err
	}
	mip, err := a.number("mip", -1, 0, 32)
	if err != nil {
		return err
	}
	found, err := f.image(r.Context(), int(number), int(mip), int(side))
	if err != nil {
		return err
	}
	shown := picture.Small(found, int(side))
	if err := keepChannel(shown, a.query.Get("channel")); err != nil {
		return err
	}
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := encoder.Encode(&out, shown); err != nil {
		return err
	}
	writeBody(w, "image/png", out.Bytes())
	return nil
}

// keepChannel leaves one channel of a picture as shades of grey: r, g, b or a; or all but the
// opacity: rgb. "" leaves it as it is.
func keepChannel(p *image.NRGBA, channel string) error {
	at := strings.Index("rgba", channel)
	if channel == "" {
		return nil
	}
	if at < 0 || len(channel) != 1 && channel != "rgb" {
		return refuse(http.StatusBadRequest, "", "channel is one of r, g, b, a, rgb")
	}
	for pixel := range slices.Chunk(p.Pix, 4) {
		if len(channel) == 1 {
			pixel[0], pixel[1], pixel[2] = pixel[at], pixel[at], pixel[at]
		}
		pixel[3] = 255
	}
	return nil
}

// image is a picture of the content: a mip of a texture, or -1 for the one that fits a side.
func (f *file) image(ctx context.Context, number, mip, side int) (image.Image, error) {
	if !media.IsPicture(f.entry.Path, f.entry.Type) {
		return f.texture(ctx, number, mip, side)
	}
	body, err := f.bytes(ctx)
	if err != nil {
		return nil, err
	}
	return media.Picture(f.entry.Path, f.entry.Type, body, side)
}

// mostPixels bounds a mip that is decoded.
const mostPixels = 1 << 24

// texture is one of the textures of a package, by its number.
func (f *file) texture(ctx context.Context, number, mip, side int) (image.Image, error) {
	p, err := f.media(ctx)
	if err != nil {
		return nil, err
	}
	i := nth(p, number, media.IsTexture)
	if i < 0 {
		return nil, fmt.Errorf("%w: no such texture in it", fs.ErrNotExist)
	}
	t, err := p.Texture(i)
	if err != nil {
		return nil, err
	}
	if mip < 0 {
		found, _, err := p.Small(t, 0, side)
		return found, err
	}
	if mip >= len(t.Mips) || t.Mips[mip].Width*t.Mips[mip].Height > mostPixels {
		return nil, refuse(http.StatusNotFound, "", "no mip %d of at most %d pixels", mip, mostPixels)
	}
	found, _, err := p.Picture(t, media.Which{Mip: mip})
	return found, err
}

// nth returns the export that is one of a kind of class, by its number among them; -1 for none.
func nth(p *media.Package, number int, isOne func(class string) bool) int {
	for i := range p.Exports {
		if !isOne(p.ClassOf(i)) {
			continue
		}
		if number--; number < 0 {
			return i
		}
	}
	return -1
}

func (f *file) media(ctx context.Context) (*media.Package, error) {
	b, err := f.inBuild(ctx)
	if err != nil {
		return nil, err
	}
	return b.Media(ctx, f.path())
}

// sound is a sound that browsers play; with raw=1 it is any, as a download.
func (f *file) sound(w http.ResponseWriter, r *http.Request, a *address) error {
	number, err := a.number("number", 0, 0, 1<<20)
	if err != nil {
		return err
	}
	raw, err := a.number("raw", 0, 0, 1)
	if err != nil {
		return err
	}
	body, ext, err := f.stream(r.Context(), int(number))
	if err != nil {
		return err
	}
	ext = strings.TrimPrefix(ext, ".")
	kind := map[string]string{"ogg": "audio/ogg", "wav": "audio/wav"}[ext]
	if raw == 1 {
		kind = "application/octet-stream"
		name := strings.TrimSuffix(downloadName(f.entry), path.Ext(f.entry.Path)) + "." + ext
		w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	}
	if kind == "" {
		return refuse(http.StatusUnsupportedMediaType, "download it", "the sound is %s, which browsers do not play", soundName(ext))
	}
	writeBody(w, kind, body)
	return nil
}

// soundName returns the name of a codec that no browser plays, by the extension of its files.
func soundName(ext string) string {
	names := map[string]string{"binka": "Bink Audio", "rada": "RAD Audio", "xma": "XMA", "wem": "Wwise"}
	if name := names[ext]; name != "" {
		return name
	}
	return ext
}

func (f *file) stream(ctx context.Context, number int) (body []byte, ext string, err error) {
	if isSound(f.entry) {
		body, err = f.bytes(ctx)
		return body, extension(f.entry), err
	}
	p, err := f.media(ctx)
	if err != nil {
		return nil, "", err
	}
	i := nth(p, number, media.IsSound)
	if i < 0 {
		return nil, "", fmt.Errorf("%w: no such sound in it", fs.ErrNotExist)
	}
	s, err := p.Sound(i)
	if err != nil {
		return nil, "", err
	}
	body, err = p.Stream(s)
	return body, s.Codec.Ext(), err
}
