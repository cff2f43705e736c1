import { classBits, getAutomaton } from './automaton.ts';
import type { ExactCounter, Vocabulary } from './exactCounter.ts';
import { estimateHeuristicTokens } from './heuristic.ts';
import { countSampled, type TokenCounter } from './sampleText.ts';

/** Maximum length that the exact counter counts as a whole, in UTF-16 units. */
const maxExactUnits = 128 * 1024;
/** Maximum length for the calibrated estimate, which is about ten times as fast. */
const maxCalibratedUnits = 2 * 1024 * 1024;

/** Returns a counter that is exact up to 128 Ki UTF-16 units and samples longer texts (see `countSampled`). */
export function createExactCount(counter: ExactCounter): TokenCounter {
	return sampleAbove(maxExactUnits, counter.count);
}

/** Returns an estimator (see `estimateCalibratedTokens`) that samples texts above 2 Mi UTF-16 units. */
export function createCalibratedCount(vocabulary: Vocabulary): TokenCounter {
	return sampleAbove(maxCalibratedUnits, (text) => estimateCalibratedTokens(text, vocabulary));
}

/** Returns an estimator by the text's length alone (see `estimateHeuristicTokens`). */
export function createHeuristicCount(provider: string): TokenCounter {
	return (text) => estimateHeuristicTokens(text.length, provider);
}

function sampleAbove(limit: number, count: TokenCounter): TokenCounter {
	return (text) => (text.length <= limit ? count(text) : countSampled(text, count));
}

/**
 * Estimates the tokens of a text in one fast pass: the sum of the weights of the automaton's steps.
 * The mean error per message of agent sessions is about 4 %. `scripts/fitCalibrated.mjs` fits the weights and prints
 * the error by type of content.
 */
export function estimateCalibratedTokens(text: string, vocabulary: Vocabulary): number {
	if (text === '') return 0;
	const { unitClasses, nextStates, weights } = getAutomaton(vocabulary);
	let state = 0;
	let tokens = 0;
	for (let index = 0; index < text.length; index++) {
		const step = (state << classBits) | unitClasses[text.charCodeAt(index)]!;
		tokens += weights[step]!;
		state = nextStates[step]!;
	}
	return Math.max(1, Math.round(tokens));
}

/** Estimates the tokens of a text without loading a vocabulary. */
export function estimateTokens(text: string): number {
	return estimateCalibratedTokens(text, 'o200k');
}

/** Whether a text's estimate exceeds `tokens`. Short texts need no estimate: at most three tokens per UTF-16 unit. */
export function exceedsTokens(text: string, tokens: number): boolean {
	return text.length * 3 > tokens && estimateTokens(text) > tokens;
}
