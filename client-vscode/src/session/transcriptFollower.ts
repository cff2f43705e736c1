/** Follows one transcript of another agent at a time, through the daemon. */

import type * as vscode from 'vscode';
import { errorText } from '../../../server/core/failure.ts';
import type { ImportResult, Transcript } from '../../../server/protocol/transcript.ts';
import { isFollowingEnabled } from '../daemon/configuration.ts';
import type { Daemon } from '../daemon/daemon.ts';
import { getLastActivity, isMirrorOutdated } from './chooseSession.ts';
import { getWorkspaceUri } from './folder.ts';

interface CurrentTranscript {
	path: string;
	sessionId: string;
	/** Time at which the transcript was last read, in milliseconds since the epoch. */
	readAt: number;
}

/** Follows at most one transcript for a window. */
export class TranscriptFollower {
	readonly #daemon: Daemon;
	readonly #log: vscode.LogOutputChannel;
	#current: CurrentTranscript | null = null;
	/** Time of each transcript's last change, in milliseconds since the epoch, by path. */
	#changes = new Map<string, number>();
	/** URI of the folder of each transcript, by path of the transcript. */
	#folders = new Map<string, string>();
	/** Why transcripts cannot be followed, by path. `changedAt` is the time of the transcript's last change before the failure. */
	readonly #failures = new Map<string, { changedAt: number | undefined; reason: string }>();

	constructor(daemon: Daemon, log: vscode.LogOutputChannel) {
		this.#daemon = daemon;
		this.#log = log;
	}

	/** Returns the transcripts of some folders, newest first; null if following is turned off. */
	async listTranscripts(
		folders: readonly vscode.WorkspaceFolder[],
		usage = false,
	): Promise<Transcript[] | null> {
		const workspaces = folders
			.filter(({ uri }) => isFollowingEnabled(uri))
			.flatMap((folder) => getWorkspaceUri(folder) ?? []);
		if (workspaces.length === 0) return null;
		const answers = await Promise.all(
			workspaces.map((workspace) => this.#daemon.request('context/discover', { workspace, usage })),
		);
		const entries = answers.flatMap((answer, index) =>
			answer.transcripts.map((transcript) => ({ transcript, workspace: workspaces[index] ?? '' })),
		);
		const byPath = new Map(entries.map((entry) => [entry.transcript.path, entry]));
		const transcripts = [...byPath.values()].map(({ transcript }) => transcript);
		this.#changes = new Map(transcripts.map(({ path, updatedAt }) => [path, updatedAt]));
		this.#folders = new Map([...byPath].map(([path, { workspace }]) => [path, workspace]));
		return transcripts.sort((a, b) => getLastActivity(b) - getLastActivity(a));
	}

	/** Follows a transcript instead of the previous one. Rejects if it cannot be read. */
	async follow(path: string): Promise<ImportResult> {
		const readAt = Date.now();
		const workspace = this.#folders.get(path);
		const result = await this.#daemon.request('context/import', {
			path,
			follow: true,
			...(workspace !== undefined && { workspace }),
		});
		const previous = this.#current;
		this.#current = { path, sessionId: result.sessionId, readAt };
		if (previous && previous.sessionId !== result.sessionId) await this.#closeSession(previous.sessionId);
		return result;
	}

	/** Returns whether the followed transcript must be read again; `statsAt` is in milliseconds since the epoch. */
	isOutdated(transcript: Transcript, statsAt: number): boolean {
		if (transcript.path !== this.#current?.path) return false;
		return isMirrorOutdated(transcript, { readAt: this.#current.readAt, statsAt, now: Date.now() });
	}

	/** Returns why a transcript cannot be followed in its current state; null if it can be followed. */
	getFailureReason(path: string): string | null {
		const failure = this.#failures.get(path);
		return failure && failure.changedAt === this.#changes.get(path) ? failure.reason : null;
	}

	/** Records that a transcript cannot be followed until the file changes. */
	recordFailure(path: string, error: unknown): void {
		const reason = errorText(error);
		this.#log.warn(`A transcript cannot be followed: ${reason}`);
		this.#failures.set(path, { changedAt: this.#changes.get(path), reason });
	}

	/** Forgets an earlier failure to follow a transcript. */
	clearFailure(path: string): void {
		this.#failures.delete(path);
	}

	/** Stops following the current transcript. */
	async stopFollowing(): Promise<void> {
		const previous = this.#current;
		this.#current = null;
		if (previous) await this.#closeSession(previous.sessionId);
	}

	/** Forgets the followed transcript without a request, because the daemon ended. */
	reset(): void {
		this.#current = null;
	}

	async #closeSession(sessionId: string): Promise<void> {
		try {
			await this.#daemon.request('session/close', { sessionId });
		} catch (error) {
			this.#log.warn(`Could not stop following a transcript: ${errorText(error)}`);
		}
	}
}
