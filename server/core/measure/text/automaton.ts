/**
 * The automaton behind the calibrated estimate. The automaton reads a text one UTF-16 unit at a time. Its state is the
 * kind and length of the current run of similar units. A step is a state together with the class of the next unit. The
 * tokens of a text are estimated as the sum of the weights of its steps, which were fitted to exact counts.
 */

// Classes of UTF-16 units, the input of the automaton.
const punctuationClass = 0;
const lowercaseClass = 1;
const uppercaseClass = 2;
const digitClass = 3;
const spaceClass = 4;
const lineEndClass = 5;
const accentedClass = 6;
const ideographClass = 7;
const otherScriptClass = 8;
const otherWhitespaceClass = 9;
const cyrillicClass = 10;
const greekClass = 11;
const semiticClass = 12;
const symbolClass = 13;
const surrogateClass = 14;

const classCount = 15;

/** Bits of the class in a step's number: state × 16 + class. */
export const classBits = 4;

/** An inclusive range of UTF-16 units and their class. */
type ClassRange = readonly [unitClass: number, from: number, to: number];

/** Later ranges override earlier ones. Units in no range belong to a foreign script. */
const classRanges: readonly ClassRange[] = [
	// Typographic signs, arrows, lines, symbols. Surrogates, which mostly form emoji, have a class of their own.
	[symbolClass, 0x200b, 0x2bff],
	[symbolClass, 0xfe0f, 0xfe0f],
	[surrogateClass, 0xd800, 0xdfff],
	[semiticClass, 0x0590, 0x08ff],
	[cyrillicClass, 0x0400, 0x052f],
	[greekClass, 0x0370, 0x03ff],
	// Kana, Han and Hangul in their main blocks.
	[ideographClass, 0x3040, 0x30ff],
	[ideographClass, 0x3400, 0x9fff],
	[ideographClass, 0xac00, 0xd7a3],
	[ideographClass, 0xf900, 0xfaff],
	[ideographClass, 0xff66, 0xff9d],
	// Letters of the Latin script beyond ASCII, except the signs × and ÷.
	[accentedClass, 0xc0, 0x24f],
	[otherScriptClass, 0xd7, 0xd7],
	[otherScriptClass, 0xf7, 0xf7],
	[accentedClass, 0x1e00, 0x1eff],
	[punctuationClass, 0x00, 0x7f],
	[uppercaseClass, 0x41, 0x5a],
	[lowercaseClass, 0x61, 0x7a],
	[digitClass, 0x30, 0x39],
	[otherWhitespaceClass, 0x09, 0x0c],
	[otherWhitespaceClass, 0xa0, 0xa0],
	[otherWhitespaceClass, 0x2000, 0x200a],
	[otherWhitespaceClass, 0x2028, 0x2029],
	[otherWhitespaceClass, 0x3000, 0x3000],
	[spaceClass, 0x20, 0x20],
	[lineEndClass, 0x0a, 0x0a],
	[lineEndClass, 0x0d, 0x0d],
];

function classifyUnits(): Uint8Array {
	const classes = new Uint8Array(0x10000).fill(otherScriptClass);
	for (const [unitClass, from, to] of classRanges) classes.fill(unitClass, from, to + 1);
	return classes;
}

type RunKind = 'start' | 'word' | 'capitals' | 'digits' | 'punctuation' | 'spaces' | 'white' | 'lineEnds';
type ScriptKind =
	| 'accented'
	| 'ideographs'
	| 'foreign'
	| 'cyrillic'
	| 'greek'
	| 'semitic'
	| 'pictures'
	| 'halves';

/** The current run of similar units. Words and capitals also record what preceded them. */
interface CharacterRun {
	kind: RunKind | ScriptKind;
	length: number;
	/** Whether a space or a single sign precedes the run. Tokenizers put it into the same piece as the run. */
	hasPrefix: boolean;
	/** Whether the word begins with a capital. */
	isCapitalized: boolean;
}

