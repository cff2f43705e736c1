/** Whose sessions an MCP client asks about. */

import { agentNames } from '../core/transcript/names.ts';

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
