/** Chooses the session to show: the user's selection, an agent's session, or the newest transcript. */

import type { Memento } from 'vscode';
import * as vscode from 'vscode';
import type { Transcript } from '../../../server/protocol/transcript.ts';
import type { Daemon } from '../daemon/daemon.ts';
import { errorMessageOf, failureKindOf } from '../daemon/failures.ts';
import { shownFigures, shownSessionOf } from '../usage/usage.ts';
import type { UsageStore } from '../usage/usageStore.ts';
import { activeFolder, workspaceOf } from './folder.ts';
import { createTranscriptFollower, type TranscriptFollower } from './following.ts';
import {
	candidateKeysOf,
	isChosen,
	isSameSession,
	isTranscriptGone,
	type SessionPick,
	type SessionReference,
	sessionKeyOf,
	sessionToShow,
} from './sessions.ts';
import { createSessionDisplay, type Selection, type SessionDisplay } from './showing.ts';

/**
 * Milliseconds between two searches for a newer session while the window has the focus; and the share of the time that
 * searches may take, for slow disks and many sessions.
 */
const looking = { interval: 5_000, share: 0.02 };

/**
 * Keeps the session that is shown up to date; asks the daemon for nothing before the first `refresh`.
 *
 * Searches run one after another, so that a slow answer never overtakes a newer one, and none begins after `dispose`. At
 * most one refresh waits. A search belongs to the folder that was active when it began (`#folderKey`); if another folder
 * became active meanwhile, its result is dropped, since the refresh of that folder waits already.
 */
export class SessionTracker implements vscode.Disposable {
	readonly #daemon: Daemon;
	readonly #store: UsageStore;
	readonly #log: vscode.LogOutputChannel;
	readonly #following: TranscriptFollower;
	readonly #showing: SessionDisplay;
	readonly #picks: SessionPicks;
	readonly #timer: NodeJS.Timeout;
	readonly #watching: vscode.Disposable;
	/** The newest session that an agent of this window opened, by the key of its folder. */
	readonly #openedHere = new Map<string, { sessionId: string; at: number }>();
	/** Sessions of agents of this window that have no messages yet. */
	readonly #empty = new Set<string>();
	#folderKey = '';
	#shown: SessionReference | null = null;
	/** Keys of the candidates of the last search. */
	#seen = new Set<string>();
	/** Settles when the searches that have begun or wait have ended. */
	#working: Promise<unknown> = Promise.resolve();
	/** A refresh that has not begun yet. */
	#waiting: Promise<void> | null = null;
	#isRunning = false;
	#isLooking = false;
	#isDisposed = false;
	/** When the next periodic search may begin, in milliseconds of `performance.now()`. */
	#nextLook = 0;