/** Maximum length of each kind of run; longer runs share one state. */
const maxRunLength: Record<CharacterRun['kind'], number> = {
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

function createRun(
	kind: CharacterRun['kind'],
	length: number,
	hasPrefix = false,
	isCapitalized = false,
): CharacterRun {
	return { kind, length: Math.min(length, maxRunLength[kind]), hasPrefix, isCapitalized };
}

/** Returns the run after reading a unit of class `next` in the run `current`. */
function advanceRun(current: CharacterRun, next: number): CharacterRun {
	const { kind, length, hasPrefix, isCapitalized } = current;
	const extendOrStart = (newKind: CharacterRun['kind']) =>
		createRun(newKind, kind === newKind ? length + 1 : 1);
	const isPrefix = kind === 'spaces' || kind === 'white' || (kind === 'punctuation' && length === 1);
	switch (next) {
		case lowercaseClass:
			if (kind === 'word') return createRun('word', length + 1, hasPrefix, isCapitalized);
			if (kind === 'capitals') return createRun('word', length + 1, hasPrefix, true);
			if (kind === 'accented') return createRun('accented', length + 1);
			return createRun('word', 1, isPrefix);
		case uppercaseClass:
			return kind === 'capitals'
				? createRun('capitals', length + 1, hasPrefix)
				: createRun('capitals', 1, isPrefix);
		case digitClass:
			return createRun('digits', kind === 'digits' ? (length % 3) + 1 : 1);
		case spaceClass:
			return extendOrStart('spaces');
		case otherWhitespaceClass:
			return extendOrStart('white');
		case lineEndClass:
			return extendOrStart('lineEnds');
		case accentedClass:
			return kind === 'word' || kind === 'accented'
				? createRun('accented', length + 1)
				: createRun('accented', 1);
		case ideographClass:
			return extendOrStart('ideographs');
		case otherScriptClass:
			return extendOrStart('foreign');
		case cyrillicClass:
			return extendOrStart('cyrillic');
		case greekClass:
			return extendOrStart('greek');
		case semiticClass:
			return extendOrStart('semitic');
		case symbolClass:
			return extendOrStart('pictures');
		case surrogateClass:
			return extendOrStart('halves');
		default:
			return extendOrStart('punctuation');
	}
}

function formatRunName({ kind, length, hasPrefix, isCapitalized }: CharacterRun): string {
	return `${hasPrefix ? 'prefixed ' : ''}${isCapitalized ? 'capitalized ' : ''}${kind} ${length}`;
}

/** Builds all states that are reachable from the start, and the target of each step. */
function buildAutomaton(): Automaton {
	const runs: CharacterRun[] = [createRun('start', 1)];
	const stateByName = new Map([[formatRunName(runs[0]!), 0]]);
	const targets: number[] = [];
	for (let state = 0; state < runs.length; state++) {
		for (let next = 0; next < classCount; next++) {
			const target = advanceRun(runs[state]!, next);
			const name = formatRunName(target);
			if (!stateByName.has(name)) {
				stateByName.set(name, runs.length);
				runs.push(target);
			}
			targets[(state << classBits) | next] = stateByName.get(name)!;
		}
	}
	return {
		unitClasses: classifyUnits(),
		stateNames: runs.map(formatRunName),
		nextStates: Uint8Array.from(targets, (target) => target ?? 0),
		stepCount: runs.length << classBits,
	};
}

export interface Automaton {
	/** The class of each UTF-16 unit. */
	unitClasses: Uint8Array;
	/** Name of each state; state 0 is the start of a text. */
	stateNames: readonly string[];
	/** The state after each step. */
	nextStates: Uint8Array;
	/** Number of steps, which is the length of a list of weights. */
	stepCount: number;
}

let builtAutomaton: Automaton | undefined;

/** Returns the automaton. The first call builds it, in about 2 ms. */
export function getAutomaton(): Automaton {
	builtAutomaton ??= buildAutomaton();
	return builtAutomaton;
}
