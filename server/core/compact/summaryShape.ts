/** The last touches to a summary's text: the headings that the user chose, and the turn that it breaks off in. */

import { quoteLine } from './ledger/quote.ts';
import type { Source } from './ledger/source.ts';

/** The shorter set of headings, each with the numbers of those of the ten whose lines it takes. */
const sixSections: readonly { title: string; of: readonly number[] }[] = [
	{ title: 'Previous Conversation', of: [1, 6, 10] },
	{ title: 'Current Work', of: [7] },
	{ title: 'Key Technical Concepts', of: [2] },
	{ title: 'Relevant Files and Code', of: [3, 9] },
	{ title: 'Problem Solving', of: [4] },
	{ title: 'Pending Tasks and Next Steps', of: [5, 8] },
];

/** UTF-16 units of the user's words that a turn is known by. */
const longestAsk = 160;

/** A summary of ten sections in six: the same lines, regrouped. What stands behind the last section stays there. */
export function inSixSections(text: string): string {
	const [body = '', ...closing] = text.split('\n\n');
	const lines = new Map<number, string[]>();
	let section = 0;
	for (const line of body.split('\n')) {
		const heading = /^## (\d+)\. /.exec(line);
		if (heading) section = Number(heading[1]);
		else if (line !== '-') lines.set(section, [...(lines.get(section) ?? []), line]);
	}
	const blocks = sixSections.map(({ title, of }, at) => {
		const own = of.flatMap((number) => lines.get(number) ?? []);
		return `## ${at + 1}. ${title}\n${own.length > 0 ? own.join('\n') : '-'}`;
	});
	return [blocks.join('\n'), ...closing].join('\n\n');
}

/**
 * What is said of a turn whose beginning is summarized and whose end follows: how it began, and how much of it is
 * not shown any more.
 *
 * @param sources messages of the session, in order; `turn` the ordinal of the one that the turn began with, `last`
 * that of the last one summarized.
 */
export function turnPrefixPart(sources: readonly Source[], turn: number, last: number): string {
	const ask = sources.find((source) => source.seq === turn);
	const own = sources.filter((source) => source.seq > turn && source.seq <= last);
	const calls = own.reduce((sum, source) => sum + source.calls.length, 0);
	const words = quoteLine((ask?.text ?? '').slice(0, longestAsk));
	const began = words === '' ? '' : `\n It began with: ${words}`;
	return `## Turn in progress\n Its first ${own.length} messages (${calls} tool calls) are part of this summary; the rest of the turn follows.${began}`;
}
