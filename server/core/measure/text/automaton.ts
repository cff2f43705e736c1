/**
 * The automaton behind the calibrated estimate. The automaton reads a text one UTF-16 unit at a time. Its state is the
 * kind and length of the current run of similar units. A step is a state together with the class of the next unit. The
 * tokens of a text are estimated as the sum of the weights of its steps, which were fitted to exact counts.
 *
 * `scripts/fitCalibrated.mjs` writes all states with their weights.
 */

import { getOrInsert } from '../../getOrInsert.ts';
import states from './calibratedWeights.json' with { type: 'json' };
import type { Vocabulary } from './exactCounter.ts';

/** Classes of UTF-16 units, the input of the automaton. Their positions are their numbers. */
export const unitClassNames = [
	'punctuation',
	'lowercase',
	'uppercase',
	'digit',
	'space',
	'lineEnd',
	'accented',
	'ideograph',
	'otherScript',
	'otherWhitespace',
	'cyrillic',
	'greek',
	'semitic',
	'symbol',
	'surrogate',
] as const;

/** Bits of the class in a step's number: state × 16 + class. */
export const classBits = 4;

type UnitClass = (typeof unitClassNames)[number];

/** An inclusive range of UTF-16 units and their class. */
type ClassRange = readonly [unitClass: UnitClass, from: number, to: number];

/** Later ranges override earlier ones. Units in no range belong to a foreign script. */
const classRanges: readonly ClassRange[] = [
	// Typographic signs, arrows, lines, symbols. Surrogates, which mostly form emoji, have a class of their own.
	['symbol', 0x200b, 0x2bff],
	['symbol', 0xfe0f, 0xfe0f],
	['surrogate', 0xd800, 0xdfff],
	['semitic', 0x0590, 0x08ff],
	['cyrillic', 0x0400, 0x052f],
	['greek', 0x0370, 0x03ff],
	// Kana, Han and Hangul in their main blocks.
	['ideograph', 0x3040, 0x30ff],
	['ideograph', 0x3400, 0x9fff],
	['ideograph', 0xac00, 0xd7a3],
	['ideograph', 0xf900, 0xfaff],
	['ideograph', 0xff66, 0xff9d],
	// Letters of the Latin script beyond ASCII, except the signs × and ÷.
	['accented', 0xc0, 0x24f],
	['otherScript', 0xd7, 0xd7],
	['otherScript', 0xf7, 0xf7],
	['accented', 0x1e00, 0x1eff],
	['punctuation', 0x00, 0x7f],
	['uppercase', 0x41, 0x5a],
	['lowercase', 0x61, 0x7a],
	['digit', 0x30, 0x39],
	['otherWhitespace', 0x09, 0x0c],
	['otherWhitespace', 0xa0, 0xa0],
	['otherWhitespace', 0x2000, 0x200a],
	['otherWhitespace', 0x2028, 0x2029],
	['otherWhitespace', 0x3000, 0x3000],
	['space', 0x20, 0x20],
	['lineEnd', 0x0a, 0x0a],
	['lineEnd', 0x0d, 0x0d],
];

/** Returns the class of each UTF-16 unit. */
export function classifyUnits(): Uint8Array {
	const classes = new Uint8Array(0x10000).fill(unitClassNames.indexOf('otherScript'));
	for (const [unitClass, from, to] of classRanges)
		classes.fill(unitClassNames.indexOf(unitClass), from, to + 1);
	return classes;
}

interface Automaton {
	/** The class of each UTF-16 unit. */
	unitClasses: Uint8Array;
	/** The state after each step. State 0 is the start of a text. */
	nextStates: Uint8Array;
	/** The weight of each step. */
	weights: Float64Array;
}

const automatons = new Map<Vocabulary, Automaton>();

/** Returns the automaton of a vocabulary. The first call builds it. */
export function getAutomaton(vocabulary: Vocabulary): Automaton {
	return getOrInsert(automatons, vocabulary, () => {
		const rows = Object.values(states);
		const nextStates = new Uint8Array(rows.length << classBits);
		const weights = new Float64Array(nextStates.length);
		rows.forEach((row, state) => {
			nextStates.set(row.next, state << classBits);
			weights.set(row[vocabulary], state << classBits);
		});
		return { unitClasses: classifyUnits(), nextStates, weights };
	});
}
