/** The token budget of a summary, from which its blocks take. */

import { latinLength, narrativeCallLength } from '../../analysis/language.ts';
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
	left: number;
	/** Tokens of the whole budget. */
	readonly totalTokens: number;
	/** Returns the tokens of a text. */
	readonly count: (text: string) => number;
	/** Tokens of prose in this language for each token of the same prose in English; at least 1. */
	readonly price: number;
	/** Sections that have lines already, whose headings are therefore paid for. */
	readonly openedSections: Set<Section>;
}

/** Returns a budget of this many tokens. */
export function createSummaryBudget(
	tokens: number,
	count: SummaryBudget['count'],
	price: number,
): SummaryBudget {
	return { left: tokens, totalTokens: tokens, count, price, openedSections: new Set() };
}

/**
 * Returns the cost of prose relative to the rest of the budget. In a conversation without tools the rest is prose, too,
 * so the result is 1 whatever the language.
 */
export function proseCostFactor({ price }: SummaryBudget, sources: readonly Source[]): number {
	let prose = 0;
	let lines = 0;
	for (const { role, text, calls } of sources) {
		if (role === 'tool') lines += text.length;
		else prose += latinLength(text);
		lines += calls.length * narrativeCallLength;
	}
	const share = prose / Math.max(1, prose + lines);
	return price / (1 + share * (price - 1));
}

/**
 * Returns the tokens that prose may take of what is left: enough to say what it would say in English with `share`, up
 * to nearly all.
 * @param price cost of prose relative to the rest of the budget; at least 1
 */
export function proseBudget(budget: SummaryBudget, share: number, price: number): number {
	const { left } = budget;
	const most = isSmall(budget) ? maxProseShare.small : maxProseShare.large;
	const due = left * Math.max(share, Math.min(most, share * price));
	return price > 1 && left - due < minLineTokens ? left : due;
}

/** Whether little is left to say, measured in English. */
export function isSmall({ left, price }: SummaryBudget): boolean {
	return left < price * smallBudgetTokens;
}

/** Returns the tokens left relative to the size of the sources, from 0 to more than 1. */
export function compressionRatio({ left, price }: SummaryBudget, sources: readonly Source[]): number {
	let letters = 0;
	for (const { role, text } of sources) letters += role === 'tool' ? text.length : price * latinLength(text);
	return left / Math.max(1, letters / charactersPerToken);
}

/** Takes a line from the budget; returns its tokens, or 0 if they exceed `most` or what is left. */
export function takeLine(budget: SummaryBudget, section: Section, text: string, most: number): number {
	const tokens = budget.count(text) + 1 + (budget.openedSections.has(section) ? 0 : headingTokens);
	if (tokens > most || tokens > budget.left) return 0;
	budget.left -= tokens;
	budget.openedSections.add(section);
	return tokens;
}

/** Returns the lines that fit into `most` tokens together, in order, and takes them from the budget. */
export function takeLines(
	budget: SummaryBudget,
	section: Section,
	lines: readonly string[],
	most: number,
): string[] {
	let allowed = most;
	return lines.filter((line) => {
		const tokens = takeLine(budget, section, line, allowed);
		allowed -= tokens;
		return tokens > 0;
	});
}
