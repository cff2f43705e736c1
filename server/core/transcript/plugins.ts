/**
 * Sessions that a plugin of an agent feeds: `claude:<session>`, `opencode:<session>`, `pi:<session>`, and those of the
 * agents that such a session starts, `claude:<session>/<agent>`. They are contextd's own, and mirror nothing.
 */

import { agents } from './agents.ts';
import type { Agent } from './reading/agent.ts';

/** The agent whose plugin feeds a session, by the session's id; undefined where none does. */
export function pluginAgentOf(sessionId: string): Agent | undefined {
	return agents.find(({ plugin }) => plugin && sessionId.startsWith(`${plugin.prefix}:`));
}

/** A session that a plugin would feed of a transcript, whether there is one or not. */
export interface PluginSession {
	agent: string;
	sessionId: string;
}

/** The sessions that the plugins would feed of a transcript, as far as its path tells; at most one an agent. */
export function pluginSessionsOf(path: string): PluginSession[] {
	return agents.flatMap(({ name, plugin }) => {
		const session = plugin?.sessionOf(path);
		return plugin && session !== undefined ? [{ agent: name, sessionId: `${plugin.prefix}:${session}` }] : [];
	});
}
