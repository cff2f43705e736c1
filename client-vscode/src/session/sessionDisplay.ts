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

/** Shows selected sessions and transcripts in a window's meter. */
export class SessionDisplay {
	readonly #daemon: Daemon;
	readonly #store: UsageStore;
	readonly #follower: TranscriptFollower;

	constructor(daemon: Daemon, store: UsageStore, follower: TranscriptFollower) {
		this.#daemon = daemon;
		this.#store = store;
		this.#follower = follower;
	}

	/** Shows the selected session or transcript, and stops following others. Rejects if it cannot be read. */
	async show(selection: Selection): Promise<void> {
		const { reference } = selection;
		if (reference === null) {
			this.#store.dispatch({ type: 'sessionShown', session: null });
			await this.#follower.stopFollowing();
		} else if ('transcript' in reference) await this.#showTranscript(reference.transcript, selection);
		else await this.#showSession(reference.sessionId, selection);
	}

	/** Shows a session and its stats at once. Otherwise the meter would be empty between two sessions. */
	#showWithStats(session: ShownSession, stats: ContextStats | null): void {
		this.#store.dispatch({ type: 'sessionShown', session });
		this.#store.dispatch({ type: 'measured', sessionId: session.sessionId, stats, at: Date.now() });
	}

	async #showSession(sessionId: string, { storedSessions, isUserChoice }: Selection): Promise<void> {
		const openResult = await this.#daemon.request('session/open', { sessionId, readOnly: true });
		const stats = await this.#daemon.request('context/stats', { sessionId });
		const title = storedSessions.find((one) => one.sessionId === sessionId)?.title;
		const isReadOnly = openResult.readOnly !== undefined;
		this.#showWithStats(
			{ sessionId, isReadOnly, isUserChoice, ...(title && { title: toPlainTitle(title) }) },
			stats,
		);
		await this.#follower.stopFollowing();
	}

	async #showTranscript(
		path: string,
		{ storedSessions, transcripts, isUserChoice }: Selection,
	): Promise<void> {
		const { sessionId, source, label } = await this.#follower.follow(path);
		const stats = await this.#daemon.request('context/stats', { sessionId });
		const transcript =
			transcripts?.find((one) => one.path === path) ?? storedSessions.find((one) => one.transcript === path);
		const followed = { agent: source, label, path };
		this.#showWithStats(
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
}
