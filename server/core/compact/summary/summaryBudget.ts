/** The token budget of a summary, from which its blocks take. */

import { measureLatinLength, narrativeCallLength } from '../../analysis/language.ts';
import type { Source } from '../../analysis/source.ts';
import { charactersPerToken } from '../../measure/text/heuristic.ts';
import type { Section } from './headings.ts';

/** Maximum share of the narrative in languages that take more tokens than English for the same text. */
const maxProseShare = { small: 0.95, large: 0.8 } as const;
/** A small budget, in tokens of English prose. */
const smallBudgetTokens = 400;
/** With fewer tokens left, lines of results get nothing: a line with its label takes half of this. */
export const minLineTokens = 40;
/** Approximate tokens of a heading. */
export const headingTokens = 9;

export interface SummaryBudget {
	/** Tokens that are left. */
	tokensLeft: number;
	/** Tokens of the whole budget. */
	readonly totalTokens: number;
	/** Returns the tokens of a text. */
	readonly count: (text: string) => number;
	/** Tokens of prose in this language for each token of the same prose in English; at least 1. */
	readonly costFactor: number;
	/** Sections that have lines already, whose headings are therefore paid for. */
	readonly openedSections: Set<Section>;
}

/** Returns a budget of this many tokens. */
export function createSummaryBudget(
	tokens: number,
	count: SummaryBudget['count'],
	costFactor: number,
): SummaryBudget {
	return { tokensLeft: tokens, totalTokens: tokens, count, costFactor, openedSections: new Set() };
}

/**
 * Returns the cost of prose relative to the rest of the budget. In a conversation without tools the rest is prose, too,
 * so the result is 1 whatever the language.
 */
export function computeProseCostFactor({ costFactor }: SummaryBudget, sources: readonly Source[]): number {
	let prose = 0;
	let lines = 0;
	for (const { role, text, calls } of sources) {
		if (role === 'tool') lines += text.length;
		else prose += measureLatinLength(text);
		lines += calls.length * narrativeCallLength;
	}
	const share = prose / Math.max(1, prose + lines);
	return costFactor / (1 + share * (costFactor - 1));
}

/**
 * Returns the tokens that prose may take of what is left: enough to say what it would say in English with `share`, up
 * to nearly all.
 * @param price cost of prose relative to the rest of the budget; at least 1
 */
export function computeProseBudget(budget: SummaryBudget, share: number, price: number): number {
	const { tokensLeft } = budget;
	const most = isSmallBudget(budget) ? maxProseShare.small : maxProseShare.large;
	const due = tokensLeft * Math.max(share, Math.min(most, share * price));
	return price > 1 && tokensLeft - due < minLineTokens ? tokensLeft : due;
}

/** Whether little is left to say, measured in English. */
export function isSmallBudget({ tokensLeft, costFactor }: SummaryBudget): boolean {
	return tokensLeft < costFactor * smallBudgetTokens;
}

/** Returns the tokens left relative to the size of the sources, from 0 to more than 1. */
export function computeCompressionRatio(
	{ tokensLeft, costFactor }: SummaryBudget,
	sources: readonly Source[],
): number {
	let letters = 0;
	for (const { role, text } of sources)
		letters += role === 'tool' ? text.length : costFactor * measureLatinLength(text);
	return tokensLeft / Math.max(1, letters / charactersPerToken);
}

/** Takes a line from the budget; returns its tokens, or 0 if they exceed `maxTokens` or what is left. */
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
