/**
 * Two histories as two texts that an editor compares in no time, however long they are. It compares the characters of
 * what was taken out with those of what came in its place, which takes it many seconds for a whole conversation and its
 * summary. So these two never meet: a line that stands on both sides keeps what left above it, what came below it.
 */

import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import { bodyOf, type Excerpt, excerptOf, headingOf } from './historyText.ts';
import { t } from './language.ts';
import { type Target, targetsOf } from './reads.ts';

/** How much is shown of messages that stay, of those that changed where they stand, and of those that left. */
const shown: Readonly<Record<'same' | 'changed' | 'gone', Excerpt>> = {
	same: { lines: 6, units: 160 },
	changed: { lines: 8, units: 160 },
	gone: { lines: 2, units: 160 },
};

/** In front of lines of what left, so that none of them equals a line of what stays. */
const gutter = '┆ ';

export interface Comparison {
	before: string;
	after: string;
	/** The first line, from 0, in which they differ. */
	firstChange: number;
}

function goneLines(message: ChatMessage, targets: ReadonlyMap<string, Target>): string[] {
	const body = bodyOf(message)
		.split('\n')
		.filter((line) => line.trim() !== '')
		.join('\n');
	return [headingOf(message, targets), ...excerptOf(body, shown.gone).map((line) => `${gutter}${line}`)];
}

/** One that is made anew has no id yet, and could not be opened: it is shown whole. */
function newLines(message: ChatMessage, targets: ReadonlyMap<string, Target>): string[] {
	return [headingOf(message, targets), ...bodyOf(message).split('\n'), ''];
}

function dividerLines(gone: number): string[] {
	const text = t(
		'{0} messages on the left above this line, replaced by the text on the right below it',
		gone,
	);
	return [`═══ ${text} ═══`, ''];
}

function keptLines(message: ChatMessage, excerpt: Excerpt, targets: ReadonlyMap<string, Target>): string[] {
	return [headingOf(message, targets), ...excerptOf(bodyOf(message), excerpt), ''];
}

/** The two sides of a step: what it took out, what it put in, what it changed in its place, and the rest. */
export function comparisonOf(before: readonly ChatMessage[], after: readonly ChatMessage[]): Comparison {
	const targets = targetsOf([...before, ...after]);
	const places = new Map(before.map(({ id }, index) => [id, index]));
	const left: string[] = [];
	const right: string[] = [];
	let firstChange: number | null = null;
	let next = 0;
	let made: ChatMessage[] = [];

	/** Brings both sides to the message of the left at `end`, which stays. */
	function passGap(end: number): void {
		const gone = before.slice(next, end);
		next = end;
		if (gone.length + made.length === 0) return;
		firstChange ??= right.length;
		const divider = gone.length > 0 && made.length > 0 ? dividerLines(gone.length) : [];
		left.push(...gone.flatMap((message) => goneLines(message, targets)), ...divider);
		right.push(...divider, ...made.flatMap((message) => newLines(message, targets)));
		made = [];
	}

	for (const message of after) {
		const place = message.id === undefined ? undefined : places.get(message.id);
		const old = place === undefined ? undefined : before[place];
		if (place === undefined || old === undefined || place < next) {
			made.push(message);
			continue;
		}
		passGap(place);
		next = place + 1;
		const isSame = bodyOf(old) === bodyOf(message);
		if (!isSame) firstChange ??= right.length;
		const excerpt = isSame ? shown.same : shown.changed;
		left.push(...keptLines(old, excerpt, targets));
		right.push(...keptLines(message, excerpt, targets));
	}
	passGap(before.length);
	return { before: left.join('\n'), after: right.join('\n'), firstChange: firstChange ?? 0 };
}
