// Package archive has the commands that read archives and contents and need no catalog:
// ls, info, cat, extract, unpack, verify, pkg and show; and pack, which writes archives.
//
// Files in reading order: commands.go, show.go, show_picture.go, info.go, unpack.go,
// extract.go, pkg.go, pkg_values.go, cat.go, as_json.go, as_picture.go, as_media.go (--as of
// cat and extract), beside.go (files beside packages), packages.go (what values of
// packages take), pkg_zen.go and extract_zen.go (packages of IoStore containers),
// verify.go, content.go (contents read in parallel), ls.go, ls_long.go, pack.go,
// pack_response.go (lists of UnrealPak), pack_source.go (a folder, or an archive),
// pack_target.go (format and options of the output), pack_order.go, pack_method.go,
// pack_options.go, pack_parts.go (archives of several files), pack_add.go, pack_replace.go.
package archive
