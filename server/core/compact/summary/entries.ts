/** What a summary says of single messages, and how it is put together. */

import type { Lines, Section } from './headings.ts';

/** Something that a message said. */
export interface Entry {
	/** Ordinal of the message. */
	seq: number;
	/** Place within the message; what follows the one before without a gap has the next number. */
	order: number;
	section: Section;
	/** The file that it shows, which all that is shown of it stands beside. */
	file?: string;
	/** What stands before the message's words: `[#12 Edit a.ts]`. */
	label: string;
	/** The same without the file, which stands there where the entry before is of the file, too. */
	shortLabel?: string;
	/** Already harmless within the summary. */
	text: string;
	/** Begins a line of its own. */
	ownLine: boolean;
}

/** Stands where something was left out. */
const gap = '…';
/** Ends of sentences in scripts that set no space behind them. */
const endsWithoutSpace = /[。！？；]$/;

/** What a message said, with what it said right behind it on the same line. */
function behind(line: string, text: string): string {
	return endsWithoutSpace.test(line) ? line + text : `${line} ${text}`;
}

function byPlace(a: Entry, b: Entry): number {
	const [left, right] = [a.file ?? '', b.file ?? ''];
	if (left !== right) return left < right ? -1 : 1;
	return a.seq - b.seq || a.order - b.order;
}

/** The lines of each section: messages in order, each under its label; in "Files" what is of one file together. */
export function linesOf(entries: readonly Entry[]): Lines {
	const lines: Lines = new Map();
	const last = new Map<Section, Entry>();
	for (const entry of [...entries].sort(byPlace)) {
		const body = lines.get(entry.section) ?? [];
		lines.set(entry.section, body);
		const before = last.get(entry.section);
		last.set(entry.section, entry);
		const text = entry.text.trimStart();
		if (before?.seq !== entry.seq || before.label !== entry.label) {
			const isSameFile = entry.file !== undefined && entry.file === before?.file;
			body.push(`${(isSameFile && entry.shortLabel) || entry.label} ${text}`.trimStart());
			continue;
		}
		const follows = before.order + 1 === entry.order;
		if (!follows) body.push(`${body.pop()} ${gap}`);
		if (follows && !entry.ownLine) body.push(behind(body.pop() ?? '', text));
		else body.push(` ${text}`);
	}
	return lines;
}
