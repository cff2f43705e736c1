/** The token budget that the blocks of a summary share. */

import { narrativeCallLength } from '../../analysis/message/proseCost.ts';
import type { Source } from '../../analysis/message/source.ts';
import { measureLatinLength } from '../../analysis/text/language.ts';
import { charactersPerToken } from '../../measure/text/heuristic.ts';
import type { Section } from './headings.ts';

/** Maximum share of the remaining budget for prose, in languages that need more tokens than English for the same text. */
const maxProseShare = { small: 0.95, large: 0.8 } as const;
/** Budgets below this are small. Tokens of English prose. */
const smallBudgetTokens = 400;
/** Minimum tokens for lines of results: one line with its label takes half of them. */
export const minLineTokens = 40;
/** Approximate tokens of a heading. */
export const headingTokens = 9;

export interface SummaryBudget {
	/** Remaining tokens. */
	tokensLeft: number;
	/** Tokens of the whole budget. */
	readonly totalTokens: number;
	/** Returns the tokens of a text. */
	readonly count: (text: string) => number;
	/** Tokens of prose in this language for each token of the same prose in English; at least 1. */
	readonly costFactor: number;
	/** Sections that already have lines: the tokens of their headings are taken. */
	readonly openedSections: Set<Section>;
}

/** Returns a budget of `tokens` tokens. */
export function createSummaryBudget(
	tokens: number,
	count: SummaryBudget['count'],
	costFactor: number,
): SummaryBudget {
	return { tokensLeft: tokens, totalTokens: tokens, count, costFactor, openedSections: new Set() };
}

/**
 * Returns the token cost of prose relative to the other content. A conversation without tools has only prose, so the
 * result is 1 in every language.
 */
export function computeProseCostFactor({ costFactor }: SummaryBudget, sources: readonly Source[]): number {
	if (costFactor === 1) return 1;
	let proseLetters = 0;
	let lineLetters = 0;
	for (const { role, text, calls } of sources) {
		if (role === 'tool') lineLetters += text.length;
		else proseLetters += measureLatinLength(text);
		lineLetters += calls.length * narrativeCallLength;
	}
	const share = proseLetters / Math.max(1, proseLetters + lineLetters);
	return costFactor / (1 + share * (costFactor - 1));
}

/**
 * Returns the tokens of the remaining budget for prose, at most `maxProseShare`. They can contain as much content as
 * `share` of the budget would in English.
 * @param proseCostFactor cost of prose relative to the other content; at least 1
 */
export function computeProseBudget(budget: SummaryBudget, share: number, proseCostFactor: number): number {
	const { tokensLeft } = budget;
	const maxShare = isSmallBudget(budget) ? maxProseShare.small : maxProseShare.large;
	const proseTokens = tokensLeft * Math.max(share, Math.min(maxShare, share * proseCostFactor));
	return proseCostFactor > 1 && tokensLeft - proseTokens < minLineTokens ? tokensLeft : proseTokens;
}

/** Whether few tokens remain, converted to tokens of English prose. */
export function isSmallBudget({ tokensLeft, costFactor }: SummaryBudget): boolean {
	return tokensLeft < costFactor * smallBudgetTokens;
}

/** Returns the remaining tokens relative to the size of the sources, from 0 to more than 1. */
export function computeCompressionRatio(
	{ tokensLeft, costFactor }: SummaryBudget,
	sources: readonly Source[],
): number {
	let letters = 0;
	for (const { role, text } of sources)
		letters += role === 'tool' ? text.length : costFactor * measureLatinLength(text);
	return tokensLeft / Math.max(1, letters / charactersPerToken);
}

/** Takes a line's tokens from the budget and returns them; 0 if they exceed `maxTokens` or the remaining budget. */
export function takeLine(budget: SummaryBudget, section: Section, text: string, maxTokens: number): number {
	const tokens = budget.count(text) + 1 + (budget.openedSections.has(section) ? 0 : headingTokens);
	if (tokens > maxTokens || tokens > budget.tokensLeft) return 0;
	budget.tokensLeft -= tokens;
	budget.openedSections.add(section);
	return tokens;
}

/** Returns the lines that fit into `maxTokens` tokens together, in order, and takes them from the budget. */
export function takeLines(
	budget: SummaryBudget,
	section: Section,
	lines: readonly string[],
	maxTokens: number,
): string[] {
	let allowed = maxTokens;
	return lines.filter((line) => {
		const tokens = takeLine(budget, section, line, allowed);
		allowed -= tokens;
		return tokens > 0;
	});
}
