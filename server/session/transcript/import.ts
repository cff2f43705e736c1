/** Imports transcripts of agents as sessions, once or again and again as the transcripts grow. */

import { errorText, Failure } from '../../core/failure.ts';
import { findAgentLabel, listPluginSessions, type PluginSession } from '../../core/transcript/index.ts';
import type { ImportParams, ImportResult, Transcript, TranscriptUsage } from '../../protocol/transcript.ts';
import type { ClientContext } from '../clientContext.ts';
import type { SessionStore } from '../store/store.ts';
import { Mirror } from './mirror.ts';
import type { OpenTranscript, TranscriptFiles } from './reader.ts';
import { createProgressListener, type ImportContext, readNewChunks } from './readNew.ts';
import type { SessionFollower, TranscriptFollowers } from './transcriptFollowers.ts';

/** Which transcripts to look for. */
export interface DiscoverOptions {
	/** Path of the folder in which agents worked; absent: all folders. */
	folder?: string;
	/** Whether to report how full the window of each transcript is. */
	usage?: boolean;
}

/** Length of the digest in a session id, in characters: enough to be unique on a machine. */
const digestCharacters = 16;

/** Milliseconds by which a plugin's session may lag behind its transcript before the plugin counts as ended. */
const maxPluginLagMs = 10 * 60_000;

/** Imports transcripts for one client. Transcripts that are followed are shared with other clients. */
export class Importer {
	readonly #store: SessionStore;
	readonly #followers: TranscriptFollowers;
	readonly #client: ClientContext;
	readonly #files: TranscriptFiles;

	/** @param files finds transcripts in the folders that the client's environment names */
	constructor(
		store: SessionStore,
		followers: TranscriptFollowers,
		client: ClientContext,
		files: TranscriptFiles,
	) {
		this.#store = store;
		this.#followers = followers;
		this.#client = client;
		this.#files = files;
	}