	constructor(daemon: Daemon, store: UsageStore, memory: Memento, log: vscode.LogOutputChannel) {
		this.#daemon = daemon;
		this.#store = store;
		this.#log = log;
		this.#following = createTranscriptFollower(daemon, log);
		this.#showing = createSessionDisplay(daemon, store, this.#following);
		this.#picks = createSessionPicks(memory);
		this.#timer = setInterval(() => {
			if (performance.now() > this.#nextLook) void this.#lookAgain();
		}, looking.interval);
		this.#watching = vscode.Disposable.from(...this.#watchDaemon(), ...this.#watchEditor());
	}

	/** Chooses the session to show, and loads its stats. */
	refresh(): Promise<void> {
		this.#waiting ??= this.#inTurn(() => {
			this.#waiting = null;
			return this.#update();
		}).catch((error) => this.#reportFailure(error));
		return this.#waiting;
	}

	/** Shows the user's choice for the active folder; null: the newest session. Rejects if that fails. */
	async choose(subject: SessionReference | null): Promise<void> {
		const path = subject && 'transcript' in subject ? subject.transcript : null;
		if (path !== null) this.#following.tryAgain(path);
		if (subject === null) {
			this.#shown = null;
			this.#openedHere.delete(activeKey());
		}
		await this.#picks.keep(activeKey(), subject);
		await this.#inTurn(() => this.#update());
		const why = path === null ? null : this.#following.whyNot(path);
		if (why !== null) throw new Error(`The transcript cannot be followed: ${why}`);
	}

	/** Call when an agent of this window has opened a session for a workspace. */
	async opened(sessionId: string, workspace: string | undefined): Promise<void> {
		this.#openedHere.set(workspace ?? '', { sessionId, at: Date.now() });
		this.#empty.add(sessionId);
		if (shownSessionOf(this.#store.current())?.sessionId !== sessionId) await this.refresh();
	}

	/** Returns the transcripts of all folders, newest first; null if following is turned off. */
	transcripts({ usage }: { usage: boolean }): Promise<readonly Transcript[] | null> {
		return this.#following.transcripts(vscode.workspace.workspaceFolders ?? [], usage);
	}

	dispose(): void {
		this.#isDisposed = true;
		clearInterval(this.#timer);
		this.#watching.dispose();
	}

	#watchDaemon(): vscode.Disposable[] {
		const store = this.#store;
		return [
			this.#daemon.onState((state) => {
				this.#isRunning = state.kind === 'running';
				if (state.kind === 'stopped') store.dispatch({ type: 'daemonStopped', reason: state.reason });
				else if (state.kind === 'starting') {
					this.#showing.forget();
					store.dispatch({ type: 'daemonStarting' });
				} else void this.refresh();
			}),
			this.#daemon.onDidChange(({ sessionId, stats }) => {
				if (store.current().kind === 'noSession' || this.#empty.delete(sessionId)) void this.refresh();
				store.dispatch({ type: 'measured', sessionId, stats, at: Date.now() });
			}),
			this.#daemon.onDidChangeFile(({ sessionIds }) => {
				const session = shownSessionOf(store.current())?.sessionId;
				if (session !== undefined && sessionIds.includes(session)) void this.refresh();
			}),
		];
	}

	#watchEditor(): vscode.Disposable[] {
		return [
			vscode.window.onDidChangeActiveTextEditor(() => {
				if (activeKey() !== this.#folderKey) void this.refresh();
			}),
			vscode.window.onDidChangeWindowState(() => void this.#lookAgain()),
			vscode.workspace.onDidChangeWorkspaceFolders(() => void this.refresh()),
			vscode.workspace.onDidChangeConfiguration((change) => {
				if (change.affectsConfiguration('contextd.followTranscripts')) void this.refresh();
			}),
		];
	}

	async #update(): Promise<void> {
		await this.#showOrPass(await this.#look());
	}

	async #look(): Promise<Selection> {
		const folder = activeFolder();
		const workspace = workspaceOf(folder);
		if (this.#folderKey !== activeKey()) this.#seen = new Set();
		this.#folderKey = activeKey();
		const [{ sessions: stored }, found] = await Promise.all([
			this.#daemon.request('session/list', {}),
			this.#candidateTranscripts(folder),
		]);
		const transcripts = found?.filter(({ path }) => this.#following.whyNot(path) === null) ?? null;
		for (const { sessionId, messageCount } of stored) if (messageCount > 0) this.#empty.delete(sessionId);
		const chosen = this.#picks.of(this.#folderKey);
		const opened = this.#openedHere.get(this.#folderKey) ?? null;
		const [shown, seen] = [this.#shown, this.#seen];
		const choice = { chosen, opened, stored, workspace, transcripts, shown, seen };
		const subject = sessionToShow(choice);
		this.#seen = candidateKeysOf(choice);
		return { subject, isChosen: isChosen(choice, subject), stored, workspace, transcripts };
	}

	/** Returns the transcripts of the active folder, or of all folders if it has none or the choice is elsewhere. */
	async #candidateTranscripts(
		folder: vscode.WorkspaceFolder | undefined,
	): Promise<readonly Transcript[] | null> {
		const own = await this.#following.transcripts(folder ? [folder] : []);
		const all = vscode.workspace.workspaceFolders ?? [];
		const chosen = this.#picks.of(activeKey());
		const isChosenThere =
			chosen === null || !('transcript' in chosen) || own?.some(({ path }) => path === chosen.transcript);
		if (all.length < 2 || (isChosenThere && own !== null && own.length > 0)) return own;
		return (await this.#following.transcripts(all)) ?? own;
	}

	/** Shows a result. If it no longer exists, searches again without it. */
	async #showOrPass(selection: Selection): Promise<void> {
		if (activeKey() !== this.#folderKey) return;
		const { subject } = selection;
		try {
			await this.#showing.show(selection);
			this.#shown = subject;
		} catch (error) {
			const kind = failureKindOf(error);
			if (subject === null || kind === undefined || kind === 'DaemonSuspended') throw error;
			if ('transcript' in subject) {
				this.#following.giveUp(subject.transcript, error);
				this.#seen.delete(sessionKeyOf(subject));
			} else {
				const isOpened = this.#openedHere.get(this.#folderKey)?.sessionId === subject.sessionId;
				if (kind !== 'SessionNotFound' || !isOpened) throw error;
				this.#openedHere.delete(this.#folderKey);
			}
			await this.#update();
		}
	}

	/** Searches for a newer session; not while another window has the focus, because nobody would see it. */
	async #lookAgain(): Promise<void> {
		const { kind } = this.#store.current();
		if (this.#isLooking || !vscode.window.state.focused || kind === 'starting' || kind === 'stopped') return;
		this.#isLooking = true;
		await this.#inTurn(() => this.#updateIfNew()).catch((error) => this.#reportFailure(error));
		this.#isLooking = false;
	}

	async #updateIfNew(): Promise<void> {
		const began = performance.now();
		const selection = await this.#look();
		const ended = performance.now();
		const { subject, transcripts } = selection;
		// A removed transcript must be missing twice before another is shown; until then the user sees outdated figures.
		this.#nextLook = isTranscriptGone(subject, transcripts) ? ended : ended + (ended - began) / looking.share;
		const isPinned = shownSessionOf(this.#store.current())?.isChosen === true;
		const isOther = !isSameSession(subject, this.#shown) || isPinned !== selection.isChosen;
		if (isOther || this.#isLeftBehind(selection)) await this.#showOrPass(selection);
	}

	/** Whether the transcript that is shown must be read again. */
	#isLeftBehind({ subject, transcripts }: Selection): boolean {
		const figuresAt = shownFigures(this.#store.current())?.at ?? 0;
		if (subject === null || !('transcript' in subject)) return false;
		const transcript = transcripts?.find(({ path }) => path === subject.transcript);
		return transcript !== undefined && this.#following.isLeftBehind(transcript, figuresAt);
	}

	/** Runs a task after the earlier ones. Rejects as the task does. */
	#inTurn(task: () => Promise<void>): Promise<void> {
		const turn = this.#working.then(() => (this.#isDisposed ? undefined : task()));
		const done = (): void => {};
		this.#working = turn.then(done, done);
		return turn;
	}

	/** Logs a failed search. Shows it only if the daemon runs and nothing else is shown yet. */
	#reportFailure(error: unknown): void {
		if (this.#isDisposed) return;
		this.#log.error(`Finding the session to show: ${errorMessageOf(error)}`);
		if (this.#isRunning && this.#store.current().kind === 'starting')
			this.#store.dispatch({ type: 'daemonStopped', reason: errorMessageOf(error) });
	}
}

/** The key of the active folder. */
function activeKey(): string {
	return workspaceOf(activeFolder()) ?? '';
}

const key = 'contextd.sessionChoices';

interface SessionPicks {
	/** The choice for a folder, by its URI; null if the newest session is shown. */
	of(folder: string): SessionPick | null;
	/** Stores a choice; null removes it. */
	keep(folder: string, subject: SessionReference | null): Promise<void>;
}

/** The choices in the memory of a workspace. */
function createSessionPicks(memory: Memento): SessionPicks {
	const all = () => memory.get<Record<string, SessionPick>>(key, {});
	return {
		of: (folder) => all()[folder] ?? null,
		async keep(folder, subject) {
			const { [folder]: _, ...others } = all();
			await memory.update(key, subject ? { ...others, [folder]: { ...subject, at: Date.now() } } : others);
		},
	};
}
