/** Shows the names of JSON members once: later rows with the same members show only their values. */

import type { MemberLine, RenderedMember, Source } from '../../analysis/message/source.ts';
import { quote } from '../../analysis/text/quote.ts';

/** Lines with fewer members would hardly become shorter. */
const minMembers = 3;

/** Replaces a value that is the same in the row with the names. */
const ditto = '″';
/** Minimum length of a value that the mark replaces. UTF-16 units. */
const minDittoLength = 9;

/** Lines that show members of data rows, by their text as the summary quotes it. */
export type MemberLines = ReadonlyMap<string, MemberLine>;

/** Returns the lines of rows in which the names of members may be omitted. */
export function collectMemberLines(sources: readonly Source[]): MemberLines {
	const lines = sources.flatMap(({ rows = [] }) => rows.flatMap(({ memberLines }) => memberLines));
	return new Map(
		lines
			.filter(({ owner, members }) => owner !== '' && listNames(members).length >= minMembers)
			.map((line) => [quote(line.text).trim(), line]),
	);
}

/** The names of members that the summary shows so far. */
export class MemberNames {
	readonly #lines: MemberLines;
	/** The first line shown with its names, by its first `minMembers` names. */
	readonly #namedLines = new Map<string, MemberLine>();
	/** Ids of the rows shown so far. `names as in K7Q2` refers to the first line shown of a row, never to its other lines. */
	readonly #shownRows = new Set<string>();

	constructor(lines: MemberLines) {
		this.#lines = lines;
	}

	/** Records that the names of members in the lines of a quoted text are now shown. */
	recordShown(text: string): void {
		if (this.#lines.size === 0) return;
		for (const quoted of text.split('\n')) {
			const line = this.#lines.get(quoted.trim());
			if (line === undefined || this.#shownRows.has(line.owner)) continue;
			this.#shownRows.add(line.owner);
			const key = getFirstNames(line);
			if (!this.#namedLines.has(key)) this.#namedLines.set(key, line);
		}
	}

	/**
	 * Returns a quoted text without names that were shown before: `QX4 (names as in K7Q2): economy, 140, seat 12A`. Long
	 * values that are the same in both rows are not repeated either: `QX4 (names and ″ as in K7Q2): economy, 140, ″`.
	 */
	shorten(text: string): string {
		if (this.#namedLines.size === 0) return text;
		const lines = text.split('\n').map((quoted) => {
			const line = this.#lines.get(quoted.trim());
			return line === undefined ? quoted : (this.#shortenLine(line) ?? quoted);
		});
		return lines.join('\n');
	}

	/** Returns a line with only the values of its first members, if their names were shown before. */
	#shortenLine(line: MemberLine): string | undefined {
		const namedLine = this.#namedLines.get(getFirstNames(line));
		if (namedLine === undefined || namedLine.owner === line.owner) return undefined;
		const firstNew = line.members.findIndex(({ names }, index) => names !== namedLine.members[index]?.names);
		const knownCount = firstNew < 0 ? line.members.length : firstNew;
		if (listNames(line.members.slice(0, knownCount)).length < minMembers) return undefined;
		const shown = line.members.map(({ text, values }, index) => {
			if (index >= knownCount) return text;
			const isRepeated = values.length >= minDittoLength && values === namedLine.members[index]?.values;
			return isRepeated ? ditto : values;
		});
		const known = shown.includes(ditto) ? `names and ${ditto}` : 'names';
		return quote(`${line.owner} (${known} as in ${namedLine.owner}): ${shown.join(', ')}`);
	}
}

function listNames(members: readonly RenderedMember[]): string[] {
	const names = members.map((member) => member.names).join(', ');
	return names.split(', ');
}

function getFirstNames({ members }: MemberLine): string {
	return listNames(members).slice(0, minMembers).join(', ');
}
