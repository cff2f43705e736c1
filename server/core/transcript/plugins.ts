/**
 * Sessions that an agent's plugin feeds: `claude:<session>`, `opencode:<session>`, `pi:<session>`, and
 * those of the agents that such a session starts, `claude:<session>/<agent>`. They are contextd's own sessions and
 * mirror no transcript.
 */

import { agents } from './agents.ts';
import type { Agent } from './reading/agent.ts';

/** Returns the agent whose plugin feeds a session, by the session's id; undefined if none does. */
export function pluginAgentOf(sessionId: string): Agent | undefined {
	return agents.find(({ plugin }) => plugin && sessionId.startsWith(`${plugin.prefix}:`));
}

/** The session that a plugin would feed for a transcript, whether or not it exists. */
export interface PluginSession {
	agent: string;
	sessionId: string;
}

/** Returns the sessions that plugins would feed for a transcript's path; at most one per agent. */
export function pluginSessionsOf(path: string): PluginSession[] {
	return agents.flatMap(({ name, plugin }) => {
		const session = plugin?.sessionOf(path);
		return plugin && session !== undefined ? [{ agent: name, sessionId: `${plugin.prefix}:${session}` }] : [];
	});
}
