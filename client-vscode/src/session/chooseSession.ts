/** Chooses the session or transcript to show for a folder. */

import type { SessionSummary } from '../../../server/protocol/session.ts';
import type { Transcript } from '../../../server/protocol/transcript.ts';

/** A session of the daemon by its id, or another agent's transcript by its path. */
export type SessionReference = { sessionId: string } | { transcript: string };

/** A session or transcript that the user selected, with the time in milliseconds since the epoch. */
export type UserChoice = SessionReference & { at: number };

export interface SelectionInput {
	/** The user's selection, which survives restarts. */
	userChoice: UserChoice | null;
	/** The newest session that an agent of this window opened, with the time in milliseconds since the epoch. */
	openedSession: { sessionId: string; at: number } | null;
	/** All stored sessions. */
	storedSessions: readonly SessionSummary[];
	/** URI of the active folder; undefined if there is none. */
	workspaceUri: string | undefined;
	/** Transcripts of the folder; null if following is turned off. */
	transcripts: readonly Transcript[] | null;
	/** The session that is shown now. */
	shownSession: SessionReference | null;
	/** Keys of the candidates that the previous search found. */
	seenKeys: ReadonlySet<string>;
}

interface Candidate {
	reference: SessionReference;
	/** Milliseconds since the epoch. */
	updatedAt: number;
	/** Start of the transcript, if known. Milliseconds since the epoch. */
	startedAt?: number;
}

/**
 * Milliseconds by which another candidate must be newer than the shown one. Otherwise the meter would alternate between
 * two agents that work at the same time.
 */
const minLeadMs = 60_000;

/**
 * Returns when the agent of a transcript last worked, in milliseconds since the epoch. If the file was copied, this is
 * earlier than the file's time.
 */
export function getLastActivity({ lastActivityAt, updatedAt }: Transcript): number {
	return lastActivityAt ?? updatedAt;
}

/** Returns a unique key of a session or transcript. */
export function getSessionKey(reference: SessionReference): string {
	return 'transcript' in reference ? `transcript ${reference.transcript}` : `session ${reference.sessionId}`;
}

/** Returns whether two references name the same session or transcript; true if both are null. */
export function isSameSession(a: SessionReference | null, b: SessionReference | null): boolean {
	return (a && getSessionKey(a)) === (b && getSessionKey(b));
}

/** Returns the sessions of one folder, or of all folders if none is given, that mirror no transcript. */
export function filterSynced(
	sessions: readonly SessionSummary[],
	workspace: string | undefined,
): SessionSummary[] {
	const trimSlashes = (uri: string): string => uri.replace(/(?<!\/)\/+$/, '');
	return sessions.filter(
		(session) =>
			session.source === undefined &&
			(workspace === undefined || trimSlashes(session.workspace ?? '') === trimSlashes(workspace)),
	);
}

/** Returns the sessions and transcripts among which the shown one is chosen if the user selected none. */
function listCandidates({ storedSessions, workspaceUri, transcripts }: SelectionInput): Candidate[] {
	const syncedSessions = filterSynced(storedSessions, workspaceUri).filter(
		({ messageCount }) => messageCount > 0,
	);
	return [
		...syncedSessions.map(({ sessionId, updatedAt, createdAt }) => ({
			reference: { sessionId },
			updatedAt,
			startedAt: createdAt,
		})),
		...(transcripts ?? []).map((transcript) => {
			const { path, startedAt } = transcript;
			const updatedAt = getLastActivity(transcript);
			return {
				reference: { transcript: path },
				updatedAt,
				// A compacted copy is written after its last activity. It counts as new only once its agent has continued it.
				...(startedAt !== undefined && { startedAt: Math.min(startedAt, updatedAt) }),
			};
		}),
	];
}

/** Returns the keys of the current candidates, for comparison by the next search. */
export function collectCandidateKeys(input: SelectionInput): Set<string> {
	return new Set(listCandidates(input).map(({ reference }) => getSessionKey(reference)));
}

/**
 * Returns the transcript at a path; null if it is gone. It counts as gone only if two searches in a row do not find it,
 * because its agent may be rewriting the file.
 */
