/** The tokens that a summary may have, as its parts take them. */

import type { Source } from '../ledger/source.ts';
import type { Section } from './headings.ts';
import { charactersPerToken, headingTokens } from './tuning.ts';

export interface Room {
	/** Tokens left. */
	left: number;
	/** Tokens that it had at first. */
	readonly whole: number;
	/** Tokens of a text. */
	readonly count: (text: string) => number;
	/** Sections that have something: their headings are paid for. */
	readonly begun: Set<Section>;
}

/** A room of so many tokens. */
export function createRoom(tokens: number, count: Room['count']): Room {
	return { left: tokens, whole: tokens, count, begun: new Set() };
}

/** What is left beside the sources that it is to tell of, 0 to 1 and beyond. */
export function ratioOf({ left }: Room, sources: readonly Source[]): number {
	const material = sources.reduce((sum, { text }) => sum + text.length, 0) / charactersPerToken;
	return left / Math.max(1, material);
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
