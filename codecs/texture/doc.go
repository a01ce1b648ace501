// Package texture decodes textures by Unreal Engine's names of formats. The rooms
// below it decode; this one knows which does, how many bytes a picture takes, and
// makes an [image.Image] of the pixels.
//
//	Named("PF_DXT1") -> Format.Size -> Format.Decode
//
// Formats that no room decodes have a size as well, so that tables of them can be checked.
//
// What was two channels of a normal map gets its third one back. Pictures of floats become
// bytes by the tone curve of codecs/texture/plain.
package texture
