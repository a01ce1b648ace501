package archive

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"path"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/codecs"
	"pakdb/codecs/unreal"
	"pakdb/codecs/unreal/media"
	"pakdb/codecs/unreal/zen"
	"pakdb/internal/picture"
	"pakdb/internal/safename"
)

// mediaForms are the forms in which media are written.
func mediaForms() []string { return append(pictureForms(), "wav", "ogg", "audio") }

// pictureForms are those of textures: hdr and exr keep colours that are brighter than white.
func pictureForms() []string { return []string{"png", "hdr", "exr"} }

// isPictureForm reports whether textures are written in a form.
func isPictureForm(form string) bool { return slices.Contains(pictureForms(), form) }

// mediaWord says what forms are of.
func mediaWord(forms ...string) string {
	switch {
	case len(forms) > 1:
		return "textures or sounds of these forms"
	case forms[0] == "png":
		return "textures"
	case isPictureForm(forms[0]):
		return "HDR textures"
	}
	return "sounds of that form"
}

// mediaOptions say what of a texture is shown.
type mediaOptions struct {
	mip, slice int // -1: not set
	side       int // not 0: a picture of sides up to this will do
}

// add gives cmd the flags.
func (o *mediaOptions) add(cmd *cobra.Command) {
	cmd.Flags().IntVar(&o.mip, "mip", o.mip, "mip `N` of a texture, for --as png, hdr and exr")
	cmd.Flags().IntVar(&o.slice, "slice", o.slice, "slice, face or layer `N` of a texture, likewise")
}

// check refuses numbers that mean nothing with a form.
func (o *mediaOptions) check(forms []string) error {
	if o.mip < -1 || o.slice < -1 {
		return fmt.Errorf("%w: --mip and --slice count from 0", cli.ErrUsage)
	}
	if !slices.ContainsFunc(forms, isPictureForm) && (o.mip >= 0 || o.slice >= 0) {
		return fmt.Errorf("%w: --mip and --slice are about --as png, hdr and exr", cli.ErrUsage)
	}
	return nil
}

// surroundings are what lies beside a package.
type surroundings struct {
	open  media.Opener
	named namedPackages
}

// mediaOf returns a package such that its media can be read, until end is called.
func mediaOf(ctx context.Context, p *packages, o *openedPackage, near surroundings) (m *media.Package, end func()) {
	var others []*operand.Content
	m = mediaPackage(o, near.open)
	m.Package = func(name string) (*media.Package, error) {
		c, err := near.named(ctx, name)
		if err != nil {
			return nil, err
		}
		others = append(others, c)
		other, err := p.read(ctx, c)
		if err != nil {
			return nil, err
		}
		return mediaPackage(other, nil), nil
	}
	return m, func() {
		for _, c := range others {
			c.Close()
		}
	}
}

func mediaPackage(o *openedPackage, open media.Opener) *media.Package {
	facts := o.PackageFacts
	if facts.Zen != nil { // global.utoc may be elsewhere
		facts = zen.Resolve(facts, media.ScriptObjects())
	}
	return &media.Package{PackageFacts: facts, Options: o.Options, Bytes: o.Bytes, Open: open}
}

// members returns the textures or sounds of a package, the one that is called as its file
// first.
func members(p *media.Package, path, form string) (all []int) {
	wanted := media.IsTexture
	if !isPictureForm(form) {
		wanted = media.IsSound
	}
	name := unreal.LongName(path)
	name = name[strings.LastIndexByte(name, '/')+1:]
	for i := range p.Exports {
		switch {
		case !wanted(p.ClassOf(i)):
		case strings.EqualFold(p.NameOf(p.Exports[i].Name), name):
			all = append([]int{i}, all...)
		default:
			all = append(all, i)
		}
	}
	return all
}

// product is what a texture or a sound becomes.
type product struct {
	ext   string // of the file, with its point
	note  string // what there is to say about it; "" for nothing
	less  bool   // it is a texture whose largest mips are not there
	write func(io.Writer) error
}

