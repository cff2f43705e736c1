import { pickDefined } from '../../core/shape.ts';
import { findPluginAgent } from '../../core/transcript/index.ts';
import * as protocol from '../../protocol/session.ts';
import type { Transcript } from '../../protocol/transcript.ts';
import type { SessionStore } from '../../session/store/store.ts';
import type { Importer } from '../../session/transcript/import.ts';
import { onRequest, type RequestMethod } from '../call/define.ts';
import { objectSchema } from '../call/object.ts';
import * as shapes from './shapes.ts';

interface Dependencies {
	store: SessionStore;
	importer: Importer;
	/** Returns the client's folders as paths, or its working folder if it has none. */
	listFolders(): readonly string[];
	/** Returns advice for a user who wants to compact an agent's own session, which contextd only mirrors. */
	getAdvice(agent: string): string;
}

/** A candidate for the newest session: a stored session, or the transcript of an agent. */
type Candidate = { updatedAt: number } & (
	| { stored: protocol.SessionSummary; transcript?: undefined }
	| { transcript: Transcript }
);

const newestParams = objectSchema({ workspace: shapes.textSchema, agents: shapes.textsSchema });

/** Returns the method that finds the newest session of a folder. */
export function createNewestMethod({ store, importer, listFolders, getAdvice }: Dependencies): RequestMethod {
	async function findCandidates(
		folder: string,
		agents: readonly string[] | undefined,
		signal: AbortSignal,
	): Promise<Candidate[]> {
		const [transcripts, sessions] = await Promise.all([
			importer.discover({ folder }, signal),
			store.list({ workspace: folder }),
		]);
		const isWanted = (agent = '') => agents === undefined || agents.includes(agent);
		const transcript = transcripts.find(({ agent }) => isWanted(agent));
		const followerSessionId = transcript?.sessionId;
		const stored = sessions.find(
			({ source, sessionId }) =>
				source === undefined && sessionId !== followerSessionId && isWanted(findPluginAgent(sessionId)?.name),
		);
		return [
			...(transcript ? [{ updatedAt: transcript.updatedAt, transcript }] : []),
			...(stored ? [{ updatedAt: stored.updatedAt, stored }] : []),
		];
	}

	async function follow(transcript: Transcript, signal: AbortSignal): Promise<protocol.NewestSession> {
		const { path, title, updatedAt, agent, label } = transcript;
		const { sessionId } = await importer.importTranscript({ path, follow: true }, { signal });
		const mirror =
			findPluginAgent(sessionId) === undefined
				? { label, transcript: path, advice: getAdvice(agent) }
				: undefined;
		return { sessionId, updatedAt, ...pickDefined({ title, mirror }) };
	}

	return onRequest(protocol.sessionNewest, newestParams, async ({ workspace, agents }, { signal }) => {
		const folders = workspace === undefined ? listFolders() : [shapes.parseWorkspace(workspace)];
		const candidates = await Promise.all(folders.map((folder) => findCandidates(folder, agents, signal)));
		const [newest] = candidates.flat().sort((a, b) => b.updatedAt - a.updatedAt);
		if (newest === undefined) return { session: null };
		if (newest.transcript) return { session: await follow(newest.transcript, signal) };
		const { sessionId, title, updatedAt } = newest.stored;
		return { session: { sessionId, updatedAt, ...pickDefined({ title }) } };
	});
}
