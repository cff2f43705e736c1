/** Keeps at which session is shown: chosen by hand, fed by an agent, or mirrored from the newest transcript. */

import * as vscode from 'vscode';
import { contextStats, sessionList, sessionOpen } from '../../server/protocol/index.ts';
import type { SessionSummary } from '../../server/protocol/session.ts';
import type { Transcript } from '../../server/protocol/transcript.ts';
import type { Daemon } from './daemon.ts';
import { kindOf, messageOf } from './failures.ts';
import { activeFolder, workspaceOf } from './folder.ts';
import { createFollowing } from './following.ts';
import {
	isSame,
	keysOf,
	type SessionChoice,
	type SessionPick,
	type Subject,
	sessionToShow,
} from './sessions.ts';
import { readingOf, type ShownSession, sessionOf } from './usage.ts';
import type { UsageStore } from './usageStore.ts';

const choicesKey = 'contextd.sessionChoices';
/**
 * Milliseconds between two looks for a session that began meanwhile, while the window has the focus; and the share of
 * the time that looking may take, where the disk is slow or there is very much.
 */
const looking = { interval: 5_000, share: 0.02 };

export interface SessionTracker extends vscode.Disposable {
	/** Finds out which session to show, and its figures. */
	refresh(): Promise<void>;
	/** The user chose what to show for the folder at hand; null for whatever is the newest. */
	choose(subject: Subject | null): Promise<void>;
	/** An agent of this window opened a session for a workspace. */
	opened(sessionId: string, workspace: string | undefined): Promise<void>;
	/** The transcripts of the folder at hand, newest first; null where none are to be followed. */
	transcripts(): Promise<readonly Transcript[] | null>;
}

type Choices = Record<string, SessionPick>;

/** What there is to show, and what of it is shown. */
interface Sight extends Pick<SessionChoice, 'stored' | 'transcripts' | 'workspace'> {
	subject: Subject | null;
}

