// Package media reads the textures and sounds in packages of Unreal Engine: their facts,
// where their bytes lie, their pixels and streams. It knows packages by their tables
// ([unreal.PackageFacts]), and is given the bytes of exports and of the files beside.
//
//	export -> property.Decoder -> what the class stores after its properties
//	       -> Texture: sizes, format, and for each mip the file and the place of its bytes
//	       -> Package.Picture: bytes -> codecs/internal/texture -> image.Image
//
// What a class stores depends on the engine, which packages often do not state. So a layout
// counts only if it ends where the export ends, and where it says itself that it ends;
// [Package.Texture] tries those of all engines, the likeliest first. Where the properties
// cannot be read because nothing describes the class, the place after them is searched for
// in the same way: pictures need no mappings.
//
// Reading order:
//
//   - media.go: packages, files, the reader of class data
//   - bulk.go: where bytes lie
//   - texture.go: textures of UE4 and UE5
//   - classic.go, chunk.go: those of UE1 to UE3, and compressed bytes
//   - virtual.go: those that are stored as tiles
//   - picture.go: pixels; file.go: pictures that are files
//   - sound.go, ogg.go: sounds
package media