// texturePNG decodes a texture.
func texturePNG(p *media.Package, export int, o *mediaOptions) (*product, error) {
	t, err := p.Texture(export)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.NameOf(p.Exports[export].Name), err)
	}
	var out image.Image
	mip := 0
	if o.side > 0 {
		out, mip, err = p.Small(t, o.slice, o.side)
	} else {
		out, mip, err = p.Picture(t, media.Which{Mip: o.mip, Slice: o.slice})
	}
	if err != nil {
		return nil, ofTexture(t, err)
	}
	if o.side > 0 {
		out = picture.Small(out, o.side)
	}
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	return &product{".png", textureNote(t, o, mip), o.mip < 0 && mip > 0, func(w io.Writer) error { return encoder.Encode(w, out) }}, nil
}

// textureNote says of a texture what of it was not written.
func textureNote(t *media.Texture, o *mediaOptions, mip int) string {
	switch layers := t.Layers(); {
	case o.mip < 0 && mip > 0:
		m := &t.Mips[mip]
		return fmt.Sprintf("%s: mip %d of %d x %d pixels: the %s of larger ones is not there", t.Name, mip, m.Width, m.Height, t.Mips[0].File)
	case o.slice < 0 && o.side == 0 && len(layers) > 1:
		return fmt.Sprintf("%s: layer 0 of %d (%s): --slice N writes another", t.Name, len(layers), strings.Join(layers, ", "))
	}
	return ""
}

// textureFloats decodes a texture whose colours may be brighter than white. The error is an
// [otherForm] of any other.
func textureFloats(p *media.Package, export int, form string, o *mediaOptions) (*product, error) {
	t, err := p.Texture(export)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.NameOf(p.Exports[export].Name), err)
	}
	if !t.HDR() {
		return nil, &otherForm{fmt.Sprintf("%s is %s, which is no HDR format: --as png writes it", t.Name, t.Format)}
	}
	out, mip, err := p.Floats(t, media.Which{Mip: o.mip, Slice: o.slice})
	if err != nil {
		return nil, ofTexture(t, err)
	}
	write := out.EncodeHDR
	if form == "exr" {
		write = out.EncodeEXR
	}
	return &product{"." + form, textureNote(t, o, mip), o.mip < 0 && mip > 0, write}, nil
}

// produce decodes a texture or a sound. The error is an [otherForm] of one that has another
// form.
func produce(p *media.Package, export int, form string, which *mediaOptions) (*product, error) {
	switch {
	case form == "png":
		return texturePNG(p, export, which)
	case isPictureForm(form):
		return textureFloats(p, export, form, which)
	}
	s, err := p.Sound(export)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.NameOf(p.Exports[export].Name), err)
	}
	ext := s.Codec.Ext()
	if form != "audio" && ext != "."+form {
		return nil, formOf(s)
	}
	b, err := p.Stream(s)
	if err != nil {
		return nil, fmt.Errorf("%s, %s: %w", s.Name, s.Codec, err)
	}
	return &product{ext, "", false, func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	}}, nil
}

// otherForm is the error of a texture or sound that has another form.
type otherForm struct{ text string }

func (e *otherForm) Error() string { return e.text }

// Unwrap says that no texture or sound has that form.
func (e *otherForm) Unwrap() error { return errors.ErrUnsupported }

// formOf returns the error of a sound whose codec has another form.
func formOf(s *media.Sound) *otherForm {
	as := "audio"
	if ext := s.Codec.Ext(); ext == ".wav" || ext == ".ogg" {
		as = ext[1:]
	}
	return &otherForm{fmt.Sprintf("%s is %s, %d channels, %d Hz, %.1f s: --as %s writes it", s.Name, s.Codec, s.Channels, s.Rate, s.Duration, as)}
}

// ofTexture says of which texture an error is.
func ofTexture(t *media.Texture, err error) error {
	err = fmt.Errorf("%s, %s of %d x %d pixels: %w", t.Name, t.Format, t.Width, t.Height, err)
	if errors.Is(err, media.ErrNoBytes) && len(t.Mips) > 0 {
		return cli.WithHint(err, "its pixels lie in the "+string(t.Mips[0].File)+" beside the package")
	}
	return err
}

