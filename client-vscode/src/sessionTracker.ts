/** Follows which session is shown: one choice a folder, and the newest that an agent of this window opened. */

import * as vscode from 'vscode';
import { contextStats, sessionList, sessionOpen } from '../../server/protocol/index.ts';
import type { SessionSummary } from '../../server/protocol/session.ts';
import type { Daemon } from './daemon.ts';
import { kindOf, messageOf } from './failures.ts';
import { activeFolder, workspaceOf } from './folder.ts';
import { type SessionPick, sessionToShow } from './sessions.ts';
import { sessionOf } from './usage.ts';
import type { UsageStore } from './usageStore.ts';

const choicesKey = 'contextd.sessionChoices';

export interface SessionTracker extends vscode.Disposable {
	/** Finds out which session to show, and its figures. */
	refresh(): Promise<void>;
	/** The user chose a session for the folder at hand. */
	choose(sessionId: string): Promise<void>;
	/** An agent of this window opened a session for a workspace. */
	opened(sessionId: string, workspace: string | undefined): Promise<void>;
}

type Choices = Record<string, SessionPick>;

/** The tracker; it asks the daemon for nothing before its first `refresh`. */
export function createSessionTracker(
	daemon: Daemon,
	store: UsageStore,
	memory: vscode.Memento,
	log: vscode.LogOutputChannel,
): SessionTracker {
	const openedHere = new Map<string, SessionPick>();
	const readOnly = new Set<string>();
	let folderKey = '';
	let refreshing: Promise<void> = Promise.resolve();

	function keyNow(): string {
		return workspaceOf(activeFolder()) ?? '';
	}

	async function stored(): Promise<SessionSummary[]> {
		const workspace = workspaceOf(activeFolder());
		const { sessions } = await daemon.request(sessionList, { ...(workspace && { workspace }) });
		return sessions;
	}

	/** Another process may hold the session: then it is followed. */
	async function measure(sessionId: string): Promise<void> {
		try {
			const stats = await daemon.request(contextStats, { sessionId });
			store.dispatch({ type: 'measured', sessionId, stats, at: Date.now() });
		} catch (error) {
			if (kindOf(error) !== 'SessionLocked' || readOnly.has(sessionId)) throw error;
			await daemon.request(sessionOpen, { sessionId, readOnly: true });
			readOnly.add(sessionId);
			await measure(sessionId);
		}
	}

	async function show(sessionId: string, sessions: readonly SessionSummary[]): Promise<void> {
		const title = sessions.find((one) => one.sessionId === sessionId)?.title;
		const session = () => ({ sessionId, readOnly: readOnly.has(sessionId), ...(title && { title }) });
		store.dispatch({ type: 'sessionShown', session: session() });
		await measure(sessionId);
		if (readOnly.has(sessionId)) store.dispatch({ type: 'sessionShown', session: session() });
	}

	/** A session that an agent opened may be gone: sessions kept in memory alone end with their daemon. */
	async function update(): Promise<void> {
		folderKey = keyNow();
		const sessions = await stored();
		const sessionId = sessionToShow({
			chosen: memory.get<Choices>(choicesKey, {})[folderKey] ?? null,
			opened: openedHere.get(folderKey) ?? null,
			stored: sessions,
		});
		if (sessionId === null) {
			store.dispatch({ type: 'sessionShown', session: null });
			return;
		}
		try {
			await show(sessionId, sessions);
		} catch (error) {
			if (kindOf(error) !== 'SessionNotFound' || openedHere.get(folderKey)?.sessionId !== sessionId)
				throw error;
			openedHere.delete(folderKey);
			await update();
		}
	}

	/** One after the other, so that a slow answer never overtakes a newer one. */
	function refresh(): Promise<void> {
		refreshing = refreshing.then(update).catch((error: unknown) => {
			log.error(`Finding the session to show: ${messageOf(error)}`);
			const { kind } = store.current();
			if (kind === 'starting') store.dispatch({ type: 'daemonStopped', reason: messageOf(error) });
		});
		return refreshing;
	}

	const watching = vscode.Disposable.from(
		daemon.onState((state) => {
			if (state.kind === 'stopped') store.dispatch({ type: 'daemonStopped', reason: state.reason });
			else if (state.kind === 'starting') {
				readOnly.clear();
				store.dispatch({ type: 'daemonStarting' });
			} else void refresh();
		}),
		daemon.onDidChange(({ sessionId, stats }) => {
			if (store.current().kind === 'noSession') void refresh();
			store.dispatch({ type: 'measured', sessionId, stats, at: Date.now() });
		}),
		daemon.onDidChangeFile(({ sessionIds }) => {
			const shown = sessionOf(store.current())?.sessionId;
			if (shown !== undefined && sessionIds.includes(shown)) void refresh();
		}),
		vscode.window.onDidChangeActiveTextEditor(() => {
			if (keyNow() !== folderKey) void refresh();
		}),
		vscode.workspace.onDidChangeWorkspaceFolders(() => void refresh()),
	);

	return {
		refresh,
		async choose(sessionId) {
			const choices = memory.get<Choices>(choicesKey, {});
			await memory.update(choicesKey, { ...choices, [keyNow()]: { sessionId, at: Date.now() } });
			await refresh();
		},
		async opened(sessionId, workspace) {
			openedHere.set(workspace ?? '', { sessionId, at: Date.now() });
			if (sessionOf(store.current())?.sessionId !== sessionId) await refresh();
		},
		dispose: () => watching.dispose(),
	};
}
