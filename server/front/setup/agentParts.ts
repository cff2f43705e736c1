/** Agents: those that get a plugin or the MCP server, and those whose sessions contextd reads. */

import type { AgentName } from '../install/command.ts';
import { installableAgentsByName } from '../install/installable.ts';
import type { InstallableAgent } from '../install/parts/agent.ts';
import { findOnPath } from '../install/parts/onPath.ts';
import { mcpParts } from './mcpParts.ts';
import { informationPart, type PartState, type SetupPart, type SetupPlace } from './part.ts';

const gainTexts: Readonly<Record<AgentName, string>> = {
	claude: 'plugin and status line: /compact without a model call, undo, recall',
	opencode: 'plugin: compaction without a model call, undo, recall',
	pi: 'plugin: compaction without a model call, undo, recall',
};

/** The agents of this machine: on the PATH, or with sessions. */
export async function agentParts(place: SetupPlace): Promise<SetupPart[]> {
	const installable = Object.entries(installableAgentsByName) as [AgentName, InstallableAgent][];
	const found = await Promise.all(installable.map(([name, agent]) => pluginPart(name, agent, place)));
	const served = await mcpParts(place);
	const listed = new Set([...installable.map(([, agent]) => agent), ...served].map(({ title }) => title));
	const read = place.sessionAgents.filter((label) => !listed.has(label));
	return [
		...found.filter((part) => part !== undefined),
		...served,
		...read.map((label) => informationPart(label, 'contextd reads its sessions', 'nothing to install')),
	];
}

async function pluginPart(
	name: AgentName,
	agent: InstallableAgent,
	place: SetupPlace,
): Promise<SetupPart | undefined> {
	const version = await agent.installedVersion(place);
	const isThere = (await findOnPath([name], place)).length > 0;
	if (!isThere && version === undefined) {
		if (!place.sessionAgents.includes(agent.title)) return undefined;
		const text = `the command ${name} is not on the PATH; contextd reads the sessions`;
		return informationPart(agent.title, gainTexts[name], text);
	}
	return {
		title: agent.title,
		gain: gainTexts[name],
		hasCommands: true,
		state: stateOf(version, place.version),
		changes: () => agent.changes(place),
		apply: async (manifest) => {
			// One that was installed before belongs to the user: undo leaves it.
			if (version === undefined) await manifest.addAgent(name);
			return agent.install(place);
		},
	};
}

function stateOf(installed: string | undefined, version: string): PartState {
	if (installed === undefined) return { kind: 'due', word: 'new' };
	return installed === version ? { kind: 'done' } : { kind: 'due', word: `update from ${installed}` };
}