// catMedia writes the texture or the sound of a package.
func catMedia(ctx context.Context, w io.Writer, p *packages, o *openedPackage, near surroundings, as *asOptions) error {
	m, end := mediaOf(ctx, p, o, near)
	defer end()
	all := members(m, o.Path, as.form)
	if len(all) == 0 {
		return codecs.Errorf(codecs.ErrNotFound, "the package has no %s", strings.TrimSuffix(mediaWord(as.form), "s"))
	}
	out, err := produce(m, all[0], as.form, &as.media)
	for _, other := range all[1:] {
		if !errors.Is(err, media.ErrElsewhere) {
			break
		}
		out, err = produce(m, other, as.form, &as.media)
	}
	if err != nil {
		return err
	}
	if out.note != "" && !p.a.Quiet {
		if _, err := fmt.Fprintf(p.a.Stderr, "note: %s\n", out.note); err != nil {
			return err
		}
	}
	return out.write(w)
}

// mediaExtraction is a run of extract that writes the media of packages.
type mediaExtraction struct {
	*packages
	forms   []string
	which   *mediaOptions
	files   atomic.Int64 // that were written
	bytes   atomic.Int64 // of them
	smaller atomic.Int64 // textures whose largest mips are not there
}

// write writes the textures or sounds of one package. Only what concerns the folder is returned.
func (x *mediaExtraction) write(ctx context.Context, dir *safename.Dir, files *packageFiles, j *job) error {
	content, o, err := x.open(ctx, files, j.entry)
	if err != nil {
		j.err = err
		return nil
	}
	defer content.Close()
	m, end := mediaOf(ctx, x.packages, o, surroundings{files.besides(ctx, x.a, j.entry, content), files.named})
	defer end()
	j.none = true
	for _, form := range x.forms {
		if err := x.writeForm(dir, m, form, o.Path, files, j); err != nil {
			return err
		}
	}
	return nil
}

// writeForm writes the textures or the sounds of a package.
func (x *mediaExtraction) writeForm(dir *safename.Dir, m *media.Package, form, path string, files *packageFiles, j *job) error {
	taken := map[string]bool{}
	for k, export := range members(m, path, form) {
		out := j.out
		if k > 0 {
			out = memberName(j.out, m.NameOf(m.Exports[export].Name), taken)
		}
		done, contentErr, err := x.writeOne(dir, m, export, form, out, j)
		if err != nil {
			return err
		}
		j.none = j.none && !done && contentErr == nil
		if contentErr != nil {
			j.err = errors.Join(j.err, fmt.Errorf("%s: %s: %w", files.ar.Path, cli.Label(j.entry), contentErr))
		}
	}
	return nil
}

// writeOne writes one texture or sound. Textures whose pixels another object has, and
// sounds that have another form, are passed over.
func (x *mediaExtraction) writeOne(dir *safename.Dir, m *media.Package, export int, form, name string, j *job) (done bool, contentErr, err error) {
	out, contentErr := produce(m, export, form, x.which)
	var other *otherForm
	if errors.Is(contentErr, media.ErrElsewhere) || errors.As(contentErr, &other) {
		return false, nil, nil
	}
	if contentErr != nil {
		return false, contentErr, nil
	}
	f, err := dir.Create(strings.TrimSuffix(name, path.Ext(name)) + out.ext)
	if err != nil {
		return false, nil, err
	}
	defer func() { _ = f.Close() }()
	if err := out.write(&counting{f, &x.bytes}); err != nil {
		return false, nil, err
	}
	x.files.Add(1)
	if out.less {
		x.smaller.Add(1)
	}
	return true, nil, f.Commit(j.entry.Mod)
}

// counting counts what is written.
type counting struct {
	io.Writer
	bytes *atomic.Int64
}

// Write implements [io.Writer].
func (c *counting) Write(p []byte) (int, error) {
	n, err := c.Writer.Write(p)
	c.bytes.Add(int64(n))
	return n, err
}

// report lists the textures that are smaller than they were.
func (x *mediaExtraction) report() {
	if n := x.smaller.Load(); n > 0 {
		x.a.Warn(fmt.Sprintf("%s smaller than it was cooked: the files with the larger mips are not there", cli.Plural(n, "texture is", "textures are")))
	}
}

// memberName is the file of an object that is not the one its package is called by.
func memberName(out, object string, taken map[string]bool) string {
	ext := path.Ext(out)
	safe := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '-' {
			return r
		}
		return '_'
	}, object)
	name := strings.TrimSuffix(out, ext) + "." + safe
	for n := 2; taken[strings.ToLower(name)]; n++ {
		name = fmt.Sprintf("%s.%s~%d", strings.TrimSuffix(out, ext), safe, n)
	}
	taken[strings.ToLower(name)] = true
	return name + ext
}