function findTranscript(path: string, { transcripts, seenKeys }: SelectionInput): SessionReference | null {
	if (transcripts === null) return null;
	const reference = { transcript: path };
	const mayExist = !isTranscriptGone(reference, transcripts) || seenKeys.has(getSessionKey(reference));
	return mayExist ? reference : null;
}

/**
 * Returns the user's selection; null if it no longer exists, or if another session began after the selection. A session
 * that mirrors a transcript counts as the transcript.
 */
function resolveUserChoice(input: SelectionInput): SessionReference | null {
	const { userChoice, storedSessions } = input;
	if (!userChoice || listCandidates(input).some(({ startedAt = 0 }) => startedAt > userChoice.at))
		return null;
	if ('transcript' in userChoice) return findTranscript(userChoice.transcript, input);
	const session = storedSessions.find(({ sessionId }) => sessionId === userChoice.sessionId);
	if (session?.transcript !== undefined) return findTranscript(session.transcript, input);
	return session ? { sessionId: session.sessionId } : null;
}

/** Returns the session that an agent of this window opened; null if it is empty and a transcript can be shown. */
function resolveOpenedSession({
	openedSession,
	storedSessions,
	transcripts,
}: SelectionInput): SessionReference | null {
	if (!openedSession) return null;
	const isEmpty = storedSessions.some(
		({ sessionId, messageCount }) => sessionId === openedSession.sessionId && messageCount === 0,
	);
	return isEmpty && transcripts !== null && transcripts.length > 0
		? null
		: { sessionId: openedSession.sessionId };
}

/** Returns whether a session or transcript is shown because the user selected it. */
export function isChosenByUser(input: SelectionInput, reference: SessionReference | null): boolean {
	return reference !== null && isSameSession(resolveUserChoice(input), reference);
}

/**
 * Returns the session or transcript to show; null if there is none. The user's selection and the session that an agent
 * of this window opened come first; the later of the two wins. Otherwise the candidate with the latest activity is shown,
 * but it replaces the shown candidate only if it has just begun or is more than a minute newer.
 */
export function chooseSession(input: SelectionInput): SessionReference | null {
	const { userChoice, openedSession, shownSession, seenKeys } = input;
	const chosenReference = resolveUserChoice(input);
	const openedReference = resolveOpenedSession(input);
	if (chosenReference && openedReference)
		return (userChoice?.at ?? 0) > (openedSession?.at ?? 0) ? chosenReference : openedReference;
	if (chosenReference ?? openedReference) return chosenReference ?? openedReference;
	const candidates = listCandidates(input).sort((a, b) => b.updatedAt - a.updatedAt);
	const [newest] = candidates;
	const shownCandidate =
		shownSession && candidates.find(({ reference }) => isSameSession(reference, shownSession));
	const shownTranscript =
		shownSession && 'transcript' in shownSession ? findTranscript(shownSession.transcript, input) : null;
	if (!newest || !shownCandidate) return shownTranscript ?? newest?.reference ?? null;
	const isNew = !seenKeys.has(getSessionKey(newest.reference));
	return isNew || newest.updatedAt - shownCandidate.updatedAt > minLeadMs
		? newest.reference
		: shownCandidate.reference;
}

/** Returns whether a reference names a transcript that is missing in the list. */
export function isTranscriptGone(
	reference: SessionReference | null,
	transcripts: readonly Transcript[] | null,
): boolean {
	if (reference === null || !('transcript' in reference) || transcripts === null) return false;
	return !transcripts.some(({ path }) => path === reference.transcript);
}

/** Times in milliseconds since the epoch. */
interface MirrorTimes {
	/** Time at which this window last made the daemon read the transcript. */
	readAt: number;
	/** Time at which the session's newest stats arrived. */
	statsAt: number;
	now: number;
}

/** Milliseconds within which the daemon of another window reads a changed transcript. */
const updateTimeoutMs = 5_000;

/**
 * Returns whether a transcript has grown but no daemon updated its session, because the window that followed the
 * transcript is closed. False for transcripts that this window's daemon follows.
 */
export function isMirrorOutdated(
	{ sessionId, updatedAt }: Transcript,
	{ readAt, statsAt, now }: MirrorTimes,
): boolean {
	return (
		sessionId === undefined && updatedAt > Math.max(readAt, statsAt) && now - updatedAt > updateTimeoutMs
	);
}
