/** Lists the sessions and transcripts from which the user can select, as plain data. */

import { formatPercent } from '../../../server/core/figures.ts';
import type { SessionSummary } from '../../../server/protocol/session.ts';
import type { ContextStats } from '../../../server/protocol/stats.ts';
import type { Transcript } from '../../../server/protocol/transcript.ts';
import { escapeIcons, formatAgo, formatMessageCount, shortenModel, shortenTitle } from '../text/figures.ts';
import { t } from '../text/language.ts';
import { toPlainPath } from '../text/reads.ts';
import { formatMeterPercent } from '../usage/meter.ts';
import { filterSynced, getLastActivity, isSameSession, type SessionReference } from './chooseSession.ts';

export interface SessionOption {
	/** Title of the session, with an icon if it is shown now. */
	label: string;
	/** One line: how full the window is, its agent or model, and when the session was last active. */
	detail: string;
	/** Full path of the transcript; absent for sessions. */
	path?: string;
	/** The session or transcript; null selects the newest. */
	reference: SessionReference | null;
}

export interface SessionOptionGroup {
	title: string;
	choices: SessionOption[];
}

export interface SessionOptionSources {
	storedSessions: readonly SessionSummary[];
	/** Known stats by session id; the meter shows the same figures. */
	statsBySession: ReadonlyMap<string, ContextStats>;
	/** Transcripts of other agents; null if following is turned off. */
	transcripts: readonly Transcript[] | null;
	/** URI of the active folder. */
	workspaceUri: string | undefined;
	shownSession: SessionReference | null;
	/** Whether the user selected the shown session; false if it is shown because it is the newest. */
	isUserChoice: boolean;
	/** Milliseconds since the epoch. */
	now: number;
	/** The user's home folder. */
	homeFolder: string;
}

function markShown(label: string, reference: SessionReference, current: SessionReference | null): string {
	const text = escapeIcons(label);
	return isSameSession(reference, current) ? `$(check) ${text}` : text;
}

/** Maximum length of a shown path in UTF-16 units, so that the text next to it remains readable. */
const maxPathUnits = 64;

/** Shortens a path for people: relative to the home folder, and without its middle if it is long. */
export function shortenPath(path: string, home: string): string {
	const shortPath = home !== '' && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
	if (shortPath.length <= maxPathUnits) return shortPath;
	const half = Math.floor(maxPathUnits / 2);
	return `${shortPath.slice(0, half - 1)}…${shortPath.slice(shortPath.length - half)}`;
}

function joinDetails(parts: readonly (string | undefined)[]): string {
	return parts.filter(Boolean).join(' · ');
}

function toSessionOption(
	session: SessionSummary,
	isOfOtherFolder: boolean,
	{ statsBySession, shownSession, now, homeFolder }: SessionOptionSources,
): SessionOption {
	const { sessionId, title, model, messageCount, updatedAt, workspace } = session;
	const reference = { sessionId };
	const stats = statsBySession.get(sessionId);
	return {
		label: markShown(shortenTitle(title || sessionId), reference, shownSession),
		detail: joinDetails([
			stats && formatMeterPercent(stats),
			model && shortenModel(model),
			formatMessageCount(messageCount),
			formatAgo(now - (stats?.lastActivityAt ?? updatedAt)),
			isOfOtherFolder && workspace !== undefined
				? shortenPath(toPlainPath(workspace), homeFolder)
				: undefined,
		]),
		reference,
	};
}

/**
 * Returns how full the window of a transcript's agent is, such as `~63%`. If a session follows the transcript, this is the
 * meter's figure, otherwise it comes from the end of the file. Undefined if unknown.
 */
function formatFullness(
	{ sessionId, usage }: Transcript,
	statsBySession: SessionOptionSources['statsBySession'],
): string | undefined {
	const stats = sessionId === undefined ? undefined : statsBySession.get(sessionId);
	if (stats) return formatMeterPercent(stats);
	if (!usage) return undefined;
	const percent = formatPercent(usage.tokens / Math.max(1, usage.limit));
	return usage.isGuess ? `~${percent}` : percent;
}

function toTranscriptOption(
	transcript: Transcript,
	{ statsBySession, shownSession, now }: SessionOptionSources,
): SessionOption {
	const { path, label: name, title, usage } = transcript;
	const reference = { transcript: path };
	return {
		label: markShown(shortenTitle(title || name), reference, shownSession),
		detail: joinDetails([
			formatFullness(transcript, statsBySession),
			name,
			usage?.model && shortenModel(usage.model),
			formatAgo(now - getLastActivity(transcript)),
			transcript.copyOf === undefined ? undefined : t('compacted copy'),
		]),
		path,
		reference,
	};
}

/** Returns the choices in groups, without empty groups. A session that mirrors a transcript is listed as transcript. */
export function groupSessionOptions(sources: SessionOptionSources): SessionOptionGroup[] {
	const { storedSessions, transcripts, workspaceUri } = sources;
	const folderSessions = new Set(filterSynced(storedSessions, workspaceUri));
	const otherSessions = filterSynced(storedSessions, undefined).filter(
		(session) => !folderSessions.has(session),
	);
	const groups = [
		{
			title: t('Sessions of this folder'),
			choices: [...folderSessions].map((session) => toSessionOption(session, false, sources)),
		},
		{
			title: t('Other agents’ transcripts in this folder'),
			choices: (transcripts ?? []).map((transcript) => toTranscriptOption(transcript, sources)),
		},
		{
			title: t('Other sessions'),
			choices: otherSessions.map((session) => toSessionOption(session, true, sources)),
		},
	];
	const newest: SessionOption = {
		label: `$(${sources.isUserChoice ? 'sync' : 'check'}) ${t('Newest')}`,
		detail: t('Always the session of this folder that was active last'),
		reference: null,
	};
	return [{ title: '', choices: [newest] }, ...groups].filter(({ choices }) => choices.length > 0);
}
