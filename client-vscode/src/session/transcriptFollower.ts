/** Follows one transcript of another agent at a time, through the daemon. */

import type * as vscode from 'vscode';
import { errorText } from '../../../server/core/failure.ts';
import type { ImportResult, Transcript } from '../../../server/protocol/transcript.ts';
import { isFollowingEnabled } from '../daemon/configuration.ts';
import type { Daemon } from '../daemon/daemon.ts';
import { getLastActivity, isMirrorOutdated } from './chooseSession.ts';
import { getWorkspaceUri } from './folder.ts';

export interface TranscriptFollower {
	/** Returns the transcripts of some folders, newest first; null if following is turned off. */
	listTranscripts(folders: readonly vscode.WorkspaceFolder[], usage?: boolean): Promise<Transcript[] | null>;
	/** Follows a transcript instead of the previous one. Rejects if it cannot be read. */
	follow(path: string): Promise<ImportResult>;
	/** Returns whether the followed transcript must be read again; `figuresAt` is in milliseconds since the epoch. */
	isOutdated(transcript: Transcript, figuresAt: number): boolean;
	/** Returns why a transcript cannot be followed in its current state; null if it can be followed. */
	getFailureReason(path: string): string | null;
	/** Records that a transcript cannot be followed until the file changes. */
	recordFailure(path: string, error: unknown): void;
	/** Forgets an earlier failure to follow a transcript. */
	clearFailure(path: string): void;
	/** Stops following the current transcript. */
	stopFollowing(): Promise<void>;
	/** Forgets the followed transcript without a request, because the daemon ended. */
	reset(): void;
}

interface CurrentTranscript {
	path: string;
	sessionId: string;
	/** Time at which the transcript was last read, in milliseconds since the epoch. */
	readAt: number;
}

/** Creates the follower of transcripts for one window. */
export function createTranscriptFollower(daemon: Daemon, log: vscode.LogOutputChannel): TranscriptFollower {
	let current: CurrentTranscript | null = null;
	/** Time of each transcript's last change, in milliseconds since the epoch, by path. */
	let changes = new Map<string, number>();
	/** URI of the folder of each transcript, by path of the transcript. */
	let owners = new Map<string, string>();
	const failures = new Map<string, { changedAt: number | undefined; why: string }>();

	async function closeSession(sessionId: string): Promise<void> {
		try {
			await daemon.request('session/close', { sessionId });
		} catch (error) {
			log.warn(`Could not stop following a transcript: ${errorText(error)}`);
		}
	}

	async function release(): Promise<void> {
		const previous = current;
		current = null;
		if (previous) await closeSession(previous.sessionId);
	}

	return {
		async listTranscripts(folders, usage = false) {
			const workspaces = folders
				.filter(({ uri }) => isFollowingEnabled(uri))
				.flatMap((folder) => getWorkspaceUri(folder) ?? []);
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
			return transcripts.sort((a, b) => getLastActivity(b) - getLastActivity(a));
		},
		async follow(path) {
			const readAt = Date.now();
			const workspace = owners.get(path);
			const result = await daemon.request('context/import', {
				path,
				follow: true,
				...(workspace !== undefined && { workspace }),
			});
			const previous = current;
			current = { path, sessionId: result.sessionId, readAt };
			if (previous && previous.sessionId !== result.sessionId) await closeSession(previous.sessionId);
			return result;
		},
		isOutdated(transcript, figuresAt) {
			if (transcript.path !== current?.path) return false;
			return isMirrorOutdated(transcript, { readAt: current.readAt, figuresAt, now: Date.now() });
		},
		getFailureReason(path) {
			const failure = failures.get(path);
			return failure && failure.changedAt === changes.get(path) ? failure.why : null;
		},
		recordFailure(path, error) {
			const reason = errorText(error);
			log.warn(`A transcript cannot be followed: ${reason}`);
			failures.set(path, { changedAt: changes.get(path), why: reason });
		},
		clearFailure: (path) => void failures.delete(path),
		stopFollowing: release,
		reset() {
			current = null;
		},
	};
}
