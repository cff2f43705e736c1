/** Chooses the session to show: the user's selection, an agent's session, or the newest transcript. */

import type { Memento } from 'vscode';
import * as vscode from 'vscode';
import { errorText } from '../../../server/core/failure.ts';
import type { ContextStats } from '../../../server/protocol/stats.ts';
import type { Transcript } from '../../../server/protocol/transcript.ts';
import type { Daemon } from '../daemon/daemon.ts';
import { getFailureKind } from '../daemon/failures.ts';
import { toPlainTitle } from '../text/figures.ts';
import { getMeasurement, getShownSession, type ShownSession } from '../usage/usage.ts';
import type { UsageStore } from '../usage/usageStore.ts';
import {
	chooseSession,
	collectCandidateKeys,
	getSessionKey,
	isChosenByUser,
	isSameSession,
	isTranscriptGone,
	type SelectionInput,
	type SessionReference,
	type UserChoice,
} from './chooseSession.ts';
import { findActiveFolder, getWorkspaceUri } from './folder.ts';
import { TranscriptFollower } from './transcriptFollower.ts';

/** The result of a search: all candidates, and the session or transcript to show. */
interface Selection extends Pick<SelectionInput, 'storedSessions' | 'transcripts' | 'workspaceUri'> {
	reference: SessionReference | null;
	/** Whether the user selected the session or transcript to show. */
	isUserChoice: boolean;
}

/** Milliseconds between two searches for a newer session while the window has the focus. */
const searchIntervalMs = 5_000;
/** Maximum share of the time for searches: slow searches, on slow disks or with many sessions, run less often. */
const maxSearchShare = 0.02;
/** Maximum milliseconds between two searches, even if searches are slow. */
const maxSearchPauseMs = 20_000;
/** Key of the user's choices, which the editor stores with the workspace. */
const userChoicesKey = 'contextd.sessionChoices';

/**
 * Keeps the shown session up to date. Sends no request before the first `refresh`.
 *
 * Searches run one after another, so that a slow search never overwrites a newer result. No search begins after
 * `dispose`. At most one refresh waits. A search belongs to the folder that was active when the search began
 * (`#folderKey`). If another folder became active meanwhile, the result is dropped: a refresh for the new folder is
 * already waiting.
 */
export class SessionTracker implements vscode.Disposable {
	readonly #daemon: Daemon;
	readonly #store: UsageStore;
	readonly #log: vscode.LogOutputChannel;
	readonly #follower: TranscriptFollower;
	readonly #memory: Memento;
	readonly #timer: NodeJS.Timeout;
	readonly #subscriptions: vscode.Disposable;
	/** The newest session that an agent of this window opened, by folder key; `at` in milliseconds since the epoch. */
	readonly #openedSessions = new Map<string, { sessionId: string; at: number }>();
	/** Sessions of agents of this window that have no messages yet. */
	readonly #emptySessions = new Set<string>();
	#folderKey = '';
	#shownSession: SessionReference | null = null;
	/** Keys of the candidates of the last search. */
	#seenCandidateKeys = new Set<string>();
	/** Settles when all running and waiting searches have ended. */
	#lastTask: Promise<unknown> = Promise.resolve();
	/** A refresh that has not begun yet. */
	#waitingRefresh: Promise<void> | null = null;
	#isDaemonRunning = false;
	#isSearching = false;
	#isDisposed = false;
	/** Time at which the next periodic search may begin, in milliseconds of `performance.now()`. */
	#nextSearchAt = 0;

