/** The choices of what to show, as plain data. */

import type { SessionSummary } from '../../../server/protocol/session.ts';
import type { Transcript } from '../../../server/protocol/transcript.ts';
import { agoText, messagesText, percentText, sizeText } from '../text/figures.ts';
import { t } from '../text/language.ts';
import { plainPath } from '../text/reads.ts';
import { fedSessions, isSame, type Subject } from './sessions.ts';

export interface SubjectChoice {
	label: string;
	description: string;
	detail?: string;
	/** Null: always the newest. */
	subject: Subject | null;
}

export interface ChoiceGroup {
	title: string;
	choices: SubjectChoice[];
}

export interface ChoiceSources {
	stored: readonly SessionSummary[];
	/** How full the windows of sessions are, by id, if known; 1 is full. */
	fullness: ReadonlyMap<string, number>;
	/** Null if following is turned off. */
	transcripts: readonly Transcript[] | null;
	/** The active folder, as a URI. */
	workspace: string | undefined;
	shown: Subject | null;
	/** Whether the user selected what is shown; otherwise it is the newest. */
	isChosen: boolean;
	/** Milliseconds since the epoch. */
	now: number;
	/** The user's home folder. */
	home: string;
}

function marked(label: string, subject: Subject, shown: Subject | null): string {
	return isSame(subject, shown) ? `$(check) ${label}` : label;
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
	{ fullness, shown, now, home }: ChoiceSources,
): SubjectChoice {
	const { sessionId, title, model, messageCount, updatedAt, workspace } = session;
	const subject = { sessionId };
	const ratio = fullness.get(sessionId);
	return {
		label: marked(title || sessionId, subject, shown),
		description: listed([
			ratio === undefined ? undefined : `~${percentText(ratio)}`,
			model,
			messagesText(messageCount),
			agoText(now - updatedAt),
		]),
		...(isElsewhere && workspace !== undefined && { detail: shortPath(plainPath(workspace), home) }),
		subject,
	};
}

function transcriptChoice(transcript: Transcript, { shown, now, home }: ChoiceSources): SubjectChoice {
	const { path, label: name, title, size, updatedAt, usage } = transcript;
	const fullness = usage && `~${percentText(usage.tokens / Math.max(1, usage.limit))}`;
	const subject = { transcript: path };
	return {
		label: marked(title || name, subject, shown),
		description: listed([fullness, name, usage?.model, sizeText(size), agoText(now - updatedAt)]),
		detail: shortPath(path, home),
		subject,
	};
}

/** Returns the non-empty groups of choices. Sessions that mirror transcripts are listed as transcripts. */
export function choiceGroups(sources: ChoiceSources): ChoiceGroup[] {
	const { stored, transcripts, workspace } = sources;
	const own = new Set(fedSessions(stored, workspace));
	const elsewhere = fedSessions(stored, undefined).filter((session) => !own.has(session));
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
		description: t('the session that was active last in this folder'),
		subject: null,
	};
	return [{ title: '', choices: [newest] }, ...groups].filter(({ choices }) => choices.length > 0);
}
