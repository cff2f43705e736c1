import { getOrInsert } from '../../getOrInsert.ts';
import { classBits, getAutomaton } from './automaton.ts';
import weightsByState from './calibratedWeights.json' with { type: 'json' };
import type { Counter, Vocabulary } from './exactCounter.ts';
import { heuristicTokens } from './heuristic.ts';
import { countSampled, type TokenCounter } from './sampled.ts';

/** Maximum length that the exact counter counts as a whole, in UTF-16 units. */
const exactLimit = 128 * 1024;
/** Maximum length for the calibrated estimate, which is about ten times as fast. */
const calibratedLimit = 2 * 1024 * 1024;

/** Counts exactly up to 128 Ki UTF-16 units; samples longer texts (see `countSampled`). */
export function createExactCount(counter: Counter): TokenCounter {
	return sampledAbove(exactLimit, counter.count);
}

/** Estimates by the linear automaton (see `calibratedTokens`); samples texts above 2 Mi UTF-16 units. */
export function createCalibratedCount(vocabulary: Vocabulary): TokenCounter {
	return sampledAbove(calibratedLimit, (text) => calibratedTokens(text, vocabulary));
}

/** Estimates by the documented character formula, from the length alone (see `heuristicTokens`). */
export function createHeuristicCount(provider: string): TokenCounter {
	return (text) => heuristicTokens(text.length, provider);
}

function sampledAbove(limit: number, count: TokenCounter): TokenCounter {
	return (text) => (text.length <= limit ? count(text) : countSampled(text, count));
}

const weights = new Map<Vocabulary, Float64Array>();

/** Returns the weight of each step; computed on the first call. */
function weightsOf(vocabulary: Vocabulary): Float64Array {
	return getOrInsert(weights, vocabulary, () => weightsOfSteps(weightsByState[vocabulary]));
}

function weightsOfSteps(byState: Record<string, number[]>): Float64Array {
	const { stateNames, stepCount } = getAutomaton();
	const ofSteps = new Float64Array(stepCount);
	stateNames.forEach((name, state) => {
		const ofClasses = byState[name];
		if (ofClasses === undefined) throw new Error(`The calibrated weights lack the state "${name}".`);
		ofSteps.set(ofClasses, state << classBits);
	});
	return ofSteps;
}

/**
 * Estimates the tokens of a text in one fast pass: the sum of the weights of the automaton's steps.
 * The mean error per message of agent sessions is about 4 %. `scripts/fitCalibrated.mjs` fits the weights and prints
 * the error by type of content.
 */
export function calibratedTokens(text: string, vocabulary: Vocabulary): number {
	if (text === '') return 0;
	const ofSteps = weightsOf(vocabulary);
	const { unitClasses, nextStates } = getAutomaton();
	let state = 0;
	let tokens = 0;
	for (let index = 0; index < text.length; index++) {
		const step = (state << classBits) | unitClasses[text.charCodeAt(index)]!;
		tokens += ofSteps[step]!;
		state = nextStates[step]!;
	}
	return Math.max(1, Math.round(tokens));
}

/** Tokens of a text by the estimate that needs no vocabulary. */
export function estimateTokens(text: string): number {
	return calibratedTokens(text, 'o200k');
}

/** Whether a text exceeds this many estimated tokens. A UTF-16 unit has at most three. */
export function exceedsTokens(text: string, tokens: number): boolean {
	return text.length * 3 > tokens && estimateTokens(text) > tokens;
}
