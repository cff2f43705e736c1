/** Chooses which session is shown for a folder. */

import type { SessionSummary } from '../../../server/protocol/session.ts';
import type { Transcript } from '../../../server/protocol/transcript.ts';

/** What can be shown: a session of the daemon, or another agent's transcript by its path. */
export type SessionReference = { sessionId: string } | { transcript: string };

/** What the user selected, or a session that an agent opened, and when (ms since the epoch). */
export type SessionPick = SessionReference & { at: number };

export interface SessionChoice {
	/** The user's selection, stored across restarts. */
	chosen: SessionPick | null;
	/** The newest session that an agent opened in this window. */
	opened: { sessionId: string; at: number } | null;
	/** All stored sessions. */
	stored: readonly SessionSummary[];
	/** A folder, as a URI; undefined if there is none. */
	workspace: string | undefined;
	/** Transcripts of the folder; null if following is turned off. */
	transcripts: readonly Transcript[] | null;
	/** The session that is shown now. */
	shown: SessionReference | null;
	/** Keys of the candidates at the previous check. */
	seen: ReadonlySet<string>;
}

interface Candidate {
	subject: SessionReference;
	/** Milliseconds since the epoch. */
	updatedAt: number;
	/** Start of the transcript, if known. Milliseconds since the epoch. */
	startedAt?: number;
}

/**
 * Milliseconds by which another candidate must be newer than the shown one: otherwise the meter would alternate
 * between two agents that work at the same time.
 */
const minLeadMs = 60_000;

/** Returns when an agent worked last, in milliseconds since the epoch: a file may have been copied since. */
export function lastActivityOf({ lastActivityAt, updatedAt }: Transcript): number {
	return lastActivityAt ?? updatedAt;
}

/** Returns a unique key of a subject. */
export function sessionKeyOf(subject: SessionReference): string {
	return 'transcript' in subject ? `transcript ${subject.transcript}` : `session ${subject.sessionId}`;
}

/** Returns whether two subjects are the same. */
export function isSameSession(a: SessionReference | null, b: SessionReference | null): boolean {
	return (a && sessionKeyOf(a)) === (b && sessionKeyOf(b));
}

/** Returns the sessions that agents sync, in a folder; in all folders if none is given. */
export function syncedSessions(
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

/** Returns what may be shown without a selection. */
function candidatesOf({ stored, workspace, transcripts }: SessionChoice): Candidate[] {
	const fed = syncedSessions(stored, workspace).filter(({ messageCount }) => messageCount > 0);
	return [
		...fed.map(({ sessionId, updatedAt, createdAt }) => ({
			subject: { sessionId },
			updatedAt,
			startedAt: createdAt,
		})),
		...(transcripts ?? []).map((transcript) => {
			const { path, startedAt } = transcript;
			const updatedAt = lastActivityOf(transcript);
			return {
				subject: { transcript: path },
				updatedAt,
				// A compacted copy begins when its agent continues it, not when it is written.
				...(startedAt !== undefined && { startedAt: Math.min(startedAt, updatedAt) }),
			};
		}),
	];
}

/** Returns the keys of the current candidates, for the next check. */
export function candidateKeysOf(choice: SessionChoice): Set<string> {
	return new Set(candidatesOf(choice).map(({ subject }) => sessionKeyOf(subject)));
}

/**
 * Returns a transcript that can be shown. A missing one is still shown until the second check: its agent may be
 * rewriting the file.
 */
function transcriptAt(path: string, { transcripts, seen }: SessionChoice): SessionReference | null {
	if (transcripts === null) return null;
	const subject = { transcript: path };
	return !isTranscriptGone(subject, transcripts) || seen.has(sessionKeyOf(subject)) ? subject : null;
}

/**
 * Returns the user's selection; null if it is gone or a session began after it. A session that mirrors a transcript
 * counts as the transcript.
 */
function chosenSubject(choice: SessionChoice): SessionReference | null {
	const { chosen, stored } = choice;
	if (!chosen || candidatesOf(choice).some(({ startedAt = 0 }) => startedAt > chosen.at)) return null;
	if ('transcript' in chosen) return transcriptAt(chosen.transcript, choice);
	const session = stored.find(({ sessionId }) => sessionId === chosen.sessionId);
	if (session?.transcript !== undefined) return transcriptAt(session.transcript, choice);
	return session ? { sessionId: session.sessionId } : null;
}

/** Returns the session that an agent opened; null if it is empty and there is a transcript to show. */
function openedSubject({ opened, stored, transcripts }: SessionChoice): SessionReference | null {
	if (!opened) return null;
	const isEmpty = stored.some(
		({ sessionId, messageCount }) => sessionId === opened.sessionId && messageCount === 0,
	);
	return isEmpty && transcripts !== null && transcripts.length > 0 ? null : { sessionId: opened.sessionId };
}

/** Returns whether the subject is shown because the user selected it. */
export function isChosen(choice: SessionChoice, subject: SessionReference | null): boolean {
	return subject !== null && isSameSession(chosenSubject(choice), subject);
}

/**
 * Returns what to show: what the user selected or an agent of this window opened last, as long as it exists;
 * otherwise what was active last, a synced session or a transcript. What is shown stays until another candidate has
 * just begun or is a minute newer. Null if there is nothing.
 */
export function sessionToShow(choice: SessionChoice): SessionReference | null {
	const { chosen, opened, shown, seen } = choice;
	const byUser = chosenSubject(choice);
	const byAgent = openedSubject(choice);
	if (byUser && byAgent) return (chosen?.at ?? 0) > (opened?.at ?? 0) ? byUser : byAgent;
	if (byUser ?? byAgent) return byUser ?? byAgent;
	const candidates = candidatesOf(choice).sort((a, b) => b.updatedAt - a.updatedAt);
	const [newest] = candidates;
	const current = shown && candidates.find(({ subject }) => isSameSession(subject, shown));
	const missed = shown && 'transcript' in shown ? transcriptAt(shown.transcript, choice) : null;
	if (!newest || !current) return missed ?? newest?.subject ?? null;
	const hasBegun = !seen.has(sessionKeyOf(newest.subject));
	return hasBegun || newest.updatedAt - current.updatedAt > minLeadMs ? newest.subject : current.subject;
}

/** Returns whether a subject is a transcript that was not found. */
export function isTranscriptGone(
	subject: SessionReference | null,
	transcripts: readonly Transcript[] | null,
): boolean {
	if (subject === null || !('transcript' in subject) || transcripts === null) return false;
	return !transcripts.some(({ path }) => path === subject.transcript);
}

/** Times in milliseconds since the epoch. */
interface Moments {
	/** When this window had the transcript read. */
	readAt: number;
	/** When the session's newest stats arrived. */
	figuresAt: number;
	now: number;
}

/** Milliseconds that another window has to update the session. */
const updateTimeoutMs = 5_000;

/**
 * Returns whether a transcript has grown and no daemon updates its session, because the window that wrote the session
 * is closed. False for what this window's own daemon follows.
 */
export function isMirrorOutdated(
	{ sessionId, updatedAt }: Transcript,
	{ readAt, figuresAt, now }: Moments,
): boolean {
	return (
		sessionId === undefined && updatedAt > Math.max(readAt, figuresAt) && now - updatedAt > updateTimeoutMs
	);
}
