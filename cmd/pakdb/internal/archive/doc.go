// Package archive has the commands that read archives and contents and need no catalog:
// ls, cat, show, extract and verify; and those that write archives, pack and mod.
//
// Files in reading order: commands.go, show.go, show_picture.go, pkg.go (show --tables),
// pkg_values.go, extract.go, cat.go, as_json.go, as_picture.go, as_media.go (--as of cat and
// extract), beside.go (files beside packages), packages.go (classes that values of packages
// need), pkg_zen.go and extract_zen.go (packages of IoStore containers), verify.go,
// verify_catalog.go, content.go (contents read in parallel), ls.go, ls_long.go, mounts.go (ls
// --mounts), mod.go, pack.go, pack_response.go (lists of UnrealPak), pack_source.go (a
// folder, or an archive), pack_target.go (format and options of the output), pack_order.go,
// pack_method.go, pack_options.go, pack_parts.go (archives of several files), pack_add.go,
// pack_replace.go.
package archive
