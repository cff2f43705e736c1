/** Describes the results of a search in a session. */

import type { OriginalResult, RecallMatch, RecallResult } from '../../../server/protocol/history.ts';
import { escapeIcons, formatAgo, formatMessageCount } from './figures.ts';
import { t } from './language.ts';
import { formatRole } from './messageNames.ts';
import { createLineExcerpt } from './occurrence.ts';
import { getBaseName } from './reads.ts';

/** A found message as an entry of a list. */
export interface MatchItem {
	label: string;
	description: string;
	/** The part of the message that contains the query, in one line. */
	detail: string;
	match: RecallMatch;
}

/** Returns the name of a found message: its author, or its tool and file. */
export function formatMatchName({ role, toolName, path }: RecallMatch): string {
	if (toolName !== undefined) return path === undefined ? toolName : `${toolName} ${getBaseName(path)}`;
	const name = formatRole(role);
	return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

/** Says whether a found message is in the window or what removed it; for a recorded session, returns the session's name. */
export function formatVisibility({ visible, shortened, hiddenCause, label, title }: RecallMatch): string {
	if (label !== undefined) return title === undefined ? label : `${label} · ${title}`;
	if (shortened) return t('shortened in the window');
	if (visible) return t('in the window');
	return hiddenCause === 'rewind' ? t('removed by a rewind') : t('compacted away');
}

const roleIcons: Readonly<Record<RecallMatch['role'], string>> = {
	system: 'gear',
	user: 'account',
	assistant: 'comment',
	tool: 'tools',
};

/** Returns the list entry of a found message. `now` is in milliseconds since the epoch. */
export function toMatchItem(match: RecallMatch, query: string, now: number): MatchItem {
	const { at, role, excerpt } = match;
	return {
		label: `$(${roleIcons[role]}) ${escapeIcons(formatMatchName(match))}`,
		description: [
			escapeIcons(formatVisibility(match)),
			...(at === undefined ? [] : [formatAgo(now - at)]),
		].join(' · '),
		detail: escapeIcons(createLineExcerpt(excerpt, query)),
		match,
	};
}

/** Returns a text about how many messages match and are listed; undefined for recorded sessions, which are not counted. */
export function formatMatchCount({ matches, total, searched }: RecallResult): string | undefined {
	if (matches.length === 0 || matches[0]?.recordingId !== undefined) return undefined;
	const countText = t('found in {0} of {1}', total, formatMessageCount(searched));
	return matches.length < total ? `${countText}, ${t('the best {0} are listed', matches.length)}` : countText;
}

/** Maximum length of a query that is quoted in a text, in UTF-16 units. */
const maxQueryUnits = 100;

/** Returns a query in a form that a text may quote: a long query is shortened. */
export function shortenQuery(query: string): string {
	return query.length > maxQueryUnits ? `${query.slice(0, maxQueryUnits).toWellFormed()}…` : query;
}

/** Returns the list entry for a search of one session that found nothing. */
export function createNoMatch(query: string, searched: number): { label: string; detail: string } {
	return {
		label: escapeIcons(t('No message contains “{0}”', shortenQuery(query))),
		detail: t(
			'Searched the whole session: {0}, including what was compacted away',
			formatMessageCount(searched),
		),
	};
}

/** Returns the list entry for a search of all recorded sessions that found nothing. */
export function createNoRecordedMatch(query: string, pending: number): { label: string; detail?: string } {
	return {
		label: escapeIcons(t('No recorded message contains “{0}”', shortenQuery(query))),
		...(pending > 0 && { detail: t('Some sessions are still being indexed; search again in a while') }),
	};
}

function formatMatch(match: RecallMatch, now: number): string {
	const { messageId, at, excerpt } = match;
	const facts = [
		formatMatchName(match),
		formatVisibility(match),
		...(at === undefined ? [] : [formatAgo(now - at)]),
	];
	return `[${messageId}] ${facts.join(' · ')}\n${excerpt}`;
}

/** Returns found messages as text for a model, with ids and excerpts. `now` is in milliseconds since the epoch. */
export function formatRecall(result: RecallResult, query: string, now: number): string {
	const { matches, searched } = result;
	if (matches.length === 0) {
		const { label, detail } = createNoMatch(query, searched);
		return `${label}. ${detail}.`;
	}
	return [
		`“${shortenQuery(query)}”: ${formatMatchCount(result)}.`,
		...matches.map((match) => formatMatch(match, now)),
		t('To read a message in full, call this tool with its id as the query.'),
	].join('\n\n');
}

/** Returns a part of a message as text for a model; if more follows, with a note on how to read on. */
export function formatOriginal({ content, totalChars, hasMore }: OriginalResult, offset: number): string {
	if (!hasMore) return content;
	const end = offset + content.length;
	return `${content}\n\n${t('Characters {0} to {1} of {2}. To read on, call this tool with offset {3}.', offset, end, totalChars, end)}`;
}