	constructor(daemon: Daemon, store: UsageStore, memory: Memento, log: vscode.LogOutputChannel) {
		this.#daemon = daemon;
		this.#store = store;
		this.#log = log;
		this.#follower = new TranscriptFollower(daemon, log);
		this.#memory = memory;
		this.#timer = setInterval(() => {
			if (performance.now() > this.#nextSearchAt) void this.#searchForNewer();
		}, searchIntervalMs);
		this.#subscriptions = vscode.Disposable.from(...this.#watchDaemon(), ...this.#watchEditor());
	}

	/** Chooses the session to show, and loads its stats. */
	refresh(): Promise<void> {
		this.#waitingRefresh ??= this.#enqueue(() => {
			this.#waitingRefresh = null;
			return this.#searchAndShow();
		}).catch((error) => this.#reportFailure(error));
		return this.#waitingRefresh;
	}

	/** Stores and shows the user's choice for the active folder; null is the newest session. Rejects if it cannot be shown. */
	async choose(reference: SessionReference | null): Promise<void> {
		const path = reference && 'transcript' in reference ? reference.transcript : null;
		if (path !== null) this.#follower.clearFailure(path);
		if (reference === null) {
			this.#shownSession = null;
			this.#openedSessions.delete(getActiveFolderKey());
		}
		await this.#storeUserChoice(getActiveFolderKey(), reference);
		await this.#enqueue(() => this.#searchAndShow());
		const reason = path === null ? null : this.#follower.getFailureReason(path);
		if (reason !== null) throw new Error(`The transcript cannot be followed: ${reason}`);
	}

	/** Records that an agent of this window opened a session for a workspace, and shows the session. */
	async addOpenedSession(sessionId: string, workspace: string | undefined): Promise<void> {
		this.#openedSessions.set(workspace ?? '', { sessionId, at: Date.now() });
		this.#emptySessions.add(sessionId);
		if (getShownSession(this.#store.current())?.sessionId !== sessionId) await this.refresh();
	}

	/** Returns the transcripts of all folders, newest first; null if following is turned off. */
	listTranscripts({ usage }: { usage: boolean }): Promise<readonly Transcript[] | null> {
		return this.#follower.listTranscripts(vscode.workspace.workspaceFolders ?? [], usage);
	}

	dispose(): void {
		this.#isDisposed = true;
		clearInterval(this.#timer);
		this.#subscriptions.dispose();
	}

	#readUserChoices(): Record<string, UserChoice> {
		return this.#memory.get(userChoicesKey, {});
	}

	/** Returns the user's choice for a folder URI; null if the newest session is shown. */
	#getUserChoice(folder: string): UserChoice | null {
		return this.#readUserChoices()[folder] ?? null;
	}

	/** Stores the user's choice for a folder URI; null removes it. */
	async #storeUserChoice(folder: string, reference: SessionReference | null): Promise<void> {
		const { [folder]: _, ...others } = this.#readUserChoices();
		const choices = reference ? { ...others, [folder]: { ...reference, at: Date.now() } } : others;
		await this.#memory.update(userChoicesKey, choices);
	}

	#watchDaemon(): vscode.Disposable[] {
		const store = this.#store;
		return [
			this.#daemon.onDidChangeState((state) => {
				this.#isDaemonRunning = state.kind === 'running';
				if (state.kind === 'stopped') store.dispatch({ type: 'daemonStopped', reason: state.reason });
				else if (state.kind === 'starting') {
					this.#follower.reset();
					store.dispatch({ type: 'daemonStarting' });
				} else void this.refresh();
			}),
			this.#daemon.onDidChange(({ sessionId, stats }) => {
				if (store.current().kind === 'noSession' || this.#emptySessions.delete(sessionId))
					void this.refresh();
				store.dispatch({ type: 'measured', sessionId, stats, at: Date.now() });
			}),
			this.#daemon.onDidChangeFile(({ sessionIds }) => {
				const session = getShownSession(store.current())?.sessionId;
				if (session !== undefined && sessionIds.includes(session)) void this.refresh();
			}),
		];
	}

	#watchEditor(): vscode.Disposable[] {
		return [
			vscode.window.onDidChangeActiveTextEditor(() => {
				if (getActiveFolderKey() !== this.#folderKey) void this.refresh();
			}),
			vscode.window.onDidChangeWindowState(() => void this.#searchForNewer()),
			vscode.workspace.onDidChangeWorkspaceFolders(() => void this.refresh()),
			vscode.workspace.onDidChangeConfiguration((change) => {
				if (change.affectsConfiguration('contextd.followTranscripts')) void this.refresh();
			}),
		];
	}

	async #searchAndShow(): Promise<void> {
		await this.#showOrSearchAgain(await this.#search());
	}

	async #search(): Promise<Selection> {
		const folder = findActiveFolder();
		const workspaceUri = getWorkspaceUri(folder);
		if (this.#folderKey !== getActiveFolderKey()) this.#seenCandidateKeys = new Set();
		this.#folderKey = getActiveFolderKey();
		const [{ sessions: storedSessions }, allTranscripts] = await Promise.all([
			this.#daemon.request('session/list', {}),
			this.#listCandidateTranscripts(folder),
		]);
		const transcripts =
			allTranscripts?.filter(({ path }) => this.#follower.getFailureReason(path) === null) ?? null;
		for (const { sessionId, messageCount } of storedSessions)
			if (messageCount > 0) this.#emptySessions.delete(sessionId);
		const input: SelectionInput = {
			userChoice: this.#getUserChoice(this.#folderKey),
			openedSession: this.#openedSessions.get(this.#folderKey) ?? null,
			storedSessions,
			workspaceUri,
			transcripts,
			shownSession: this.#shownSession,
			seenKeys: this.#seenCandidateKeys,
		};
		const reference = chooseSession(input);
		this.#seenCandidateKeys = collectCandidateKeys(input);
		return {
			reference,
			isUserChoice: isChosenByUser(input, reference),
			storedSessions,
			workspaceUri,
			transcripts,
		};
	}

	/** Returns the transcripts of the active folder; of all folders if it has none, or if the user chose one elsewhere. */
	async #listCandidateTranscripts(
		folder: vscode.WorkspaceFolder | undefined,
	): Promise<readonly Transcript[] | null> {
		const transcripts = await this.#follower.listTranscripts(folder ? [folder] : []);
		const folders = vscode.workspace.workspaceFolders ?? [];
		const choice = this.#getUserChoice(getActiveFolderKey());
		const isChoiceListed =
			choice === null ||
			!('transcript' in choice) ||
			transcripts?.some(({ path }) => path === choice.transcript);
		if (folders.length < 2 || (isChoiceListed && transcripts !== null && transcripts.length > 0))
			return transcripts;
		return (await this.#follower.listTranscripts(folders)) ?? transcripts;
	}

	/** Shows the session that a search chose. If the session no longer exists, searches again. */
	async #showOrSearchAgain(selection: Selection): Promise<void> {
		if (getActiveFolderKey() !== this.#folderKey) return;
		const { reference } = selection;
		try {
			await this.#show(selection);
			this.#shownSession = reference;
		} catch (error) {
			const kind = getFailureKind(error);
			if (reference === null || kind === undefined || kind === 'DaemonSuspended') throw error;
			if ('transcript' in reference) {
				this.#follower.recordFailure(reference.transcript, error);
				this.#seenCandidateKeys.delete(getSessionKey(reference));
			} else {
				const wasOpenedHere = this.#openedSessions.get(this.#folderKey)?.sessionId === reference.sessionId;
				if (kind !== 'SessionNotFound' || !wasOpenedHere) throw error;
				this.#openedSessions.delete(this.#folderKey);
			}
			await this.#searchAndShow();
		}
	}

	/** Shows the selected session or transcript, and stops following others. Rejects if it cannot be read. */
	async #show(selection: Selection): Promise<void> {
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
		const title = storedSessions.find((session) => session.sessionId === sessionId)?.title;
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
			transcripts?.find((each) => each.path === path) ??
			storedSessions.find((session) => session.transcript === path);
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

	/** Searches for a newer session, unless another window has the focus, because then nobody would see the result. */
	async #searchForNewer(): Promise<void> {
		const { kind } = this.#store.current();
		if (this.#isSearching || !vscode.window.state.focused || kind === 'starting' || kind === 'stopped')
			return;
		this.#isSearching = true;
		await this.#enqueue(() => this.#showIfNewer()).catch((error) => this.#reportFailure(error));
		this.#isSearching = false;
	}

	async #showIfNewer(): Promise<void> {
		const startedAt = performance.now();
		const selection = await this.#search();
		const endedAt = performance.now();
		const { reference, transcripts } = selection;
		const pauseMs = Math.min((endedAt - startedAt) / maxSearchShare, maxSearchPauseMs);
		// A removed transcript stays shown, with outdated figures, until a second search misses it, so search again soon.
		this.#nextSearchAt = isTranscriptGone(reference, transcripts) ? endedAt : endedAt + pauseMs;
		const isShownByChoice = getShownSession(this.#store.current())?.isUserChoice === true;
		const isDifferent =
			!isSameSession(reference, this.#shownSession) || isShownByChoice !== selection.isUserChoice;
		if (isDifferent || this.#isShownOutdated(selection)) await this.#showOrSearchAgain(selection);
	}

	/** Returns whether the shown transcript must be read again. */
	#isShownOutdated({ reference, transcripts }: Selection): boolean {
		const statsAt = getMeasurement(this.#store.current())?.at ?? 0;
		if (reference === null || !('transcript' in reference)) return false;
		const transcript = transcripts?.find(({ path }) => path === reference.transcript);
		return transcript !== undefined && this.#follower.isOutdated(transcript, statsAt);
	}

	/** Runs a task after all earlier tasks; does nothing after `dispose`. Rejects if the task rejects. */
	#enqueue(task: () => Promise<void>): Promise<void> {
		const turn = this.#lastTask.then(() => (this.#isDisposed ? undefined : task()));
		const ignore = (): void => {};
		this.#lastTask = turn.then(ignore, ignore);
		return turn;
	}

	/** Logs a failed search. Shows the failure only if the daemon runs and nothing else is shown yet. */
	#reportFailure(error: unknown): void {
		if (this.#isDisposed) return;
		this.#log.error(`Finding the session to show: ${errorText(error)}`);
		if (this.#isDaemonRunning && this.#store.current().kind === 'starting')
			this.#store.dispatch({ type: 'daemonStopped', reason: errorText(error) });
	}
}

/** Returns the key of the active folder: its URI, or an empty text if the daemon cannot read it. */
function getActiveFolderKey(): string {
	return getWorkspaceUri(findActiveFolder()) ?? '';
}
