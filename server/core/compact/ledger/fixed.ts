import * as blocks from './blocks.ts';
import { filesTouched } from './filesTouched.ts';
import type { Section } from './headings.ts';
import { outcomesOf } from './outcomes.ts';
import type { Source } from './source.ts';

/** Shares of the room that each block may take; what it leaves goes to quotations. */
const RULES = 0.6;
const ADVICE = 0.05;
const ASK = 0.06;
const TODOS = 0.06;
const EVOLUTION = 0.04;
const FILES = 0.06;
const FAILURES = 0.05;
const LAST_WORDS = 0.05;
const NEXT = 0.03;
/** Where the room is small, the last request may take this many tokens all the same. */
const LEAST_ASK = 60;
const MOST_FAILURES = 8;

/** Lines of the summary by section. */
export type Lines = Map<Section, string[]>;

/** Room that lines are taken from. */
interface Room {
	lines: Lines;
	/** Tokens. */
	left: number;
	count: (text: string) => number;
}

/** What every summary says, in the order of its worth, as far as the room (tokens by `count`) goes. */
export function fixedLines(
	sources: readonly Source[],
	visible: readonly Source[],
	tokens: number,
	count: (text: string) => number,
): Lines {
	const room: Room = { lines: new Map(), left: tokens, count };
	if (tokens <= 0) return room.lines;
	const all = [...sources, ...visible].sort((a, b) => a.seq - b.seq);
	const { binding, advice } = blocks.ruleLines(sources, visible);
	put(room, 10, tokens * RULES, binding);
	put(room, 10, tokens * ADVICE, advice);
	const ask = blocks.askLines(sources, visible);
	putFirst(room, 5, Math.max(LEAST_ASK, tokens * ASK), ask);
	put(room, 5, tokens * TODOS, blocks.todoLines(all));
	put(room, 1, tokens * NEXT, blocks.requestLines(visible));
	put(room, 9, tokens * FILES, blocks.fileLines(filesTouched(sources)));
	putNewest(room, 4, tokens * FAILURES, blocks.failureLines(outcomesOf(sources)), MOST_FAILURES);
	putNewest(room, 6, tokens * EVOLUTION, blocks.evolutionLines(sources).reverse(), Number.POSITIVE_INFINITY);
	putFirst(room, 7, tokens * LAST_WORDS, blocks.lastWords(sources));
	put(room, 8, tokens * NEXT, blocks.nextLines(all));
	return room.lines;
}

/** As many of the lines as fit. */
function put(room: Room, section: Section, most: number, lines: readonly string[]): number {
	let allowed = Math.min(room.left, most);
	const taken = room.lines.get(section) ?? [];
	const before = taken.length;
	for (const line of lines) {
		const cost = room.count(line) + 1;
		if (cost > allowed) continue;
		allowed -= cost;
		room.left -= cost;
		taken.push(line);
	}
	if (taken.length > 0) room.lines.set(section, taken);
	return taken.length - before;
}

/** The first of the lines that fits. */
function putFirst(room: Room, section: Section, most: number, lines: readonly string[]): void {
	for (const line of lines) if (put(room, section, most, [line]) > 0) return;
}

/** The newest of the lines (the last ones), in order, and how many more there were. */
function putNewest(
	room: Room,
	section: Section,
	most: number,
	lines: readonly string[],
	limit: number,
): void {
	const newest = lines.slice(-Math.min(limit, lines.length)).reverse();
	const taken = put(room, section, most, newest);
	if (taken === 0) return;
	const body = room.lines.get(section)!;
	body.push(...body.splice(-taken).reverse());
	const more = lines.length - taken;
	if (limit !== Number.POSITIVE_INFINITY && more > 0) put(room, section, room.left, [`- …and ${more} more`]);
}
