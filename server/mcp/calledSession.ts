/** Finds the session that a tool call is about. */

import type { QueriedSession } from '../../kit/lookups.ts';
import type { Ask } from '../../kit/ports.ts';
import { agentNames } from '../core/transcript/index.ts';
import { type MirroredSession, type NewestSession, sessionList, sessionNewest } from '../protocol/session.ts';
import { contextImport } from '../protocol/transcript.ts';
import type { SharedDaemon } from './sharedDaemon.ts';

export interface ToolCaller {
	/** Folders that the agent works in, as paths or URIs; never empty. */
	folders: readonly string[];
	/** Possible names of the agent; absent if it may be any agent. */
	agents?: readonly string[];
}

/** A session, and the transcript that it mirrors, if any. */
export interface CalledSession extends QueriedSession {
	mirror?: MirroredSession;
}

/** Maximum estimated tokens of one page of a message. Fewer than contextd's plugins allow before they shorten a result. */
const maxPageTokens = 3800;
/** Maximum number of session ids in an error. */
const maxListedIds = 5;

/** Returns a function that sends requests to a daemon. They have no timeout, because agents have their own. */
export function createAsk(daemon: SharedDaemon): Ask {
	return (method, params) => daemon.request({ method } as never, params) as never;
}

/** Returns a session in the form in which the kit queries it. The daemon already has all its messages. */
function toQueriedSession(daemon: SharedDaemon, sessionId: string): QueriedSession {
	return {
		sessionId,
		ask: createAsk(daemon),
		maxPageTokens,
		conversation: { sync: async () => {}, toDaemonId: (id) => id, isOff: async () => false },
	};
}

/** Returns the caller's own session: the newest one of its folders. Rejects with a sentence if there is none. */
async function findNewest(daemon: SharedDaemon, { folders, agents }: ToolCaller): Promise<NewestSession> {
	const sessionLists = await Promise.all(
		folders.map((workspace) => daemon.request(sessionNewest, { workspace, agents: agents && [...agents] })),
	);
	const [newestSession] = sessionLists
		.flatMap(({ session }) => session ?? [])
		.sort((left, right) => right.updatedAt - left.updatedAt);
	if (newestSession !== undefined) return newestSession;
	const agentText = agents === undefined ? 'any agent' : agents.join(' or ');
	throw new Error(
		`No session of ${agentText} was found in ${folders.join(', ')}. Pass "session" to name one: an id, or the path of a transcript.`,
	);
}

/** Returns the id of a stored session, after updating it. Rejects with a sentence that lists other sessions. */
async function updateStoredSession(daemon: SharedDaemon, name: string): Promise<string> {
	const { sessions } = await daemon.request(sessionList, {});
	const match = sessions.find(({ sessionId }) => sessionId === name);
	if (match !== undefined) {
		if (match.transcript === undefined) return name;
		return (await daemon.request(contextImport, { path: match.transcript, follow: true })).sessionId;
	}
	const newestIds = sessions.slice(0, maxListedIds).map(({ sessionId }) => sessionId);
	const others = newestIds.length === 0 ? '' : `; the newest stored ones: ${newestIds.join(', ')}`;
	throw new Error(
		`There is no session "${name}": expected the id of a session, the path of a transcript, or recording:ID${others}.`,
	);
}

/** Matches the name of a transcript: a path, a URI, or `recording:ID`. */
const transcriptNamePattern = /^(?:[/\\]|[A-Za-z]:[\\/]|file:|recording:)/;

/**
 * Returns the session that a call names, or the caller's own. Rejects with a sentence if there is none.
 * @param name id of a session, path of a transcript, or `recording:ID`; absent: the caller's newest session
 */
export async function findSession(
	daemon: SharedDaemon,
	caller: ToolCaller,
	name: string | undefined,
): Promise<CalledSession> {
	if (name === undefined) {
		const { sessionId, mirror } = await findNewest(daemon, caller);
		return { ...toQueriedSession(daemon, sessionId), ...(mirror && { mirror }) };
	}
	if (!transcriptNamePattern.test(name))
		return toQueriedSession(daemon, await updateStoredSession(daemon, name));
	const follow = !name.startsWith('recording:');
	const { sessionId } = await daemon.request(contextImport, { path: name, follow });
	return toQueriedSession(daemon, sessionId);
}

/** Matches names in `agentNames` that belong to message formats instead of agents. */
const formatNamePattern = /^(?:vercel|anthropic|openai|contextd)\b/;

/** Agents by client name, for clients whose name does not contain the agent's name. */
const agentsByClientName: Readonly<Record<string, readonly string[]>> = {
	'visual studio code': ['copilot-chat'],
};

/**
 * Returns the names of the agents to which a client may belong, by its name in `clientInfo`: for `codex-mcp-client`,
 * those of Codex. Undefined if the name contains no agent's name.
 */
export function findAgents(clientName: string): readonly string[] | undefined {
	const name = clientName.toLowerCase();
	const words = name.split(/[^a-z0-9]+/);
	const matchingAgents = agentNames.filter(
		(agent) => !formatNamePattern.test(agent) && words.includes(agent.split('-')[0] ?? ''),
	);
	return matchingAgents.length > 0 ? matchingAgents : agentsByClientName[name];
}
