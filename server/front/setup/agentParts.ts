/** Plans the parts of setup for agents: a plugin or the MCP server, or none if contextd only reads their sessions. */

import type { AgentName } from '../install/command.ts';
import { installableAgentsByName } from '../install/installable.ts';
import type { InstallableAgent } from '../install/parts/agent.ts';
import { findOnPath } from '../install/parts/agentProgram.ts';
import { planMcpParts } from './mcpParts.ts';
import { createInformationPart, type PartState, type SetupMachine, type SetupPart } from './part.ts';

const gainByAgent: Readonly<Record<AgentName, string>> = {
	claude: 'plugin and status line: /compact without a model call, undo, recall',
	opencode: 'plugin: compaction without a model call, undo, recall',
	pi: 'plugin: compaction without a model call, undo, recall',
};

/** Returns the parts for the agents of this machine: those on the PATH, or with sessions. */
export async function planAgentParts(machine: SetupMachine): Promise<SetupPart[]> {
	const installable = Object.entries(installableAgentsByName) as [AgentName, InstallableAgent][];
	const plugins = await Promise.all(installable.map(([name, agent]) => planPluginPart(name, agent, machine)));
	const mcpParts = await planMcpParts(machine);
	const titles = new Set([...installable.map(([, agent]) => agent), ...mcpParts].map(({ title }) => title));
	const otherAgents = machine.sessionAgents.filter((label) => !titles.has(label));
	return [
		...plugins.filter((part) => part !== undefined),
		...mcpParts,
		...otherAgents.map((label) =>
			createInformationPart(label, 'contextd reads its sessions', 'nothing to install'),
		),
	];
}

async function planPluginPart(
	name: AgentName,
	agent: InstallableAgent,
	machine: SetupMachine,
): Promise<SetupPart | undefined> {
	const version = await agent.findInstalledVersion(machine);
	const isOnPath = (await findOnPath([name], machine)).length > 0;
	if (!isOnPath && version === undefined) {
		if (!machine.sessionAgents.includes(agent.title)) return undefined;
		const text = `the command ${name} is not on the PATH; contextd reads the sessions`;
		return createInformationPart(agent.title, gainByAgent[name], text);
	}
	return {
		title: agent.title,
		gain: gainByAgent[name],
		addsCommands: true,
		state: choosePluginState(version, machine.version),
		listChanges: () => agent.planChanges(machine),
		apply: async (manifest) => {
			// An installation from before setup belongs to the user, so undo must leave it.
			if (version === undefined) await manifest.addName('agents', name);
			return agent.install(machine);
		},
	};
}

function choosePluginState(installed: string | undefined, version: string): PartState {
	if (installed === undefined) return { kind: 'due', word: 'new' };
	return installed === version ? { kind: 'done' } : { kind: 'due', word: `update from ${installed}` };
}