	/**
	 * Creates a session from a transcript, or brings an existing session up to date.
	 *
	 * If the session is read-only, following it returns what is stored. Fails with `FileUnreadable`, `UnsupportedFormat`,
	 * `SessionLocked` or `ReadOnlySession`, and with `InvalidParams` if the named session has another conversation.
	 */
	async importTranscript(params: ImportParams, context: ImportContext = {}): Promise<ImportResult> {
		if (params.follow && params.from === 'window') throw createFollowFailure();
		const path = this.#files.resolvePath(params.path);
		const plugin = params.sessionId === undefined ? await this.#findPluginSession(path) : undefined;
		if (plugin) return this.#createStoredResult(plugin.sessionId, plugin.agent);
		const followedBy = this.#followers.listByPath().get(path);
		const follower = followedBy === undefined ? undefined : this.#followers.get(followedBy);
		if (follower && followedBy !== undefined && (params.sessionId ?? followedBy) === followedBy)
			return this.#refreshFollower(followedBy, follower, params.follow);
		const transcript = await this.#files.open(path, context.signal);
		const { agent } = transcript;
		const sessionId =
			params.sessionId ??
			`${agent}-${this.#store.services.digest(`${agent}\n${path}`).slice(0, digestCharacters)}`;
		return this.#followers.runInTurn(sessionId, () =>
			this.#importOpened(params, sessionId, transcript, context),
		);
	}

	/** Lists the transcripts of a folder, newest first, each with the session that follows it. */
	async discover({ folder, usage }: DiscoverOptions, signal?: AbortSignal): Promise<Transcript[]> {
		const byPath = this.#followers.listByPath();
		const transcripts = await this.#files.discover(folder, signal);
		const results = await Promise.all(transcripts.map((transcript) => this.#addSession(transcript, byPath)));
		return usage ? this.#addUsages(results, signal) : results;
	}

	async #importOpened(
		params: ImportParams,
		sessionId: string,
		openedTranscript: OpenTranscript,
		context: ImportContext,
	): Promise<ImportResult> {
		let transcript = openedTranscript;
		const current = this.#followers.get(sessionId);
		if (current?.transcript.path === transcript.path) {
			// Another call began to follow the transcript while this call waited.
			await transcript.close();
			return this.#refreshFollower(sessionId, current, params.follow);
		}
		await current?.stop();
		let follower: SessionFollower | undefined;
		let mirror: Mirror | undefined;
		try {
			mirror = await this.#openMirror(params, sessionId, transcript);
			if (!(await this.#readNew(transcript, mirror, context))) {
				// The transcript was rewound into its skipped beginning, so all of it must be read.
				const before = mirror;
				mirror = undefined;
				await before.revert();
				await transcript.close();
				transcript = await this.#files.open(transcript.path, context.signal);
				mirror = await this.#openMirror({ ...params, from: 'start' }, sessionId, transcript);
				await this.#readNew(transcript, mirror, context);
			}
			if (params.follow) {
				follower = this.#followers.startFollowing(sessionId, this.#client, transcript, mirror);
				// The watch does not report changes that happened before it started.
				await follower.refresh();
			}
			return await this.#createResult(sessionId, transcript.agent, mirror);
		} catch (error) {
			if (!follower) await this.#revert(mirror);
			const isReadOnly =
				error instanceof Failure && (error.kind === 'SessionLocked' || error.kind === 'ReadOnlySession');
			if (!isReadOnly || !params.follow) throw error;
			return await this.#createStoredResult(sessionId, transcript.agent);
		} finally {
			if (!follower) await transcript.close();
		}
	}

	#readNew(transcript: OpenTranscript, mirror: Mirror, context: ImportContext): Promise<boolean> {
		const { signal, report } = context;
		const onBytes = report && createProgressListener(transcript, report, this.#store.services.now);
		return readNewChunks(transcript, mirror, signal, onBytes);
	}

	#openMirror(
		params: ImportParams,
		sessionId: string,
		{ agent, path, newestModel }: OpenTranscript,
	): Promise<Mirror> {
		const { workspace, counting = 'all', from = 'start' } = params;
		return Mirror.open(this.#store, {
			// The client that began to follow the transcript may leave before the others.
			getClient: () => this.#followers.get(sessionId)?.clients.values().next().value ?? this.#client,
			sessionId,
			agent,
			path,
			workspace,
			counting,
			from,
			newestModel,
			canReplace: params.sessionId === undefined,
			toFolderUri: this.#files.toFolderUri,
			readAgentSettings: (folder) => this.#files.readAgentSettings(agent, folder),
		});
	}

	/** Reverts a failed import. An error here is only logged, so that the caller gets the error of the import. */
	async #revert(mirror: Mirror | undefined): Promise<void> {
		try {
			await mirror?.revert();
		} catch (error) {
			this.#client.log.warn(`could not revert a failed import: ${errorText(error)}`);
		}
	}

	async #refreshFollower(
		sessionId: string,
		{ clients, transcript, mirror, refresh }: SessionFollower,
		shouldFollow: boolean | undefined,
	): Promise<ImportResult> {
		if (shouldFollow) clients.add(this.#client);
		await refresh();
		return this.#createResult(sessionId, transcript.agent, mirror);
	}

	async #createResult(sessionId: string, source: string, mirror: Mirror): Promise<ImportResult> {
		const answer = await this.#createStoredResult(sessionId, source);
		const skipped = [...mirror.skipped].map(([type, count]) => ({ type, count }));
		skipped.sort((a, b) => b.count - a.count);
		return { ...answer, skipped };
	}

	/** Returns the result for a session that is not updated, because it is read-only or a plugin syncs it. */
	async #createStoredResult(sessionId: string, source: string): Promise<ImportResult> {
		const messageCount = await this.#store.run(sessionId, this.#client, ({ state }) => state.view.length);
		return { sessionId, source, label: findAgentLabel(source), messageCount, skipped: [] };
	}

	/** Returns the session to which a plugin sends a transcript's conversation; undefined if the plugin no longer runs. */
	async #findPluginSession(path: string, writtenAt?: number): Promise<PluginSession | undefined> {
		for (const session of listPluginSessions(path)) {
			const sessionWrittenAt = await this.#store.services.journals.readModifiedAt(session.sessionId);
			if (sessionWrittenAt === undefined) continue;
			const transcriptWrittenAt = writtenAt ?? (await this.#files.readModifiedAt(path)) ?? sessionWrittenAt;
			if (transcriptWrittenAt - sessionWrittenAt <= maxPluginLagMs) return session;
		}
		return undefined;
	}

	/** Adds the id of its session to a transcript, if a session follows the transcript. */
	async #addSession(transcript: Transcript, byPath: ReadonlyMap<string, string>): Promise<Transcript> {
		const plugin = await this.#findPluginSession(transcript.path, transcript.updatedAt);
		const sessionId = plugin?.agent === transcript.agent ? plugin.sessionId : byPath.get(transcript.path);
		return sessionId === undefined ? transcript : { ...transcript, sessionId };
	}

	/** Adds the usage to each readable transcript, one at a time with pauses. */
	async #addUsages(found: readonly Transcript[], signal?: AbortSignal): Promise<Transcript[]> {
		const results: Transcript[] = [];
		for (const transcript of found) {
			signal?.throwIfAborted();
			results.push({ ...transcript, usage: this.#readUsage(transcript.path) });
			await this.#store.services.pause();
		}
		return results;
	}

	#readUsage(path: string): TranscriptUsage | undefined {
		try {
			return this.#files.readUsage(path);
		} catch (error) {
			if (error instanceof Failure) return undefined;
			throw error;
		}
	}
}

/** Returns the error for `follow` with `from: window`: a rewind may need the skipped part at any time. */
function createFollowFailure(): Failure {
	return new Failure(
		'InvalidParams',
		'from: expected "start" for a transcript that is followed, got "window"',
		{ field: 'from' },
	);
}
