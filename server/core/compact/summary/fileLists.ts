/** The files that were changed and read, each named once. */

import { filesTouched } from '../ledger/filesTouched.ts';
import { quoteLine } from '../ledger/quote.ts';
import type { Source } from '../ledger/source.ts';

/** One line of what was changed and one of what was only read, the newest first, as far as `tokens` go. */
export function fileLists(
	sources: readonly Source[],
	tokens: number,
	count: (text: string) => number,
): string[] {
	const { changed, read } = filesTouched(sources);
	let left = tokens;
	const list = (what: string, files: readonly { path: string }[]): string[] => {
		const named: string[] = [];
		for (const { path } of files.toReversed()) {
			const name = quoteLine(path);
			left -= count(name) + 1;
			if (left < 0) break;
			named.push(name);
		}
		if (named.length === 0) return [];
		const more = named.length < files.length ? `, … (${files.length} in all)` : '';
		return [`- ${what}: ${named.join(', ')}${more}`];
	};
	return [...list('changed', changed), ...list('read', read)];
}
