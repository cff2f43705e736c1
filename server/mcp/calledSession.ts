/** The session that a tool call is about. */

import type { QueriedSession } from '../../kit/lookups.ts';
import type { Ask } from '../../kit/ports.ts';
import { agentNames } from '../core/transcript/names.ts';
import { type MirroredSession, type NewestSession, sessionList, sessionNewest } from '../protocol/session.ts';
import { contextImport } from '../protocol/transcript.ts';
import type { SharedDaemon } from './sharedDaemon.ts';

/** Where a tool call comes from. */
export interface ToolCaller {
	/** Folders that the agent works in, as paths or URIs; never empty. */
	folders: readonly string[];
	/** Names of the agents that it may be; absent: any. */
	agents?: readonly string[];
}

/** A session, and the transcript that it mirrors, if any. */
export interface CalledSession extends QueriedSession {
	mirror?: MirroredSession;
}

/** Estimated tokens of a message that an answer contains, less than a result may have in contextd's plugins. */
const maxPageTokens = 3800;
/** Number of ids that an error names. */
const maxNamed = 5;

/** Returns how the texts of the kit ask a daemon. Nothing limits the time: the agent that called has a timeout of its own. */
export function askFunctionOf(daemon: SharedDaemon): Ask {
	return (method, params) => daemon.request({ method } as never, params) as never;
}

/** Returns how the texts of the kit ask about a session. Its daemon knows all messages, under their own ids. */
function askedSession(daemon: SharedDaemon, sessionId: string): QueriedSession {
	return {
		sessionId,
		ask: askFunctionOf(daemon),
		maxPageTokens,
		conversation: { sync: async () => {}, daemonId: (id) => id, isOff: async () => false },
	};
}

/** Returns the caller's own session: the newest one of its folders. Rejects with a sentence if there is none. */
async function newestSession(daemon: SharedDaemon, { folders, agents }: ToolCaller): Promise<NewestSession> {
	const found = await Promise.all(
		folders.map((workspace) => daemon.request(sessionNewest, { workspace, agents: agents && [...agents] })),
	);
	const [newest] = found
		.flatMap(({ session }) => session ?? [])
		.sort((left, right) => right.updatedAt - left.updatedAt);
	if (newest !== undefined) return newest;
	const whose = agents === undefined ? 'any agent' : agents.join(' or ');
	throw new Error(
		`No session of ${whose} was found in ${folders.join(', ')}. Pass "session" to name one: an id, or the path of a transcript.`,
	);
}

/** Returns the stored session with an id. Rejects with a sentence that names others. */
async function storedSession(daemon: SharedDaemon, name: string): Promise<string> {
	const { sessions } = await daemon.request(sessionList, {});
	const found = sessions.find(({ sessionId }) => sessionId === name);
	if (found !== undefined) {
		if (found.transcript === undefined) return name;
		return (await daemon.request(contextImport, { path: found.transcript, follow: true })).sessionId;
	}
	const newest = sessions.slice(0, maxNamed).map(({ sessionId }) => sessionId);
	const others = newest.length === 0 ? '' : `; the newest stored ones: ${newest.join(', ')}`;
	throw new Error(
		`There is no session "${name}": expected the id of a session, the path of a transcript, or recording:ID${others}.`,
	);
}

/** Whether a name leads to a transcript: a path, a URI, or a recording. */
const leadsToTranscript = /^(?:[/\\]|[A-Za-z]:[\\/]|file:|recording:)/;

/**
 * Returns the session that a call names, or the caller's own. Rejects with a sentence if there is none.
 * @param name id of a session, path of a transcript, or `recording:ID`; absent: the caller's newest session
 */
export async function calledSession(
	daemon: SharedDaemon,
	caller: ToolCaller,
	name: string | undefined,
): Promise<CalledSession> {
	if (name === undefined) {
		const { sessionId, mirror } = await newestSession(daemon, caller);
		return { ...askedSession(daemon, sessionId), ...(mirror && { mirror }) };
	}
	if (!leadsToTranscript.test(name)) return askedSession(daemon, await storedSession(daemon, name));
	const follow = !name.startsWith('recording:');
	const { sessionId } = await daemon.request(contextImport, { path: name, follow });
	return askedSession(daemon, sessionId);
}

/** Names in `agentNames` of message formats, which no client writes. */
const formats = /^(?:vercel|anthropic|openai|contextd)\b/;

/** Names of clients that do not contain the name of their agent. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
	'visual studio code': ['copilot-chat'],
};

/**
 * Returns the names of the agents that a client belongs to, by its name in `clientInfo`: for `codex-mcp-client` those of
 * Codex. Undefined if the name does not reveal it; then any agent may have asked.
 */
export function agentsOfClient(clientName: string): readonly string[] | undefined {
	const name = clientName.toLowerCase();
	const words = name.split(/[^a-z0-9]+/);
	const found = agentNames.filter(
		(agent) => !formats.test(agent) && words.includes(agent.split('-')[0] ?? ''),
	);
	return found.length > 0 ? found : otherNames[name];
}
