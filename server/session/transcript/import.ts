/** Other agents' transcripts as sessions: read once, or followed as they grow. */

import { errorText, Failure } from '../../core/failure.ts';
import { present } from '../../core/shape.ts';
import { agentLabel } from '../../core/transcript/agents.ts';
import { type PluginSession, pluginSessionsOf } from '../../core/transcript/plugins.ts';
import type { ImportParams, ImportResult, Transcript, TranscriptUsage } from '../../protocol/transcript.ts';
import type { ClientContext } from '../clientContext.ts';
import type { SessionStore } from '../store/store.ts';
import type { Following, Followings } from './followings.ts';
import { createMirror, type Mirror } from './mirror.ts';
import type { OpenTranscript, TranscriptFiles } from './reader.ts';
import { type ImportContext, reading, readOn } from './readOn.ts';

/** Which transcripts are looked for. */
export interface DiscoverOrder {
	/** A path; every folder where absent. */
	folder?: string;
	/** Whether it is told how full each of them is. */
	usage?: boolean;
}

export interface Importer {
	/**
	 * Makes a session of a transcript, or brings the session that was made of it up to date. Following a
	 * session that can only be read here shows what is stored. Fails with `FileUnreadable`, `UnsupportedFormat`,
	 * `SessionLocked`, `ReadOnlySession`, and with `InvalidParams` where the named session
	 * holds another conversation.
	 */
	importTranscript(params: ImportParams, context?: ImportContext): Promise<ImportResult>;
	/** The transcripts that belong to a folder, newest first, with the session that follows each. */
	discover(options: DiscoverOrder, signal?: AbortSignal): Promise<Transcript[]>;
}

/** Of a session id's digest: enough that no two transcripts of one machine share it. */
const idLength = 16;

/** Milliseconds that a transcript may be ahead of the session that a plugin feeds; beyond, the plugin is gone. */
const longestLag = 10 * 60_000;

/**
 * Imports for one client.
 * @param files of the client: its environment says where agents keep theirs
 */
export function createImporter(
	store: SessionStore,
	followings: Followings,
	client: ClientContext,
	files: TranscriptFiles,
): Importer {
	const { world } = store;

	/** After a failure: the one that ended the import is what its caller hears of. */
	async function takeBack(mirror: Mirror | undefined): Promise<void> {
		try {
			await mirror?.takeBack();
		} catch (error) {
			client.log.warn(`what an ended import had stored could not be taken back: ${errorText(error)}`);
		}
	}

	async function countMessages(sessionId: string): Promise<number> {
		return store.run(sessionId, client, ({ state }) => state.view.length);
	}

	async function answerOf(sessionId: string, source: string, mirror: Mirror): Promise<ImportResult> {
		const messageCount = await countMessages(sessionId);
		const skipped = [...mirror.skipped()].map(([type, count]) => ({ type, count }));
		skipped.sort((a, b) => b.count - a.count);
		return { sessionId, source, label: agentLabel(source), messageCount, skipped };
	}

	/** Answers for a session that is not brought up to date here: it is only read, or its agent's plugin feeds it. */
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
		return createMirror(store, {
			// The one that began to follow the transcript may leave before the others.
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
			// Another call began to follow it while this one waited.
			await transcript.close();
			return upToDate(sessionId, known, params.follow);
		}
		await known?.stop();
		let following: Following | undefined;
		let mirror: Mirror | undefined;
		try {
			mirror = await mirrorOf(params, sessionId, transcript);
			if (!(await readOn(transcript, mirror, reading(transcript, context, world.now)))) {
				// What was passed over came back.
				const before = mirror;
				mirror = undefined;
				await before.takeBack();
				await transcript.close();
				transcript = await files.open(transcript.path, context.signal);
				mirror = await mirrorOf({ ...params, from: 'start' }, sessionId, transcript);
				await readOn(transcript, mirror, reading(transcript, context, world.now));
			}
			if (params.follow) {
				following = followings.begin(sessionId, client, transcript, mirror);
				// What came between the first reading and the watch is reported by nobody.
				await following.refresh();
			}
			return await answerOf(sessionId, transcript.agent, mirror);
		} catch (error) {
			if (!following) await takeBack(mirror);
			const isReadOnly =
				error instanceof Failure && (error.kind === 'SessionLocked' || error.kind === 'ReadOnlySession');
			if (!isReadOnly || !params.follow) throw error;
			return await answerOfOther(sessionId, transcript.agent);
		} finally {
			if (!following) await transcript.close();
		}
	}

	/** The session that a plugin of its agent feeds of a transcript, if there is one and it is still fed. */
	async function fedSession(path: string, writtenAt?: number): Promise<PluginSession | undefined> {
		for (const session of pluginSessionsOf(path)) {
			const fedAt = await world.journals.modifiedAt(session.sessionId);
			if (fedAt === undefined) continue;
			const transcriptAt = writtenAt ?? (await files.modifiedAt(path)) ?? fedAt;
			if (transcriptAt - fedAt <= longestLag) return session;
		}
		return undefined;
	}

	/** What is known of a transcript, and the session that stands for it. */
	async function withSession(
		transcript: Transcript,
		byPath: ReadonlyMap<string, string>,
	): Promise<Transcript> {
		const fed = await fedSession(transcript.path, transcript.updatedAt);
		const sessionId = fed?.agent === transcript.agent ? fed.sessionId : byPath.get(transcript.path);
		return sessionId === undefined ? transcript : { ...transcript, sessionId };
	}

	/** One after the other, with chances for others to work; one that cannot be read has none. */
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
			if (params.follow && params.from === 'window') throw followsAll();
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

/** What is followed may go back to what was passed over at any time. */
function followsAll(): Failure {
	return new Failure(
		'InvalidParams',
		'from: expected "start" for a transcript that is followed, got "window"',
		{
			field: 'from',
		},
	);
}
