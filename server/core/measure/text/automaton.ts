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

/** Units from one to another, both included, of a class. */
type ClassRange = readonly [unitClass: number, from: number, to: number];

/** What is in none of them is of a foreign script; a later range lies over an earlier one. */
const classRanges: readonly ClassRange[] = [
	// Typographic signs, arrows, lines, symbols. The halves of pairs, which mostly make emoji, are a class of their own.
	[PICTURE, 0x200b, 0x2bff],
	[PICTURE, 0xfe0f, 0xfe0f],
	[HALF, 0xd800, 0xdfff],
	[SEMITIC, 0x0590, 0x08ff],
	[CYRILLIC, 0x0400, 0x052f],
	[GREEK, 0x0370, 0x03ff],
	// Kana, Han and Hangul in their main blocks.
	[IDEOGRAPH, 0x3040, 0x30ff],
	[IDEOGRAPH, 0x3400, 0x9fff],
	[IDEOGRAPH, 0xac00, 0xd7a3],
	[IDEOGRAPH, 0xf900, 0xfaff],
	[IDEOGRAPH, 0xff66, 0xff9d],
	// Letters of the Latin script beyond ASCII, but for two signs among them.
	[ACCENTED, 0xc0, 0x24f],
	[FOREIGN, 0xd7, 0xd7],
	[FOREIGN, 0xf7, 0xf7],
	[ACCENTED, 0x1e00, 0x1eff],
	[PUNCTUATION, 0x00, 0x7f],
	[UPPER, 0x41, 0x5a],
	[LOWER, 0x61, 0x7a],
	[DIGIT, 0x30, 0x39],
	[OTHER_WHITE, 0x09, 0x0c],
	[OTHER_WHITE, 0xa0, 0xa0],
	[OTHER_WHITE, 0x2000, 0x200a],
	[OTHER_WHITE, 0x2028, 0x2029],
	[OTHER_WHITE, 0x3000, 0x3000],
	[SPACE, 0x20, 0x20],
	[LINE_END, 0x0a, 0x0a],
	[LINE_END, 0x0d, 0x0d],
];

/** The class of each UTF-16 unit. */
export const unitClasses = classesOfUnits();

function classesOfUnits(): Uint8Array {
	const classes = new Uint8Array(0x10000).fill(FOREIGN);
	for (const [unitClass, from, to] of classRanges) classes.fill(unitClass, from, to + 1);
	return classes;
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
