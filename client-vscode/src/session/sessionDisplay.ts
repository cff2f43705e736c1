/** Shows the chosen session in the meter, with its stats. */

import type { ContextStats } from '../../../server/protocol/stats.ts';
import type { Daemon } from '../daemon/daemon.ts';
import { toPlainTitle } from '../text/titles.ts';
import type { ShownSession } from '../usage/usage.ts';
import type { UsageStore } from '../usage/usageStore.ts';
import type { SelectionInput, SessionReference } from './chooseSession.ts';
import type { TranscriptFollower } from './transcriptFollower.ts';

/** The result of a search: all candidates, and the session or transcript to show. */
export interface Selection extends Pick<SelectionInput, 'storedSessions' | 'transcripts' | 'workspaceUri'> {
	reference: SessionReference | null;
	/** Whether the user selected the session or transcript to show. */
	isUserChoice: boolean;
}

export interface SessionDisplay {
	/** Shows the selected session or transcript, and stops following others. Rejects if it cannot be read. */
	show(selection: Selection): Promise<void>;
	/** Forgets the followed transcript without a request, because the daemon ended. */
	reset(): void;
}

/** Returns the display that shows sessions in a window's meter. */
export function createSessionDisplay(
	daemon: Daemon,
	store: UsageStore,
	follower: TranscriptFollower,
): SessionDisplay {
	/** Shows a session and its stats at once. Otherwise the meter would be empty between two sessions. */
	function showBoth(session: ShownSession, stats: ContextStats | null): void {
		store.dispatch({ type: 'sessionShown', session });
		store.dispatch({ type: 'measured', sessionId: session.sessionId, stats, at: Date.now() });
	}

	async function showSession(sessionId: string, { storedSessions, isUserChoice }: Selection): Promise<void> {
		const openResult = await daemon.request('session/open', { sessionId, readOnly: true });
		const stats = await daemon.request('context/stats', { sessionId });
		const title = storedSessions.find((one) => one.sessionId === sessionId)?.title;
		const isReadOnly = openResult.readOnly !== undefined;
		showBoth({ sessionId, isReadOnly, isUserChoice, ...(title && { title: toPlainTitle(title) }) }, stats);
		await follower.stopFollowing();
	}

	async function showTranscript(
		path: string,
		{ storedSessions, transcripts, isUserChoice }: Selection,
	): Promise<void> {
		const { sessionId, source, label } = await follower.follow(path);
		const stats = await daemon.request('context/stats', { sessionId });
		const transcript =
			transcripts?.find((one) => one.path === path) ?? storedSessions.find((one) => one.transcript === path);
		const followed = { agent: source, label, path };
		showBoth(
			{
				sessionId,
				isReadOnly: false,
				isUserChoice,
				followed,
				...(transcript?.title && { title: toPlainTitle(transcript.title) }),
			},
			stats,
		);
	}

	return {
		async show(selection) {
			const { reference } = selection;
			if (reference === null) {
				store.dispatch({ type: 'sessionShown', session: null });
				await follower.stopFollowing();
			} else if ('transcript' in reference) await showTranscript(reference.transcript, selection);
			else await showSession(reference.sessionId, selection);
		},
		reset: () => follower.reset(),
	};
}
