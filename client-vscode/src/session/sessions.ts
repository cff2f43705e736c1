/** Which session is shown for a folder. */

import type { SessionSummary } from '../../../server/protocol/session.ts';
import type { Transcript } from '../../../server/protocol/transcript.ts';

/** What can be shown: a session of the daemon's, or another agent's transcript, by its path. */
export type Subject = { sessionId: string } | { transcript: string };

/** A subject that was chosen by hand, or a session that an agent opened, at a time (ms since the epoch). */
export type SessionPick = Subject & { at: number };

export interface SessionChoice {
	/** By hand, kept across restarts. */
	chosen: SessionPick | null;
	/** The newest session that an agent opened in this window. */
	opened: { sessionId: string; at: number } | null;
	/** Every session that is stored. */
	stored: readonly SessionSummary[];
	/** A folder, as a URI; undefined where there is none. */
	workspace: string | undefined;
	/** Transcripts of the folder; null where transcripts are not to be followed. */
	transcripts: readonly Transcript[] | null;
	/** What is shown now. */
	shown: Subject | null;
	/** Keys of what there was at the last look. */
	seen: ReadonlySet<string>;
}

interface Candidate {
	subject: Subject;
	/** Milliseconds since the epoch. */
	updatedAt: number;
	/** When it began, where it tells. Milliseconds since the epoch. */
	startedAt?: number;
}

/**
 * Milliseconds by which another subject must be ahead of the one that is shown: of two agents that work at the same
 * time, the meter would else show now one, now the other.
 */
const lead = 60_000;

/** What tells subjects apart. */
export function keyOf(subject: Subject): string {
	return 'transcript' in subject ? `transcript ${subject.transcript}` : `session ${subject.sessionId}`;
}

/** Whether two subjects are the same. */
export function isSame(a: Subject | null, b: Subject | null): boolean {
	return (a && keyOf(a)) === (b && keyOf(b));
}

/** The sessions that agents feed, of a folder; of all folders where none is named. */
export function fedSessions(
	stored: readonly SessionSummary[],
	workspace: string | undefined,
): SessionSummary[] {
	const plain = (uri: string): string => uri.replace(/(?<!\/)\/+$/, '');
	return stored.filter(
		(session) =>
			session.source === undefined &&
			(workspace === undefined || plain(session.workspace ?? '') === plain(workspace)),
	);
}

/** What may be shown without being asked for. */
function candidatesOf({ stored, workspace, transcripts }: SessionChoice): Candidate[] {
	const fed = fedSessions(stored, workspace).filter(({ messageCount }) => messageCount > 0);
	return [
		...fed.map(({ sessionId, updatedAt, createdAt }) => ({
			subject: { sessionId },
			updatedAt,
			startedAt: createdAt,
		})),
		...(transcripts ?? []).map(({ path, updatedAt, startedAt }) => ({
			subject: { transcript: path },
			updatedAt,
			...(startedAt !== undefined && { startedAt }),
		})),
	];
}

/** The keys of what there is now, for the next look. */
export function keysOf(choice: SessionChoice): Set<string> {
	return new Set(candidatesOf(choice).map(({ subject }) => keyOf(subject)));
}

/** A transcript that can be shown. One that its agent writes anew is missed for a moment, a removed one twice. */
function transcriptAt(path: string, { transcripts, seen }: SessionChoice): Subject | null {
	if (transcripts === null) return null;
	const subject = { transcript: path };
	return !hasLeft(subject, transcripts) || seen.has(keyOf(subject)) ? subject : null;
}

/**
 * A choice as it can be shown now; null where it is gone, or a session began after it. The session of a transcript
 * stands for that.
 */
function chosenSubject(choice: SessionChoice): Subject | null {
	const { chosen, stored } = choice;
	if (!chosen || candidatesOf(choice).some(({ startedAt = 0 }) => startedAt > chosen.at)) return null;
	if ('transcript' in chosen) return transcriptAt(chosen.transcript, choice);
	const session = stored.find(({ sessionId }) => sessionId === chosen.sessionId);
	if (session?.transcript !== undefined) return transcriptAt(session.transcript, choice);
	return session ? { sessionId: session.sessionId } : null;
}

/** A session without messages says nothing: it stands back where a transcript does. */
function openedSubject({ opened, stored, transcripts }: SessionChoice): Subject | null {
	if (!opened) return null;
	const isEmpty = stored.some(
		({ sessionId, messageCount }) => sessionId === opened.sessionId && messageCount === 0,
	);
	return isEmpty && transcripts !== null && transcripts.length > 0 ? null : { sessionId: opened.sessionId };
}

/** Whether what is shown was chosen by hand, and is not what would be shown anyway by its newness alone. */
export function isChosen(choice: SessionChoice, subject: Subject | null): boolean {
	return subject !== null && isSame(chosenSubject(choice), subject);
}

/**
 * What to show: what was chosen by hand or opened by an agent of this window last, as long as it is there; else what
 * was active last, a session that an agent feeds or a transcript. The one that is shown stays until another has just
 * begun or is a minute ahead. Null where there is nothing.
 */
export function sessionToShow(choice: SessionChoice): Subject | null {
	const { chosen, opened, shown, seen } = choice;
	const byHand = chosenSubject(choice);
	const byAgent = openedSubject(choice);
	if (byHand && byAgent) return (chosen?.at ?? 0) > (opened?.at ?? 0) ? byHand : byAgent;
	if (byHand ?? byAgent) return byHand ?? byAgent;
	const candidates = candidatesOf(choice).sort((a, b) => b.updatedAt - a.updatedAt);
	const [newest] = candidates;
	const current = shown && candidates.find(({ subject }) => isSame(subject, shown));
	const missed = shown && 'transcript' in shown ? transcriptAt(shown.transcript, choice) : null;
	if (!newest || !current) return missed ?? newest?.subject ?? null;
	const hasBegun = !seen.has(keyOf(newest.subject));
	return hasBegun || newest.updatedAt - current.updatedAt > lead ? newest.subject : current.subject;
}

/** Whether a subject is a transcript that is not among those that were found. */
export function hasLeft(subject: Subject | null, transcripts: readonly Transcript[] | null): boolean {
	if (subject === null || !('transcript' in subject) || transcripts === null) return false;
	return !transcripts.some(({ path }) => path === subject.transcript);
}

/** When things happened. Milliseconds since the epoch. */
interface Moments {
	/** This window had the transcript read. */
	readAt: number;
	/** The session's newest figures came. */
	figuresAt: number;
	now: number;
}

/** Milliseconds that another window is given to bring the session up to date. */
const patience = 5_000;

/**
 * Whether a transcript has grown, and nobody brings its session up to date: another window wrote the session, and is
 * gone. What this window's own daemon follows is never left behind.
 */
export function isLeftBehind(
	{ sessionId, updatedAt }: Transcript,
	{ readAt, figuresAt, now }: Moments,
): boolean {
	return sessionId === undefined && updatedAt > Math.max(readAt, figuresAt) && now - updatedAt > patience;
}
