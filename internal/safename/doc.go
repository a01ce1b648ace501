// Package safename checks and repairs names from outside that become files: entries of
// archives, files of stores and of patches.
//
// Such names are hostile until proven otherwise: "../../x", "/etc/passwd",
// "C:\x", "NUL", or two names that a case-insensitive file system takes for one.
// [Name] turns any of them into a relative path that is safe on every platform.
// [Check] refuses what Name would change, for names that must stay as they are.
// [Set] refuses names that are one file, or a file and a folder, on some system.
//
// [Dir] writes entries of archives into a folder, and nowhere else.
//
// Names inside archives are hostile until proven otherwise. [Names] makes safe
// paths of them by [Name]; [Dir] confines the result to its folder by
// os.Root as well, so that symbolic links do not lead out of it either.
package safename
