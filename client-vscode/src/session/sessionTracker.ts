/** Keeps at which session is shown: chosen by hand, fed by an agent, or mirrored from the newest transcript. */

import type { Memento } from 'vscode';
import * as vscode from 'vscode';
import { sessionList } from '../../../server/protocol/session.ts';
import type { Transcript } from '../../../server/protocol/transcript.ts';
import type { Daemon } from '../daemon/daemon.ts';
import { kindOf, messageOf } from '../daemon/failures.ts';
import { sessionOf, shownFigures } from '../usage/usage.ts';
import type { UsageStore } from '../usage/usageStore.ts';
import { activeFolder, workspaceOf } from './folder.ts';
import { createFollowing } from './following.ts';
import {
	hasLeft,
	isChosen,
	isSame,
	keyOf,
	keysOf,
	type SessionPick,
	type Subject,
	sessionToShow,
} from './sessions.ts';
import { createShowing, type Selection } from './showing.ts';

/**
 * Milliseconds between two looks for a session that began meanwhile, while the window has the focus; and the share of
 * the time that looking may take, where the disk is slow or there is very much.
 */
const looking = { interval: 5_000, share: 0.02 };

export interface SessionTracker extends vscode.Disposable {
	/** Finds out which session to show, and its figures. */
	refresh(): Promise<void>;
	/**
	 * The user chose what to show for the folder at hand; null for whatever is the newest. Rejects where it cannot be
	 * shown.
	 */
	choose(subject: Subject | null): Promise<void>;
	/** An agent of this window opened a session for a workspace. */
	opened(sessionId: string, workspace: string | undefined): Promise<void>;
	/** The transcripts of all folders, newest first, with how full each is; null where none are to be followed. */
	transcripts(order: { usage: boolean }): Promise<readonly Transcript[] | null>;
}

