/** Renders the entries of a summary. */

import type { LinesBySection, Section } from './headings.ts';

/** A text from a message in a summary. */
export interface SummaryEntry {
	/** Ordinal of the message. */
	seq: number;
	/** Position within the message; texts without a gap between them have consecutive numbers. */
	order: number;
	section: Section;
	/** The file that the text shows; entries of the same file are shown together. */
	file?: string;
	/** The label before the text: `[#12 Edit a.ts]`. */
	label: string;
	/** The label without the file, used directly after another entry of the same file. */
	shortLabel?: string;
	/** The text, already escaped for the summary. */
	text: string;
	/** Whether the text starts on a new line. */
	isOnNewLine: boolean;
}

/** The label of an entry with the agent's text: `[#12]`. */
export const agentLabelPattern = /^\[#\d+\]$/;

/** Mark in place of omitted text. */
const gap = '…';
/** Ends of sentences in scripts without spaces. */
const unspacedEndPattern = /[。！？；]$/;

/** Appends a text to a line. */
function appendText(line: string, text: string): string {
	return unspacedEndPattern.test(line) ? line + text : `${line} ${text}`;
}

function compareEntries(a: SummaryEntry, b: SummaryEntry): number {
	const [left, right] = [a.file ?? '', b.file ?? ''];
	if (left !== right) return left < right ? -1 : 1;
	return a.seq - b.seq || a.order - b.order;
}

/** Renders the lines of each section: messages in order, each with its label, and entries of the same file together. */
export function renderLinesBySection(entries: readonly SummaryEntry[]): LinesBySection {
	const lines: LinesBySection = new Map();
	const last = new Map<Section, SummaryEntry>();
	for (const entry of [...entries].sort(compareEntries)) {
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
		if (follows && !entry.isOnNewLine) body.push(appendText(body.pop() ?? '', text));
		else body.push(` ${text}`);
	}
	return lines;
}
