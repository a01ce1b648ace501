package script

import (
	"maps"

	"pakdb/codecs/unreal"
)

// Flags of functions.
const (
	flagFinal       = 0x1
	flagDefined     = 0x2 // its declaration has a body
	flagPreOperator = 0x10
	flagNetFunction = 0x40
	flagOperator    = 0x1000
	flagDelegate    = 0x100000
)

// Natives is which function code means by a number: a sign for operators. It is
// filled from the packages that declare them, Core and Engine before all; later
// ones of a game may add to it, and never change it.
type Natives map[int]string

// DeclaredNatives returns the native functions that a package declares.
func DeclaredNatives(list []ClassicObject) Natives {
	n := Natives{}
	for i := range list {
		o := &list[i]
		if o.Err != nil || o.Class != "Function" || o.Native == 0 {
			continue
		}
		name := o.Friendly
		if o.Flags&flagOperator == 0 || name == "" {
			name = o.name
		}
		if _, twice := n[o.Native]; !twice {
			n[o.Native] = name
		}
	}
	return n
}

// Add takes over the numbers that n does not know.
func (n Natives) Add(others Natives) {
	for number, name := range maps.All(others) {
		if _, known := n[number]; !known {
			n[number] = name
		}
	}
}

// Name returns the name of a number.
func (n Natives) Name(number int) (string, bool) {
	name, ok := n[number]
	return name, ok
}

// CommonNatives returns the native functions that have one number in all public games of UE1
// to UE3: signs of operators, and functions of Object, Actor, Canvas and Pawn. A game's
// own declarations take precedence: see [Natives.Add].
func CommonNatives(version int) Natives {
	n := commonNatives()
	if version >= unreal.VerUE3 {
		n[231], n[232] = "LogInternal", "WarnInternal" // Log and Warn are macros there
	}
	return n
}

func commonNatives() Natives {
	return Natives{
		112: "$", 113: "GotoState", 114: "==", 115: "<", 116: ">", 117: "Enable", 118: "Disable", 119: "!=",
		120: "<=", 121: ">=", 122: "==", 123: "!=", 124: "~=", 125: "Len", 126: "InStr", 127: "Mid", 128: "Left",
		129: "!", 130: "&&", 131: "^^", 132: "||", 133: "*=", 134: "/=", 135: "+=", 136: "-=", 137: "++", 138: "--",
		139: "++", 140: "--", 141: "~", 142: "==", 143: "-", 144: "*", 145: "/", 146: "+", 147: "-", 148: "<<",
		149: ">>", 150: "<", 151: ">", 152: "<=", 153: ">=", 154: "==", 155: "!=", 156: "&", 157: "^", 158: "|",
		159: "*=", 160: "/=", 161: "+=", 162: "-=", 163: "++", 164: "--", 165: "++", 166: "--", 167: "Rand",
		168: "@", 169: "-", 170: "**", 171: "*", 172: "/", 173: "%", 174: "+", 175: "-", 176: "<", 177: ">",
		178: "<=", 179: ">=", 180: "==", 181: "!=", 182: "*=", 183: "/=", 184: "+=", 185: "-=", 186: "Abs",
		187: "Sin", 188: "Cos", 189: "Tan", 190: "Atan", 191: "Exp", 192: "Loge", 193: "Sqrt", 194: "Square",
		195: "FRand", 196: ">>>", 203: "!=", 210: "~=", 211: "-", 212: "*", 213: "*", 214: "/", 215: "+", 216: "-",
		217: "==", 218: "!=", 219: "Dot", 220: "Cross", 221: "*=", 222: "/=", 223: "+=", 224: "-=", 225: "VSize",
		226: "Normal", 227: "Invert", 230: "GetUnAxes", 231: "Log", 232: "Warn", 233: "Error", 234: "Right",
		235: "Caps", 236: "Chr", 237: "Asc", 242: "==", 243: "!=", 244: "FMin", 245: "FMax", 246: "FClamp",
		247: "Lerp", 248: "Smerp", 249: "Min", 250: "Max", 251: "Clamp", 252: "VRand", 254: "==", 255: "!=",
		256: "Sleep", 258: "ClassIsChildOf", 259: "PlayAnim", 260: "LoopAnim", 262: "SetCollision", 263: "HasAnim",
		264: "PlaySound", 266: "Move", 267: "SetLocation", 275: "<<", 276: ">>", 277: "Trace", 278: "Spawn",
		279: "Destroy", 280: "SetTimer", 281: "IsInState", 282: "IsAnimating", 284: "GetStateName", 287: "*",
		288: "*", 289: "/", 290: "*=", 291: "/=", 293: "GetAnimGroup", 294: "TweenAnim", 296: "*", 297: "*=",
		298: "SetBase", 299: "SetRotation", 300: "MirrorVectorByNormal", 301: "FinishInterpolation", 303: "IsA",
		304: "AllActors", 305: "ChildActors", 307: "TouchingActors", 308: "ZoneActors", 310: "RadiusActors",
		311: "VisibleActors", 313: "DynamicActors", 314: "Warp", 316: "+", 317: "-", 318: "+=", 319: "-=",
		320: "RotRand", 322: "$=", 323: "@=", 464: "StrLen", 465: "DrawText", 467: "DrawActor",
		468: "DrawTileClipped", 470: "TextSize", 471: "DrawClippedActor", 473: "DrawTile", 474: "DrawColoredText",
		476: "TextSize", 480: "DrawPortal", 502: "MoveToward", 504: "StrafeTo", 512: "MakeNoise",
		514: "LineOfSightTo", 518: "FindPathTo", 519: "describeSpec", 521: "pointReachable", 522: "ClearPaths",
		524: "FindStairRotation", 525: "FindRandomDest", 527: "WaitForLanding", 531: "PickTarget", 533: "CanSee",
		534: "PickAnyTarget", 537: "ClearConfig", 539: "GetMapName", 544: "ResetKeyboard", 545: "GetNextSkin",
		547: "GetURLMap", 548: "FastTrace", 550: "*", 551: "+", 566: "PlayFeedbackEffect", 567: "StopFeedbackEffect",
		3969: "MoveSmooth", 3970: "SetPhysics",
	}
}
