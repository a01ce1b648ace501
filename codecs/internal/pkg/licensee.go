package pkg

// deviation is what a licensee's builds do differently. Where apply is nil the
// layout is not known: such a package is read by the standard layout, and when
// that does not fit, only its version is kept.
type deviation struct {
	game      string
	ver, lic  span16
	flag      uint32 // of the package, without which it does not apply
	encrypted bool

	// clearSummary: only what follows the summary is encrypted, and may have been
	// decrypted by someone.
	clearSummary bool
	apply        func(*layout)
}

// span16 is an inclusive range; the zero hi means lo alone.
type span16 struct{ lo, hi int }

func (s span16) has(v int) bool { return v >= s.lo && v <= max(s.lo, s.hi) }

// anyLicensee matches all.
func anyLicensee() span16 { return span16{0, 0xFFFF} }

func (d *deviation) matches(version, licensee int) bool {
	return d.ver.has(version) && d.lic.has(licensee)
}

// deviations lists the known licensees, by generation. None but Mass Effect
// was verified on files; they come from public readers, see FORMAT.md.
func deviations() []deviation {
	return append(deviations2(), append(deviations3(), undescribed()...)...)
}

func deviations2() []deviation {
	return []deviation{
		{game: "Deus Ex: Invisible War", ver: span16{lo: 95}, lic: span16{lo: 69}, apply: ionStorm},
		{game: "Thief: Deadly Shadows", ver: span16{lo: 95}, lic: span16{lo: 133}, apply: ionStorm},
		{game: "Splinter Cell", ver: span16{lo: 100}, lic: span16{9, 17}, apply: splinterCell},
		{game: "Splinter Cell: Pandora Tomorrow", ver: span16{lo: 102}, lic: span16{28, 29}, apply: splinterCell},
		{game: "Splinter Cell: Chaos Theory", ver: span16{lo: 100}, lic: span16{120, 124}, apply: splinterCell},
		{game: "Unreal Championship", ver: span16{lo: 119}, lic: span16{28, 30},
			apply: func(l *layout) { l.names = u16Text }},
		{game: "Unreal Championship 2", ver: span16{lo: 151}, lic: span16{0, 1},
			apply: func(l *layout) { l.compact, l.outer16 = false, true }},
		{game: "Republic Commando", ver: span16{133, 159}, lic: span16{lo: 1}, apply: func(l *layout) {
			l.compactAfterOuter = l.version >= 159
			l.plainSize = l.version >= 151
		}},
		{game: "BioShock", ver: span16{130, 143}, lic: span16{56, 59}, apply: bioShock},
		{game: "Advent Rising", ver: span16{143, 146}, lic: span16{lo: 61447}, apply: func(l *layout) {
			l.outer16 = true
			l.compact = l.version < 144
		}},
		{game: "The Chronicles of Spellborn", ver: span16{lo: 159}, lic: span16{lo: 29},
			apply: func(l *layout) { l.noGUID = true }},
	}
}

func ionStorm(l *layout) { l.engine, l.beforeGUID = "UE2", 4 }

func splinterCell(l *layout) {
	l.splinterCell = true
	if l.licensee >= 83 {
		l.afterVersion = 4
	}
	if l.licensee >= 85 {
		l.names = u8Text
	}
}

func bioShock(l *layout) {
	l.wideText, l.number = true, true
	l.nameFlag, l.objectFlag = 8, 8
	l.exportTail = 4
	if l.version >= 132 {
		l.afterOuter = 4
	}
}

func deviations3() []deviation {
	return append([]deviation{
		{game: "Rainbow Six: Vegas", ver: span16{lo: 241}, lic: span16{66, 71}, apply: vegas(18)},
		{game: "Rainbow Six: Vegas", ver: span16{lo: 241}, lic: span16{66, 71}, apply: vegas(19)},
		{game: "Midway", ver: span16{375, 402}, lic: span16{25, 35}, apply: func(l *layout) { l.afterHeaderSize = 8 }},
		{game: "Midway", ver: span16{375, 402}, lic: span16{25, 35}, apply: func(l *layout) { l.afterHeaderSize = 12 }},
		{game: "Wheelman", ver: span16{lo: 390}, lic: span16{lo: 32}, apply: func(l *layout) { l.noComponents = true }},
		{game: "Alpha Protocol", ver: span16{lo: 539}, lic: span16{lo: 91}, apply: func(l *layout) { l.noComponents = true }},
		{game: "Army of Two", ver: span16{lo: 482}, lic: span16{lo: 222}, apply: func(l *layout) { l.noPackageFlags = true }},
		{game: "Stargate Worlds", ver: span16{lo: 486}, lic: span16{lo: 7}, apply: func(l *layout) { l.noPackageFlags = true }},
		{game: "APB", ver: span16{lo: 547}, lic: span16{28, 32}, apply: func(l *layout) {
			l.afterExportOffset = 24
			if l.licensee >= 32 {
				l.afterGenerationCount = 16
			}
		}},
		{game: "Borderlands", ver: span16{lo: 594}, lic: span16{lo: 58},
			apply: func(l *layout) { l.version, l.noLevelGUIDs = 832, true }},
		{game: "Tera", ver: span16{lo: 610}, lic: span16{lo: 14},
			apply: func(l *layout) { l.countHoldsOffset, l.noThumbnails = true, true }},
		{game: "Batman: Arkham", ver: span16{805, 807}, lic: span16{89, 138}, apply: func(l *layout) { l.afterArchetype = 4 }},
		{game: "Batman: Arkham", ver: span16{lo: 863}, lic: span16{lo: 32995}, apply: func(l *layout) { l.afterArchetype = 4 }},
		{game: "Rocket League", ver: span16{lo: 868}, lic: span16{22, 32}, apply: func(l *layout) {
			l.hiddenChunks, l.wideChunks, l.wideOffset = true, true, true
		}},
		{game: "Rocket League", ver: span16{lo: 868}, lic: span16{18, 32}, apply: func(l *layout) { l.hiddenChunks = true }},
		{game: "Dungeon Defenders II", ver: span16{687, 688}, lic: anyLicensee(),
			apply: func(l *layout) { l.afterFlags, l.cookedOnly = 4, true }},
	}, massEffect()...)
}

