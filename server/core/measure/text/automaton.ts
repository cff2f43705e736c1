/**
 * The automaton behind the calibrated estimate. It reads a text unit by unit; its state is the kind of run
 * that it is in and how long that run is, up to a limit. Each step (state and class of the next unit)
 * occurs some number of times in a text, and the tokens of a text are estimated as the sum of these
 * numbers, each times a weight of its own that was fitted against exact counts.
 */

/** Classes of UTF-16 units, the input of the automaton. */
const PUNCTUATION = 0;
const LOWER = 1;
const UPPER = 2;
const DIGIT = 3;
const SPACE = 4;
const LINE_END = 5;
const ACCENTED = 6;
const IDEOGRAPH = 7;
const FOREIGN = 8;
const OTHER_WHITE = 9;
const CYRILLIC = 10;
const GREEK = 11;
const SEMITIC = 12;
const PICTURE = 13;
const HALF = 14;

const CLASSES = 15;

/** A step is state x 16 + class. */
export const CLASS_BITS = 4;

/** The class of each UTF-16 unit. */
export const unitClasses = Uint8Array.from({ length: 0x10000 }, (_, unit) => classOfUnit(unit));

function classOfUnit(unit: number): number {
	if (unit === 0x0a || unit === 0x0d) return LINE_END;
	if (unit === 0x20) return SPACE;
	if (isOtherWhite(unit)) return OTHER_WHITE;
	if (unit >= 0x30 && unit <= 0x39) return DIGIT;
	if (unit >= 0x61 && unit <= 0x7a) return LOWER;
	if (unit >= 0x41 && unit <= 0x5a) return UPPER;
	if (unit < 0x80) return PUNCTUATION;
	if (isAccented(unit)) return ACCENTED;
	if (isIdeograph(unit)) return IDEOGRAPH;
	if (unit >= 0x0370 && unit <= 0x03ff) return GREEK;
	if (unit >= 0x0400 && unit <= 0x052f) return CYRILLIC;
	if (unit >= 0x0590 && unit <= 0x08ff) return SEMITIC;
	if (unit >= 0xd800 && unit <= 0xdfff) return HALF;
	return isPicture(unit) ? PICTURE : FOREIGN;
}

function isOtherWhite(unit: number): boolean {
	return (
		(unit >= 0x09 && unit <= 0x0c) ||
		unit === 0xa0 ||
		(unit >= 0x2000 && unit <= 0x200a) ||
		unit === 0x2028 ||
		unit === 0x2029 ||
		unit === 0x3000
	);
}

/** Letters of the Latin script beyond ASCII. */
function isAccented(unit: number): boolean {
	const isSign = unit === 0xd7 || unit === 0xf7;
	return (unit >= 0xc0 && unit <= 0x24f && !isSign) || (unit >= 0x1e00 && unit <= 0x1eff);
}

/** Kana, Han and Hangul in their main blocks. */
function isIdeograph(unit: number): boolean {
	return (
		(unit >= 0x3040 && unit <= 0x30ff) ||
		(unit >= 0x3400 && unit <= 0x9fff) ||
		(unit >= 0xac00 && unit <= 0xd7a3) ||
		(unit >= 0xf900 && unit <= 0xfaff) ||
		(unit >= 0xff66 && unit <= 0xff9d)
	);
}

/** Typographic signs, arrows, lines, symbols. The halves of pairs, which mostly make emoji, are a class of their own. */
function isPicture(unit: number): boolean {
	return (unit >= 0x200b && unit <= 0x2bff) || unit === 0xfe0f;
}

type RunKind = 'start' | 'word' | 'capitals' | 'digits' | 'punctuation' | 'spaces' | 'white' | 'lineEnds';
type WideKind =
	| 'accented'
	| 'ideographs'
	| 'foreign'
	| 'cyrillic'
	| 'greek'
	| 'semitic'
	| 'pictures'
	| 'halves';

/** A run that the automaton is in. Words and capitals also know what came before them. */
interface Run {
	kind: RunKind | WideKind;
	length: number;
	/** Behind a space or a single sign, which a tokenizer takes into the same piece. */
	prefixed: boolean;
	/** A word that begins with a capital. */
	capitalized: boolean;
}

/** Runs beyond these lengths are not told apart. */
const LONGEST: Record<Run['kind'], number> = {
	start: 1,
	word: 12,
	capitals: 6,
	digits: 3,
	punctuation: 10,
	spaces: 12,
	white: 6,
	lineEnds: 3,
	accented: 8,
	ideographs: 2,
	foreign: 2,
	cyrillic: 8,
	greek: 4,
	semitic: 4,
	pictures: 4,
	halves: 4,
};

function run(kind: Run['kind'], length: number, prefixed = false, capitalized = false): Run {
	return { kind, length: Math.min(length, LONGEST[kind]), prefixed, capitalized };
}

/** The run after a unit of class `next` has been read in `current`. */
function after(current: Run, next: number): Run {
	const { kind, length, prefixed, capitalized } = current;
	const longer = (same: Run['kind']) => run(same, kind === same ? length + 1 : 1);
	const isPrefix = kind === 'spaces' || kind === 'white' || (kind === 'punctuation' && length === 1);
	switch (next) {
		case LOWER:
			if (kind === 'word') return run('word', length + 1, prefixed, capitalized);
			if (kind === 'capitals') return run('word', length + 1, prefixed, true);
			if (kind === 'accented') return run('accented', length + 1);
			return run('word', 1, isPrefix);
		case UPPER:
			return kind === 'capitals' ? run('capitals', length + 1, prefixed) : run('capitals', 1, isPrefix);
		case DIGIT:
			return run('digits', kind === 'digits' ? (length % 3) + 1 : 1);
		case SPACE:
			return longer('spaces');
		case OTHER_WHITE:
			return longer('white');
		case LINE_END:
			return longer('lineEnds');
		case ACCENTED:
			return kind === 'word' || kind === 'accented' ? run('accented', length + 1) : run('accented', 1);
		case IDEOGRAPH:
			return longer('ideographs');
		case FOREIGN:
			return longer('foreign');
		case CYRILLIC:
			return longer('cyrillic');
		case GREEK:
			return longer('greek');
		case SEMITIC:
			return longer('semitic');
		case PICTURE:
			return longer('pictures');
		case HALF:
			return longer('halves');
		default:
			return longer('punctuation');
	}
}

function nameOf({ kind, length, prefixed, capitalized }: Run): string {
	return `${prefixed ? 'prefixed ' : ''}${capitalized ? 'capitalized ' : ''}${kind} ${length}`;
}

/** All states that can be reached from the start, and where each step leads. */
function build() {
	const runs: Run[] = [run('start', 1)];
	const numbers = new Map([[nameOf(runs[0]!), 0]]);
	const targets: number[] = [];
	for (let state = 0; state < runs.length; state++) {
		for (let next = 0; next < CLASSES; next++) {
			const target = after(runs[state]!, next);
			const name = nameOf(target);
			if (!numbers.has(name)) {
				numbers.set(name, runs.length);
				runs.push(target);
			}
			targets[(state << CLASS_BITS) | next] = numbers.get(name)!;
		}
	}
	return { names: runs.map(nameOf), nextStates: Uint8Array.from(targets, (target) => target ?? 0) };
}

const automaton = build();

/** What each state stands for; state 0 is the start of a text. */
export const stateNames: readonly string[] = automaton.names;

/** The state after each step. */
export const nextStates: Uint8Array = automaton.nextStates;

/** Number of steps: what a list of weights must hold. */
export const STEPS = stateNames.length << CLASS_BITS;
