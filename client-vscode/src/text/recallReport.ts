/** Describes the results of a search in plain text, for a language model. */

import type { OriginalResult, RecallMatch, RecallResult } from '../../../server/protocol/history.ts';
import { agoText } from './figures.ts';
import { t } from './language.ts';
import { foundText, matchName, noMatchItem, placeText, shownQuery } from './searchText.ts';

function found(match: RecallMatch, now: number): string {
	const { messageId, at, excerpt } = match;
	const facts = [matchName(match), placeText(match), ...(at === undefined ? [] : [agoText(now - at)])];
	return `[${messageId}] ${facts.join(' · ')}\n${excerpt}`;
}

/** Returns found messages with their ids and excerpts. `now` is in milliseconds since the epoch. */
export function recallReport(result: RecallResult, query: string, now: number): string {
	const { matches, searched } = result;
	if (matches.length === 0) {
		const { label, detail } = noMatchItem(query, searched);
		return `${label}. ${detail}.`;
	}
	return [
		`“${shownQuery(query)}”: ${foundText(result)}.`,
		...matches.map((match) => found(match, now)),
		t('To read a message in full, call this tool with its id as the query.'),
	].join('\n\n');
}

/** Returns a part of a message that begins at an offset, with a note about what follows. */
export function originalReport({ content, totalChars, hasMore }: OriginalResult, offset: number): string {
	if (!hasMore) return content;
	const end = offset + content.length;
	return `${content}\n\n${t('Characters {0} to {1} of {2}. To read on, call this tool with offset {3}.', offset, end, totalChars, end)}`;
}