/** The tracker; it asks the daemon for nothing before its first `refresh`. */
export function createSessionTracker(
	daemon: Daemon,
	store: UsageStore,
	memory: vscode.Memento,
	log: vscode.LogOutputChannel,
): SessionTracker {
	const following = createFollowing(daemon, log);
	const openedHere = new Map<string, { sessionId: string; at: number }>();
	/** Sessions of agents of this window that have no messages yet. */
	const empty = new Set<string>();
	const readOnly = new Set<string>();
	let folderKey = '';
	let shown: Subject | null = null;
	let seen: ReadonlySet<string> = new Set();
	let refreshing: Promise<void> = Promise.resolve();
	let isLooking = false;
	let nextLook = 0;

	function keyNow(): string {
		return workspaceOf(activeFolder()) ?? '';
	}

	function chosenNow(): SessionPick | null {
		const chosen = memory.get<Choices>(choicesKey, {})[folderKey] ?? null;
		return chosen && 'transcript' in chosen && !following.canFollow(chosen.transcript) ? null : chosen;
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

	async function look(): Promise<Sight> {
		const folder = activeFolder();
		const workspace = workspaceOf(folder);
		if (folderKey !== keyNow()) seen = new Set();
		folderKey = keyNow();
		const [{ sessions: stored }, transcripts] = await Promise.all([
			daemon.request(sessionList, {}),
			following.transcripts(folder),
		]);
		for (const { sessionId, messageCount } of stored) if (messageCount > 0) empty.delete(sessionId);
		const opened = openedHere.get(folderKey) ?? null;
		const choice = { chosen: chosenNow(), opened, stored, workspace, transcripts, shown, seen };
		const subject = sessionToShow(choice);
		seen = keysOf(choice);
		return { subject, stored, workspace, transcripts };
	}

	async function showSession(sessionId: string, stored: readonly SessionSummary[]): Promise<void> {
		const title = stored.find((one) => one.sessionId === sessionId)?.title;
		const session = () => ({ sessionId, readOnly: readOnly.has(sessionId), ...(title && { title }) });
		store.dispatch({ type: 'sessionShown', session: session() });
		await measure(sessionId);
		if (readOnly.has(sessionId)) store.dispatch({ type: 'sessionShown', session: session() });
		await following.release();
	}

	async function showTranscript(path: string, { workspace, stored, transcripts }: Sight): Promise<void> {
		const { sessionId, source } = await following.follow(path, workspace);
		const told =
			transcripts?.find((one) => one.path === path) ?? stored.find((one) => one.transcript === path);
		const session: ShownSession = {
			sessionId,
			readOnly: false,
			followed: { agent: source, path },
			...(told?.title && { title: told.title }),
		};
		store.dispatch({ type: 'sessionShown', session });
		await measure(sessionId);
	}

	async function show(sight: Sight): Promise<void> {
		const { subject } = sight;
		if (subject === null) {
			store.dispatch({ type: 'sessionShown', session: null });
			await following.release();
		} else if ('transcript' in subject) await showTranscript(subject.transcript, sight);
		else await showSession(subject.sessionId, sight.stored);
		shown = subject;
	}

	/** What was found may be gone: sessions kept in memory alone end with their daemon, transcripts are removed. */
	async function showOrPass(sight: Sight): Promise<void> {
		const { subject } = sight;
		try {
			await show(sight);
		} catch (error) {
			const kind = kindOf(error);
			if (subject === null || kind === undefined) throw error;
			if ('transcript' in subject) following.giveUp(subject.transcript, error);
			else {
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
	function isLeftBehind({ subject, transcripts }: Sight): boolean {
		const figuresAt = readingOf(store.current())?.at ?? 0;
		if (subject === null || !('transcript' in subject)) return false;
		const transcript = transcripts?.find(({ path }) => path === subject.transcript);
		return transcript !== undefined && following.isLeftBehind(transcript, figuresAt);
	}

	async function updateWhereNew(): Promise<void> {
		const began = performance.now();
		const sight = await look();
		const ended = performance.now();
		nextLook = ended + (ended - began) / looking.share;
		if (!isSame(sight.subject, shown) || isLeftBehind(sight)) await showOrPass(sight);
	}

	/** One after the other, so that a slow answer never overtakes a newer one. */
	function inTurn(work: () => Promise<void>): Promise<void> {
		refreshing = refreshing.then(work).catch((error: unknown) => {
			log.error(`Finding the session to show: ${messageOf(error)}`);
			const { kind } = store.current();
			if (kind === 'starting') store.dispatch({ type: 'daemonStopped', reason: messageOf(error) });
		});
		return refreshing;
	}

	function refresh(): Promise<void> {
		return inTurn(update);
	}

	/** Looks for what began meanwhile; nobody is there to see it while another window has the focus. */
	async function lookAgain(): Promise<void> {
		const { kind } = store.current();
		if (isLooking || !vscode.window.state.focused || kind === 'starting' || kind === 'stopped') return;
		isLooking = true;
		await inTurn(updateWhereNew);
		isLooking = false;
	}

	const timer = setInterval(() => {
		if (performance.now() > nextLook) void lookAgain();
	}, looking.interval);
	const watching = vscode.Disposable.from(
		daemon.onState((state) => {
			if (state.kind === 'stopped') store.dispatch({ type: 'daemonStopped', reason: state.reason });
			else if (state.kind === 'starting') {
				readOnly.clear();
				following.forget();
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
			const { [keyNow()]: _, ...others } = memory.get<Choices>(choicesKey, {});
			if (subject && 'transcript' in subject) following.tryAgain(subject.transcript);
			const own = subject && { [keyNow()]: { ...subject, at: Date.now() } };
			await memory.update(choicesKey, { ...others, ...own });
			if (subject === null) shown = null;
			await refresh();
		},
		async opened(sessionId, workspace) {
			openedHere.set(workspace ?? '', { sessionId, at: Date.now() });
			empty.add(sessionId);
			if (sessionOf(store.current())?.sessionId !== sessionId) await refresh();
		},
		transcripts: () => following.transcripts(activeFolder()),
		dispose() {
			clearInterval(timer);
			watching.dispose();
		},
	};
}
