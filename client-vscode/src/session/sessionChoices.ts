/** The choices of what to show, as plain data. */

import { formatPercent } from '../../../server/core/figures.ts';
import type { SessionSummary } from '../../../server/protocol/session.ts';
import type { ContextStats } from '../../../server/protocol/stats.ts';
import type { Transcript } from '../../../server/protocol/transcript.ts';
import { agoText, escapeIcons, messagesText } from '../text/figures.ts';
import { t } from '../text/language.ts';
import { plainPath } from '../text/reads.ts';
import { shortModel, shortTitle } from '../text/titles.ts';
import { percentOf } from '../usage/meterFormat.ts';
import { isSameSession, lastActivityOf, type SessionReference, syncedSessions } from './sessions.ts';

export interface SubjectChoice {
	/** The title. */
	label: string;
	/** How full the window is, whose it is, and when it was active. */
	detail: string;
	/** The whole path of the transcript. */
	path?: string;
	/** Null: always the newest. */
	subject: SessionReference | null;
}

export interface ChoiceGroup {
	title: string;
	choices: SubjectChoice[];
}

export interface ChoiceSources {
	stored: readonly SessionSummary[];
	/** Figures of sessions, by id, if known; the meter shows the same. */
	figures: ReadonlyMap<string, ContextStats>;
	/** Null if following is turned off. */
	transcripts: readonly Transcript[] | null;
	/** The active folder, as a URI. */
	workspace: string | undefined;
	shown: SessionReference | null;
	/** Whether the user selected what is shown; otherwise it is the newest. */
	isChosen: boolean;
	/** Milliseconds since the epoch. */
	now: number;
	/** The user's home folder. */
	home: string;
}

function marked(label: string, subject: SessionReference, shown: SessionReference | null): string {
	const text = escapeIcons(label);
	return isSameSession(subject, shown) ? `$(check) ${text}` : text;
}

/** Maximum length of a shown path in UTF-16 units, so that the text next to it remains readable. */
const maxPathUnits = 64;

/** Shortens a path for people: relative to the home folder, and without its middle if it is long. */
export function shortPath(path: string, home: string): string {
	const own = home !== '' && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
	if (own.length <= maxPathUnits) return own;
	const half = Math.floor(maxPathUnits / 2);
	return `${own.slice(0, half - 1)}…${own.slice(own.length - half)}`;
}

function listed(parts: readonly (string | undefined)[]): string {
	return parts.filter(Boolean).join(' · ');
}

function sessionChoice(
	session: SessionSummary,
	isElsewhere: boolean,
	{ figures, shown, now, home }: ChoiceSources,
): SubjectChoice {
	const { sessionId, title, model, messageCount, updatedAt, workspace } = session;
	const subject = { sessionId };
	const stats = figures.get(sessionId);
	return {
		label: marked(shortTitle(title || sessionId), subject, shown),
		detail: listed([
			stats && percentOf(stats),
			model && shortModel(model),
			messagesText(messageCount),
			agoText(now - (stats?.lastActivityAt ?? updatedAt)),
			isElsewhere && workspace !== undefined ? shortPath(plainPath(workspace), home) : undefined,
		]),
		subject,
	};
}

/** Returns how full a transcript is: as the meter shows it if a session follows it, otherwise from its end. */
function fullnessOf({ sessionId, usage }: Transcript, figures: ChoiceSources['figures']): string | undefined {
	const stats = sessionId === undefined ? undefined : figures.get(sessionId);
	if (stats) return percentOf(stats);
	if (!usage) return undefined;
	const percent = formatPercent(usage.tokens / Math.max(1, usage.limit));
	return usage.isGuess ? `~${percent}` : percent;
}

function transcriptChoice(transcript: Transcript, { figures, shown, now }: ChoiceSources): SubjectChoice {
	const { path, label: name, title, usage } = transcript;
	const subject = { transcript: path };
	return {
		label: marked(shortTitle(title || name), subject, shown),
		detail: listed([
			fullnessOf(transcript, figures),
			name,
			usage?.model && shortModel(usage.model),
			agoText(now - lastActivityOf(transcript)),
			transcript.copyOf === undefined ? undefined : t('compacted copy'),
		]),
		path,
		subject,
	};
}

/** Returns the non-empty groups of choices. Sessions that mirror transcripts are listed as transcripts. */
export function choiceGroups(sources: ChoiceSources): ChoiceGroup[] {
	const { stored, transcripts, workspace } = sources;
	const own = new Set(syncedSessions(stored, workspace));
	const elsewhere = syncedSessions(stored, undefined).filter((session) => !own.has(session));
	const groups = [
		{
			title: t('Sessions of this folder'),
			choices: [...own].map((one) => sessionChoice(one, false, sources)),
		},
		{
			title: t('Other agents’ transcripts in this folder'),
			choices: (transcripts ?? []).map((one) => transcriptChoice(one, sources)),
		},
		{ title: t('Other sessions'), choices: elsewhere.map((one) => sessionChoice(one, true, sources)) },
	];
	const newest: SubjectChoice = {
		label: `$(${sources.isChosen ? 'sync' : 'check'}) ${t('Newest')}`,
		detail: t('Always the session of this folder that was active last'),
		subject: null,
	};
	return [{ title: '', choices: [newest] }, ...groups].filter(({ choices }) => choices.length > 0);
}
