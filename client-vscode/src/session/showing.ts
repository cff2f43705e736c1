/** Shows the chosen session in the meter, with its stats. */

import type { ContextStats } from '../../../server/protocol/stats.ts';
import type { Daemon } from '../daemon/daemon.ts';
import { plainTitle } from '../text/titles.ts';
import type { ShownSession } from '../usage/usage.ts';
import type { UsageStore } from '../usage/usageStore.ts';
import type { TranscriptFollower } from './following.ts';
import type { SessionChoice, SessionReference } from './sessions.ts';

/** The candidates, and the chosen one. */
export interface Selection extends Pick<SessionChoice, 'stored' | 'transcripts' | 'workspace'> {
	subject: SessionReference | null;
	/** Whether the user selected it. */
	isChosen: boolean;
}

export interface SessionDisplay {
	/** Shows the subject, and follows no other transcript. Rejects if it cannot be read. */
	show(selection: Selection): Promise<void>;
	/** Forgets the watched session, because the daemon ended. */
	forget(): void;
}

/** Creates what shows sessions in a window's meter. */
export function createSessionDisplay(
	daemon: Daemon,
	store: UsageStore,
	following: TranscriptFollower,
): SessionDisplay {
	/** Sets the session together with its stats: otherwise the meter would be empty between two sessions. */
	function present(session: ShownSession, stats: ContextStats | null): void {
		store.dispatch({ type: 'sessionShown', session });
		store.dispatch({ type: 'measured', sessionId: session.sessionId, stats, at: Date.now() });
	}

	async function showSession(sessionId: string, { stored, isChosen }: Selection): Promise<void> {
		const opened = await daemon.request('session/open', { sessionId, readOnly: true });
		const stats = await daemon.request('context/stats', { sessionId });
		const title = stored.find((one) => one.sessionId === sessionId)?.title;
		const readOnly = opened.readOnly !== undefined;
		present({ sessionId, readOnly, isChosen, ...(title && { title: plainTitle(title) }) }, stats);
		await following.release();
	}

	async function showTranscript(path: string, { stored, transcripts, isChosen }: Selection): Promise<void> {
		const { sessionId, source, label } = await following.follow(path);
		const stats = await daemon.request('context/stats', { sessionId });
		const transcript =
			transcripts?.find((one) => one.path === path) ?? stored.find((one) => one.transcript === path);
		const followed = { agent: source, label, path };
		present(
			{
				sessionId,
				readOnly: false,
				isChosen,
				followed,
				...(transcript?.title && { title: plainTitle(transcript.title) }),
			},
			stats,
		);
	}

	return {
		async show(selection) {
			const { subject } = selection;
			if (subject === null) {
				store.dispatch({ type: 'sessionShown', session: null });
				await following.release();
			} else if ('transcript' in subject) await showTranscript(subject.transcript, selection);
			else await showSession(subject.sessionId, selection);
		},
		forget: () => following.forget(),
	};
}
