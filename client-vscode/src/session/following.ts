/** Follows one transcript of another agent at a time, through the daemon. */

import type * as vscode from 'vscode';
import type { ImportResult, Transcript } from '../../../server/protocol/transcript.ts';
import { followsTranscripts } from '../daemon/configuration.ts';
import type { Daemon } from '../daemon/daemon.ts';
import { errorMessageOf } from '../daemon/failures.ts';
import { workspaceOf } from './folder.ts';
import { isMirrorOutdated, lastActivityOf } from './sessions.ts';

export interface TranscriptFollower {
	/** Returns the transcripts of some folders, newest first; null if following is turned off. */
	transcripts(folders: readonly vscode.WorkspaceFolder[], usage?: boolean): Promise<Transcript[] | null>;
	/** Follows a transcript instead of the previous one. Rejects if it cannot be read. */
	follow(path: string): Promise<ImportResult>;
	/** Whether the followed transcript must be read again; `figuresAt` is in milliseconds since the epoch. */
	isLeftBehind(transcript: Transcript, figuresAt: number): boolean;
	/** Returns why a transcript, in its current state, cannot be followed; null if it can. */
	whyNot(path: string): string | null;
	/** Marks a transcript as one that cannot be followed until it changes. */
	giveUp(path: string, error: unknown): void;
	/** Removes that mark. */
	tryAgain(path: string): void;
	/** Stops following. */
	release(): Promise<void>;
	/** Forgets the followed transcripts, because the daemon ended. */
	forget(): void;
}

interface Current {
	path: string;
	sessionId: string;
	/** When it was last read. Milliseconds since the epoch. */
	readAt: number;
}

/** Creates the follower of a window. */
export function createTranscriptFollower(daemon: Daemon, log: vscode.LogOutputChannel): TranscriptFollower {
	let current: Current | null = null;
	/** Milliseconds since the epoch of the last change, by path: of all transcripts, and of unusable ones. */
	let changes = new Map<string, number>();
	/** The folder that each transcript was found for, by path. */
	let owners = new Map<string, string>();
	const givenUp = new Map<string, { changedAt: number | undefined; why: string }>();

	async function letGo(sessionId: string): Promise<void> {
		try {
			await daemon.request('session/close', { sessionId });
		} catch (error) {
			log.warn(`Could not stop following a transcript: ${errorMessageOf(error)}`);
		}
	}

	async function release(): Promise<void> {
		const last = current;
		current = null;
		if (last) await letGo(last.sessionId);
	}

	return {
		async transcripts(folders, usage = false) {
			const workspaces = folders
				.filter(({ uri }) => followsTranscripts(uri))
				.flatMap((folder) => workspaceOf(folder) ?? []);
			if (workspaces.length === 0) return null;
			const answers = await Promise.all(
				workspaces.map((workspace) => daemon.request('context/discover', { workspace, usage })),
			);
			const found = answers.flatMap(({ transcripts }, index) =>
				transcripts.map((one) => ({ one, workspace: workspaces[index] ?? '' })),
			);
			const byPath = new Map(found.map((each) => [each.one.path, each]));
			const transcripts = [...byPath.values()].map(({ one }) => one);
			changes = new Map(transcripts.map(({ path, updatedAt }) => [path, updatedAt]));
			owners = new Map([...byPath].map(([path, { workspace }]) => [path, workspace]));
			return transcripts.sort((a, b) => lastActivityOf(b) - lastActivityOf(a));
		},
		async follow(path) {
			const readAt = Date.now();
			const workspace = owners.get(path);
			const result = await daemon.request('context/import', {
				path,
				follow: true,
				...(workspace !== undefined && { workspace }),
			});
			const last = current;
			current = { path, sessionId: result.sessionId, readAt };
			if (last && last.sessionId !== result.sessionId) await letGo(last.sessionId);
			return result;
		},
		isLeftBehind(transcript, figuresAt) {
			if (transcript.path !== current?.path) return false;
			return isMirrorOutdated(transcript, { readAt: current.readAt, figuresAt, now: Date.now() });
		},
		whyNot(path) {
			const last = givenUp.get(path);
			return last && last.changedAt === changes.get(path) ? last.why : null;
		},
		giveUp(path, error) {
			const why = errorMessageOf(error);
			log.warn(`A transcript cannot be followed: ${why}`);
			givenUp.set(path, { changedAt: changes.get(path), why });
		},
		tryAgain: (path) => void givenUp.delete(path),
		release,
		forget() {
			current = null;
		},
	};
}
