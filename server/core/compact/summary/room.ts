/** The tokens that a summary may have, as its parts take them. */

import { charactersPerToken } from '../../measure/text/heuristic.ts';
import type { Source } from '../ledger/source.ts';
import { extentOf } from '../thread/extent.ts';
import { callLength } from '../thread/price.ts';
import type { Section } from './headings.ts';

/** What the narrative may take in languages that cost more tokens, to say what it would in English. */
const maxProseShare = { small: 0.95, large: 0.8 } as const;
/** A small budget, in tokens of English prose. */
const smallBudgetTokens = 400;
/** Lines of results get nothing if less is left for them: a line with its label takes half. */
export const minLineTokens = 40;
/** Tokens that a heading takes, about. */
export const headingTokens = 9;

export interface Room {
	/** Tokens left. */
	left: number;
	/** Tokens that it had at first. */
	readonly whole: number;
	/** Tokens of a text. */
	readonly count: (text: string) => number;
	/** Tokens that prose takes for each that English would take to say the same; at least 1. */
	readonly price: number;
	/** Sections that have something: their headings are paid for. */
	readonly begun: Set<Section>;
}

/** A room of so many tokens. */
export function createRoom(tokens: number, count: Room['count'], price: number): Room {
	return { left: tokens, whole: tokens, count, price, begun: new Set() };
}

/**
 * What prose costs beside that which has the rest of the room, which is prose, too, where nobody called a tool: in a
 * talk both cost the same, whatever its language.
 */
export function priceBesideLines({ price }: Room, sources: readonly Source[]): number {
	let prose = 0;
	let lines = 0;
	for (const { role, text, calls } of sources) {
		if (role === 'tool') lines += text.length;
		else prose += extentOf(text);
		lines += calls.length * callLength;
	}
	const share = prose / Math.max(1, prose + lines);
	return price / (1 + share * (price - 1));
}

/**
 * What is due to prose of what is left, where `share` of it would be in English: as much as says the same, if need be
 * nearly all.
 *
 * @param price tokens that prose takes for each of what has the rest, as English would have it; at least 1
 */
export function dueToProse(room: Room, share: number, price: number): number {
	const { left } = room;
	const most = isSmall(room) ? maxProseShare.small : maxProseShare.large;
	const due = left * Math.max(share, Math.min(most, share * price));
	return price > 1 && left - due < minLineTokens ? left : due;
}

/** Whether what is left says little, whatever it costs. */
export function isSmall({ left, price }: Room): boolean {
	return left < price * smallBudgetTokens;
}

/** What is left beside the sources that it is to tell of, 0 to 1 and beyond. */
export function ratioOf({ left, price }: Room, sources: readonly Source[]): number {
	let letters = 0;
	for (const { role, text } of sources) letters += role === 'tool' ? text.length : price * extentOf(text);
	return left / Math.max(1, letters / charactersPerToken);
}

/** Takes a line of a section into the room: the tokens it took, none where it takes more than `most` or than is left. */
export function takeLine(room: Room, section: Section, text: string, most: number): number {
	const tokens = room.count(text) + 1 + (room.begun.has(section) ? 0 : headingTokens);
	if (tokens > most || tokens > room.left) return 0;
	room.left -= tokens;
	room.begun.add(section);
	return tokens;
}

/** Those of the lines, in order, that fit into `most` tokens together. */
export function takeLines(room: Room, section: Section, lines: readonly string[], most: number): string[] {
	let allowed = most;
	return lines.filter((line) => {
		const tokens = takeLine(room, section, line, allowed);
		allowed -= tokens;
		return tokens > 0;
	});
}
