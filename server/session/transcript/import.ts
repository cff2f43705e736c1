/** Imports transcripts of other agents as sessions: once, or following them as they grow. */

import { errorText, Failure } from '../../core/failure.ts';
import { present } from '../../core/shape.ts';
import { agentLabel } from '../../core/transcript/agents.ts';
import { type PluginSession, pluginSessionsOf } from '../../core/transcript/plugins.ts';
import type { ImportParams, ImportResult, Transcript, TranscriptUsage } from '../../protocol/transcript.ts';
import type { ClientContext } from '../clientContext.ts';
import type { SessionStore } from '../store/store.ts';
import type { Following, Followings } from './followings.ts';
import { Mirror } from './mirror.ts';
import type { OpenTranscript, TranscriptFiles } from './reader.ts';
import { type ImportContext, progressOf, readNew } from './readNew.ts';

/** Which transcripts to look for. */
export interface DiscoverOrder {
	/** A path; absent: all folders. */
	folder?: string;
	/** Whether to report how full each one is. */
	usage?: boolean;
}

export interface Importer {
	/**
	 * Creates a session from a transcript, or brings an existing one up to date.
	 *
	 * Following a session that is read-only here shows what is stored. Fails with `FileUnreadable`, `UnsupportedFormat`,
	 * `SessionLocked` or `ReadOnlySession`, and with `InvalidParams` if the named session holds another conversation.
	 */
	importTranscript(params: ImportParams, context?: ImportContext): Promise<ImportResult>;
	/** The transcripts of a folder, newest first, each with the session that follows it. */
	discover(options: DiscoverOrder, signal?: AbortSignal): Promise<Transcript[]>;
}

/** Length of the digest in a session id: enough to be unique on a machine. */
const idLength = 16;

/** Maximum lead of a transcript over its plugin's session; if it is larger, the plugin no longer runs. Milliseconds. */
const maxPluginLagMs = 10 * 60_000;

/**
 * Creates an importer for one client.
 * @param files transcripts by the client's environment, which says where agents store them
 */
