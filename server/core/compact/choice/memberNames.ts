/** Shows the names of JSON members once: later rows with the same members show only their values. */

import { quote } from '../../analysis/quote.ts';
import type { MemberLine, Source } from '../../analysis/source.ts';

/** Lines with fewer members would hardly become shorter. */
const minMembers = 3;

/** Lines that show members of data rows, by their text as the summary quotes it. */
export type MemberLines = ReadonlyMap<string, MemberLine>;

/** Returns the lines of results in which the names of members may be omitted. */
export function collectMemberLines(sources: readonly Source[]): MemberLines {
	const rows = sources.flatMap((source) => (source.role === 'tool' ? (source.rows ?? []) : []));
	const lines = rows.flatMap(({ memberLines }) => memberLines);
	return new Map(
		lines
			.filter(({ owner, names }) => owner !== '' && names.split(', ').length >= minMembers)
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

	/** Returns a quoted text without names that were shown before: `QX4 (names as in K7Q2): economy, 140`. */
	shorten(text: string): string {
		if (this.#namedLines.size === 0) return text;
		const lines = text.split('\n').map((quoted) => {
			const line = this.#lines.get(quoted.trim());
			const namedLine = line && this.#namedLines.get(getFirstNames(line));
			if (namedLine === undefined || namedLine.owner === line?.owner) return quoted;
			if (!`${namedLine.names}, `.startsWith(`${line?.names}, `)) return quoted;
			return quote(`${line?.owner} (names as in ${namedLine.owner}): ${line?.values}`);
		});
		return lines.join('\n');
	}
}

function getFirstNames({ names }: MemberLine): string {
	return names.split(', ', minMembers).join(', ');
}