/** The tracker; it asks the daemon for nothing before its first `refresh`. */
export function createSessionTracker(
	daemon: Daemon,
	store: UsageStore,
	memory: vscode.Memento,
	log: vscode.LogOutputChannel,
): SessionTracker {
	const following = createFollowing(daemon, log);
	const { show, forget } = createShowing(daemon, store, following);
	const picks = createSessionPicks(memory);
	const openedHere = new Map<string, { sessionId: string; at: number }>();
	/** Sessions of agents of this window that have no messages yet. */
	const empty = new Set<string>();
	let folderKey = '';
	let shown: Subject | null = null;
	/** Keys of what there was at the last look. */
	let seen = new Set<string>();
	let working: Promise<unknown> = Promise.resolve();
	/** A refresh that has not begun yet. */
	let waiting: Promise<void> | null = null;
	let isRunning = false;
	let isLooking = false;
	let isDisposed = false;
	let nextLook = 0;

	function keyNow(): string {
		return workspaceOf(activeFolder()) ?? '';
	}

	/** Those of the folder at hand; where nobody worked there, or another one was chosen, those of all folders. */
	async function transcriptsAtHand(
		folder: vscode.WorkspaceFolder | undefined,
	): Promise<readonly Transcript[] | null> {
		const own = await following.transcripts(folder ? [folder] : []);
		const all = vscode.workspace.workspaceFolders ?? [];
		const chosen = picks.of(keyNow());
		const isChosenThere =
			chosen === null || !('transcript' in chosen) || own?.some(({ path }) => path === chosen.transcript);
		if (all.length < 2 || (isChosenThere && own !== null && own.length > 0)) return own;
		return (await following.transcripts(all)) ?? own;
	}

	async function look(): Promise<Selection> {
		const folder = activeFolder();
		const workspace = workspaceOf(folder);
		if (folderKey !== keyNow()) seen = new Set();
		folderKey = keyNow();
		const [{ sessions: stored }, found] = await Promise.all([
			daemon.request(sessionList, {}),
			transcriptsAtHand(folder),
		]);
		const transcripts = found?.filter(({ path }) => following.whyNot(path) === null) ?? null;
		for (const { sessionId, messageCount } of stored) if (messageCount > 0) empty.delete(sessionId);
		const chosen = picks.of(folderKey);
		const opened = openedHere.get(folderKey) ?? null;
		const choice = { chosen, opened, stored, workspace, transcripts, shown, seen };
		const subject = sessionToShow(choice);
		seen = keysOf(choice);
		return { subject, isChosen: isChosen(choice, subject), stored, workspace, transcripts };
	}

	/**
	 * What was found may be gone: sessions kept in memory alone end with their daemon, transcripts are removed. Where
	 * another folder came to hand meanwhile, its own refresh waits already.
	 */
	async function showOrPass(sight: Selection): Promise<void> {
		if (keyNow() !== folderKey) return;
		const { subject } = sight;
		try {
			await show(sight);
			shown = subject;
		} catch (error) {
			const kind = kindOf(error);
			if (subject === null || kind === undefined) throw error;
			if ('transcript' in subject) {
				following.giveUp(subject.transcript, error);
				seen.delete(keyOf(subject));
			} else {
				const isOpened = openedHere.get(folderKey)?.sessionId === subject.sessionId;
				if (kind !== 'SessionNotFound' || !isOpened) throw error;
				openedHere.delete(folderKey);
			}
			await update();
		}
	}

	async function update(): Promise<void> {
		await showOrPass(await look());
	}

	/** Whether the transcript that is shown must be read again. */
	function isLeftBehind({ subject, transcripts }: Selection): boolean {
		const figuresAt = shownFigures(store.current())?.at ?? 0;
		if (subject === null || !('transcript' in subject)) return false;
		const transcript = transcripts?.find(({ path }) => path === subject.transcript);
		return transcript !== undefined && following.isLeftBehind(transcript, figuresAt);
	}

	async function updateWhereNew(): Promise<void> {
		const began = performance.now();
		const sight = await look();
		const ended = performance.now();
		// A removed transcript is missed twice before another is shown: the user sees figures of nothing until then.
		nextLook = hasLeft(sight.subject, sight.transcripts) ? ended : ended + (ended - began) / looking.share;
		const isPinned = sessionOf(store.current())?.isChosen === true;
		const isOther = !isSame(sight.subject, shown) || isPinned !== sight.isChosen;
		if (isOther || isLeftBehind(sight)) await showOrPass(sight);
	}

	/** One after the other, so that a slow answer never overtakes a newer one. Rejects as the work does. */
	function inTurn(work: () => Promise<void>): Promise<void> {
		const turn = working.then(() => (isDisposed ? undefined : work()));
		const done = (): void => {};
		working = turn.then(done, done);
		return turn;
	}

	/** A daemon that is not there tells so itself. */
	function tell(error: unknown): void {
		if (isDisposed) return;
		log.error(`Finding the session to show: ${messageOf(error)}`);
		if (isRunning && store.current().kind === 'starting')
			store.dispatch({ type: 'daemonStopped', reason: messageOf(error) });
	}

	function refresh(): Promise<void> {
		waiting ??= inTurn(() => {
			waiting = null;
			return update();
		}).catch(tell);
		return waiting;
	}

	/** Looks for what began meanwhile; nobody is there to see it while another window has the focus. */
	async function lookAgain(): Promise<void> {
		const { kind } = store.current();
		if (isLooking || !vscode.window.state.focused || kind === 'starting' || kind === 'stopped') return;
		isLooking = true;
		await inTurn(updateWhereNew).catch(tell);
		isLooking = false;
	}

	const timer = setInterval(() => {
		if (performance.now() > nextLook) void lookAgain();
	}, looking.interval);
	const watching = vscode.Disposable.from(
		daemon.onState((state) => {
			isRunning = state.kind === 'running';
			if (state.kind === 'stopped') store.dispatch({ type: 'daemonStopped', reason: state.reason });
			else if (state.kind === 'starting') {
				forget();
				store.dispatch({ type: 'daemonStarting' });
			} else void refresh();
		}),
		daemon.onDidChange(({ sessionId, stats }) => {
			if (store.current().kind === 'noSession' || empty.delete(sessionId)) void refresh();
			store.dispatch({ type: 'measured', sessionId, stats, at: Date.now() });
		}),
		daemon.onDidChangeFile(({ sessionIds }) => {
			const session = sessionOf(store.current())?.sessionId;
			if (session !== undefined && sessionIds.includes(session)) void refresh();
		}),
		vscode.window.onDidChangeActiveTextEditor(() => {
			if (keyNow() !== folderKey) void refresh();
		}),
		vscode.window.onDidChangeWindowState(() => void lookAgain()),
		vscode.workspace.onDidChangeWorkspaceFolders(() => void refresh()),
		vscode.workspace.onDidChangeConfiguration((change) => {
			if (change.affectsConfiguration('contextd.followTranscripts')) void refresh();
		}),
	);

	return {
		refresh,
		async choose(subject) {
			const path = subject && 'transcript' in subject ? subject.transcript : null;
			if (path !== null) following.tryAgain(path);
			if (subject === null) {
				shown = null;
				openedHere.delete(keyNow());
			}
			await picks.keep(keyNow(), subject);
			await inTurn(update);
			const why = path === null ? null : following.whyNot(path);
			if (why !== null) throw new Error(`The transcript cannot be followed: ${why}`);
		},
		async opened(sessionId, workspace) {
			openedHere.set(workspace ?? '', { sessionId, at: Date.now() });
			empty.add(sessionId);
			if (sessionOf(store.current())?.sessionId !== sessionId) await refresh();
		},
		transcripts: ({ usage }) => following.transcripts(vscode.workspace.workspaceFolders ?? [], usage),
		dispose() {
			isDisposed = true;
			clearInterval(timer);
			watching.dispose();
		},
	};
}

const key = 'contextd.sessionChoices';

interface SessionPicks {
	/** The choice for a folder, by its URI; null where whatever is the newest is shown. */
	of(folder: string): SessionPick | null;
	/** Keeps a choice, or takes it back with null. */
	keep(folder: string, subject: Subject | null): Promise<void>;
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
