import { calibratedTokens } from './calibrated.ts';
import type { Counter, Vocabulary } from './exactCounter.ts';
import { heuristicTokens } from './heuristic.ts';
import type { CountText } from './sampled.ts';
import { countSampled } from './sampled.ts';

/** UTF-16 units up to which a text is counted whole by the exact counter. */
const EXACT_LIMIT = 128 * 1024;
/** The same for the calibrated estimate, which is some ten times as fast. */
const CALIBRATED_LIMIT = 2 * 1024 * 1024;

/** Counts exactly up to 128 Ki UTF-16 units, and above by a sample (see `countSampled`). */
export function exactText(counter: Counter): CountText {
	return sampledAbove(EXACT_LIMIT, counter.count);
}

/** Estimates by the linear automaton (see `calibratedTokens`), above 2 Mi UTF-16 units by a sample. */
export function calibratedText(vocabulary: Vocabulary): CountText {
	return sampledAbove(CALIBRATED_LIMIT, (text) => calibratedTokens(text, vocabulary));
}

/** Estimates by the documented character formula, from the length alone (see `heuristicTokens`). */
export function heuristicText(provider: string, content: 'text' | 'code' = 'text'): CountText {
	return (text) => heuristicTokens(text.length, provider, content);
}

function sampledAbove(limit: number, count: CountText): CountText {
	return (text) => (text.length <= limit ? count(text) : countSampled(text, count));
}