func vegas(bits int) func(*layout) {
	return func(l *layout) {
		l.afterVersion, l.nameBits = 8, bits
		if l.licensee >= 71 {
			l.names, l.nameFlag = u8Bare, 0
		}
	}
}

// massEffect lists BioWare's builds. Mass Effect 2 lists the packages to cook
// with a package before Epic's own version does; public readers that skip the
// list are right on files elsewhere, so that both are tried.
func massEffect() []deviation {
	second := deviation{game: "Mass Effect", ver: span16{512, 513}, lic: span16{lo: 130}}
	out := []deviation{second, second}
	out[0].apply = func(l *layout) { bioWare(l); l.additional = true }
	out[1].apply = bioWare
	for _, at := range []struct{ ver, lic span16 }{
		{span16{lo: 391}, span16{lo: 92}},
		{span16{lo: 491}, span16{lo: 1008}},
		{span16{lo: 684}, span16{150, 194}},
		{span16{lo: 845}, span16{lo: 194}},
		{span16{684, 685}, span16{168, 205}},
	} {
		out = append(out, deviation{game: "Mass Effect", ver: at.ver, lic: at.lic, apply: bioWare})
	}
	return out
}

// bioWare: the licensee 1008 counts as 90.
func bioWare(l *layout) {
	l.bioWare, l.noTextures = l.licensee, true
	if l.licensee == 1008 {
		l.bioWare = 90
	}
	if l.bioWare >= 194 {
		l.afterFlags, l.cookedOnly = 4, true
	}
	if l.bioWare >= 44 && l.bioWare <= 135 {
		l.afterSource = 4
	}
	switch {
	case l.bioWare >= 142:
		l.nameFlag = 0
	case l.bioWare >= 102:
		l.nameFlag = 4
	}
}

// undescribed names builds that are known to differ, in ways that are not
// known well enough.
func undescribed() []deviation {
	one := func(v int) span16 { return span16{lo: v} }
	return []deviation{
		{game: "Splinter Cell: Conviction", ver: one(102), lic: one(116)},
		{game: "America's Army 2", ver: one(128), lic: span16{32, 33}, encrypted: true},
		{game: "Ragnarok Online 2", ver: span16{128, 135}, lic: anyLicensee(), flag: 0x10000, encrypted: true},
		{game: "Pariah", ver: one(119), lic: one(0x9127)},
		{game: "Duke Nukem Forever", ver: one(156), lic: one(36)},
		{game: "Undertow", ver: one(435), lic: anyLicensee()},
		{game: "Huxley", ver: one(496), lic: span16{16, 23}},
		{game: "Transformers", ver: one(511), lic: span16{39, 145}},
		{game: "Transformers", ver: one(537), lic: one(174)},
		{game: "Transformers", ver: one(846), lic: one(181)},
		{game: "DC Universe Online", ver: one(648), lic: one(6405)},
		{game: "Mortal Kombat X", ver: one(677), lic: one(157)},
		{game: "Thief", ver: one(721), lic: one(148)},
		{game: "BioShock Infinite", ver: one(727), lic: one(75)},
		{game: "Aliens: Colonial Marines", ver: one(787), lic: one(47)},
		{game: "Gears of War: Ultimate Edition", ver: one(835), lic: one(56)},
		{game: "Rocket League", ver: one(868), lic: span16{18, 32}, encrypted: true, clearSummary: true},
		{game: "Battleborn", ver: one(874), lic: one(78)},
	}
}

// layouts returns what to try, the likeliest first: the licensee's own layout,
// the standard one, and for unknown licensees the two commonest insertions.
func layouts(version, licensee int) []layout {
	base := standard(version, licensee)
	var out []layout
	for _, d := range deviations() {
		if d.apply != nil && d.matches(version, licensee) {
			l := base
			l.game = d.game
			d.apply(&l)
			out = append(out, l)
		}
	}
	out = append(out, base)
	if licensee != 0 && version >= verUE3 {
		flags, chunks := base, base
		flags.game, flags.afterFlags = "licensee, 4 bytes after the flags", 4
		chunks.game, chunks.chunkTail = "licensee, 4 bytes after each chunk", 4
		out = append(out, flags, chunks)
	}
	return out
}

// unknownLayout returns the entry for a build that is known to differ in ways
// that are not known.
func unknownLayout(version, licensee int, flags uint32) (deviation, bool) {
	for _, d := range undescribed() {
		if d.matches(version, licensee) && flags&d.flag == d.flag {
			return d, true
		}
	}
	return deviation{}, false
}