export function createImporter(
	store: SessionStore,
	followings: Followings,
	client: ClientContext,
	files: TranscriptFiles,
): Importer {
	const { world } = store;

	/** Reverts a failed import. A second failure is only logged, so that the caller sees the first. */
	async function revert(mirror: Mirror | undefined): Promise<void> {
		try {
			await mirror?.revert();
		} catch (error) {
			client.log.warn(`could not revert a failed import: ${errorText(error)}`);
		}
	}

	async function countMessages(sessionId: string): Promise<number> {
		return store.run(sessionId, client, ({ state }) => state.view.length);
	}

	async function answerOf(sessionId: string, source: string, mirror: Mirror): Promise<ImportResult> {
		const messageCount = await countMessages(sessionId);
		const skipped = [...mirror.skipped].map(([type, count]) => ({ type, count }));
		skipped.sort((a, b) => b.count - a.count);
		return { sessionId, source, label: agentLabel(source), messageCount, skipped };
	}

	/** The result for a session that is not updated here: it is read-only, or its agent's plugin feeds it. */
	async function answerOfOther(sessionId: string, source: string): Promise<ImportResult> {
		const messageCount = await countMessages(sessionId);
		return { sessionId, source, label: agentLabel(source), messageCount, skipped: [] };
	}

	async function upToDate(
		sessionId: string,
		{ clients, transcript, mirror, refresh }: Following,
		isFollower: boolean | undefined,
	): Promise<ImportResult> {
		if (isFollower) clients.add(client);
		await refresh();
		return answerOf(sessionId, transcript.agent, mirror);
	}

	function mirrorOf(
		params: ImportParams,
		sessionId: string,
		{ agent, path, newestModel }: OpenTranscript,
	): Promise<Mirror> {
		const { workspace, counting = 'all', from = 'start' } = params;
		return Mirror.open(store, {
			// The client that began to follow the transcript may leave before the others.
			client: () => followings.get(sessionId)?.clients.values().next().value ?? client,
			sessionId,
			agent,
			path,
			workspace,
			counting,
			from,
			newestModel,
			mayReplace: params.sessionId === undefined,
			uriOf: files.uriOf,
			settingsOf: (folder) => files.settingsOf(agent, folder),
		});
	}

	async function run(
		params: ImportParams,
		sessionId: string,
		opened: OpenTranscript,
		context: ImportContext,
	): Promise<ImportResult> {
		let transcript = opened;
		const known = followings.get(sessionId);
		if (known?.transcript.path === transcript.path) {
			// Another call began to follow the transcript while this one waited.
			await transcript.close();
			return upToDate(sessionId, known, params.follow);
		}
		await known?.stop();
		let following: Following | undefined;
		let mirror: Mirror | undefined;
		try {
			mirror = await mirrorOf(params, sessionId, transcript);
			if (!(await readNew(transcript, mirror, progressOf(transcript, context, world.now)))) {
				// The transcript returned to its skipped beginning.
				const before = mirror;
				mirror = undefined;
				await before.revert();
				await transcript.close();
				transcript = await files.open(transcript.path, context.signal);
				mirror = await mirrorOf({ ...params, from: 'start' }, sessionId, transcript);
				await readNew(transcript, mirror, progressOf(transcript, context, world.now));
			}
			if (params.follow) {
				following = followings.begin(sessionId, client, transcript, mirror);
				// No watch reports changes between the first read and its start.
				await following.refresh();
			}
			return await answerOf(sessionId, transcript.agent, mirror);
		} catch (error) {
			if (!following) await revert(mirror);
			const isReadOnly =
				error instanceof Failure && (error.kind === 'SessionLocked' || error.kind === 'ReadOnlySession');
			if (!isReadOnly || !params.follow) throw error;
			return await answerOfOther(sessionId, transcript.agent);
		} finally {
			if (!following) await transcript.close();
		}
	}

	/** The session that an agent's plugin feeds from a transcript, if it is still being fed. */
	async function fedSession(path: string, writtenAt?: number): Promise<PluginSession | undefined> {
		for (const session of pluginSessionsOf(path)) {
			const fedAt = await world.journals.modifiedAt(session.sessionId);
			if (fedAt === undefined) continue;
			const transcriptAt = writtenAt ?? (await files.modifiedAt(path)) ?? fedAt;
			if (transcriptAt - fedAt <= maxPluginLagMs) return session;
		}
		return undefined;
	}

	/** A transcript with its session, if there is one. */
	async function withSession(
		transcript: Transcript,
		byPath: ReadonlyMap<string, string>,
	): Promise<Transcript> {
		const fed = await fedSession(transcript.path, transcript.updatedAt);
		const sessionId = fed?.agent === transcript.agent ? fed.sessionId : byPath.get(transcript.path);
		return sessionId === undefined ? transcript : { ...transcript, sessionId };
	}

	/** Adds usage to transcripts, one at a time with pauses; unreadable ones get none. */
	async function withUsage(found: readonly Transcript[], signal?: AbortSignal): Promise<Transcript[]> {
		const known: Transcript[] = [];
		for (const transcript of found) {
			signal?.throwIfAborted();
			known.push({ ...transcript, ...present({ usage: usageNow(transcript.path) }) });
			await world.pause();
		}
		return known;
	}

	function usageNow(path: string): TranscriptUsage | undefined {
		try {
			return files.usageOf(path);
		} catch (error) {
			if (error instanceof Failure) return undefined;
			throw error;
		}
	}

	return {
		async importTranscript(params, context = {}) {
			if (params.follow && params.from === 'window') throw cannotFollowWindow();
			const path = files.pathOf(params.path);
			const fed = params.sessionId === undefined ? await fedSession(path) : undefined;
			if (fed) return answerOfOther(fed.sessionId, fed.agent);
			const followedBy = followings.byPath().get(path);
			const known = followedBy === undefined ? undefined : followings.get(followedBy);
			if (known && followedBy !== undefined && (params.sessionId ?? followedBy) === followedBy) {
				return upToDate(followedBy, known, params.follow);
			}
			const transcript = await files.open(path, context.signal);
			const sessionId =
				params.sessionId ??
				`${transcript.agent}-${world.digest(`${transcript.agent}\n${path}`).slice(0, idLength)}`;
			return followings.inTurn(sessionId, () => run(params, sessionId, transcript, context));
		},
		async discover({ folder, usage }, signal) {
			const byPath = followings.byPath();
			const all = await files.discover(folder, signal);
			const found = await Promise.all(all.map((transcript) => withSession(transcript, byPath)));
			return usage ? withUsage(found, signal) : found;
		},
	};
}

/** A followed transcript may return to its skipped beginning at any time, so all of it is needed. */
function cannotFollowWindow(): Failure {
	return new Failure(
		'InvalidParams',
		'from: expected "start" for a transcript that is followed, got "window"',
		{
			field: 'from',
		},
	);
}
