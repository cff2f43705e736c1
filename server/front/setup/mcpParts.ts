/** Plans the parts of setup for agents that get the MCP server, because contextd has no plugin for them. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { findOnPath } from '../install/parts/agentProgram.ts';
import { listChangedLines, readEntry } from '../install/parts/jsonText.ts';
import { createEntryEdit, createLinesEdit, type FileEdit } from './fileEdit.ts';
import { type FileAddition, planFileParts } from './filePart.ts';
import type { SetupMachine, SetupPart } from './part.ts';

/** An agent, and its file that lists MCP servers. */
interface McpAgent {
	title: string;
	path: string;
	edit: FileEdit;
	/** Returns whether the user has this agent. */
	isFound(): Promise<boolean>;
	/** Returns whether a text has an entry for contextd that setup did not write. */
	hasForeignEntry(text: string): boolean;
}

const gainText = 'MCP server: its model can search and read what has left the window';

const serverName = 'contextd';

/** Returns how an agent starts the server: on Windows through `cmd`, because Node starts no `.cmd` file by itself. */
function createServerCommand({ platform }: SetupMachine): { command: string; args: string[] } {
	return platform === 'win32'
		? { command: 'cmd', args: ['/c', serverName, 'mcp'] }
		: { command: serverName, args: ['mcp'] };
}

/** Returns all agents that get the server, in the order of setup's plan. */
function listMcpAgents(machine: SetupMachine): McpAgent[] {
	const { env, home } = machine;
	const start = createServerCommand(machine);
	const config = env.XDG_CONFIG_HOME || join(home, '.config');
	const zed =
		machine.platform === 'win32'
			? join(env.APPDATA || join(home, 'AppData/Roaming'), 'Zed')
			: join(config, 'zed');
	const resolveHome = (variable: string, folder: string): string => env[variable] || join(home, folder);
	const gemini = join(env.GEMINI_CLI_HOME || home, '.gemini');
	const copilot = resolveHome('COPILOT_HOME', '.copilot');
	const codex = resolveHome('CODEX_HOME', '.codex');
	const qwen = resolveHome('QWEN_HOME', '.qwen');
	const cline = env.CLINE_DATA_DIR || join(resolveHome('CLINE_DIR', '.cline'), 'data');
	const detect = (folder: string, program: string) => async () =>
		existsSync(folder) || (await findOnPath([program], machine)).length > 0;
	return [
		createCodexAgent(join(codex, 'config.toml'), start, detect(codex, 'codex')),
		createJsonAgent('Gemini CLI', join(gemini, 'settings.json'), start, detect(gemini, 'gemini')),
		createJsonAgent(
			'Copilot CLI',
			join(copilot, 'mcp-config.json'),
			{ type: 'local', ...start, tools: ['*'] },
			detect(copilot, 'copilot'),
		),
		createJsonAgent('Qwen Code', join(qwen, 'settings.json'), start, detect(qwen, 'qwen')),
		createJsonAgent(
			'Cline',
			join(cline, 'settings', 'cline_mcp_settings.json'),
			start,
			detect(cline, 'cline'),
		),
		{
			...createJsonAgent('Zed', join(zed, 'settings.json'), { ...start, env: {} }, detect(zed, 'zed')),
			...createEntryEdits('context_servers', { ...start, env: {} }),
		},
	];
}

function createJsonAgent(title: string, path: string, value: object, isFound: McpAgent['isFound']): McpAgent {
	return { title, path, isFound, ...createEntryEdits('mcpServers', value) };
}

function createEntryEdits(group: string, value: object): Pick<McpAgent, 'edit' | 'hasForeignEntry'> {
	const entry = [group, serverName] as const;
	return {
		edit: createEntryEdit(entry, value),
		hasForeignEntry: (text) => !isDeepStrictEqual(readEntry(text, entry) ?? value, value),
	};
}

/** Returns the entry for Codex, whose settings are TOML: a table is appended, and the other tables stay unchanged. */
function createCodexAgent(
	path: string,
	start: ReturnType<typeof createServerCommand>,
	isFound: McpAgent['isFound'],
): McpAgent {
	const lines = [
		`[mcp_servers.${serverName}]`,
		`command = ${JSON.stringify(start.command)}`,
		`args = ${JSON.stringify(start.args).replaceAll(',', ', ')}`,
	];
	const edit = createLinesEdit(lines);
	return {
		title: 'Codex',
		path,
		edit,
		isFound,
		// Also finds an inline table of servers, because TOML does not allow a table to be appended to it.
		hasForeignEntry: (text) =>
			/^[ \t]*(?:\[\s*mcp_servers\s*\.\s*"?contextd"?\s*[\].]|mcp_servers\s*[.=])/m.test(
				edit.revert(text, undefined),
			),
	};
}

/** Returns the parts for the agents of this machine that get the server. */
export function planMcpParts(machine: SetupMachine): Promise<SetupPart[]> {
	const additions = listMcpAgents(machine).map((agent) => createServerAddition(agent, machine));
	return planFileParts(additions, machine);
}

function createServerAddition(agent: McpAgent, { sessionAgents }: SetupMachine): FileAddition {
	const { title, path, edit, hasForeignEntry } = agent;
	return {
		title,
		gain: gainText,
		path,
		edit,
		isFound: async () => sessionAgents.includes(title) || (await agent.isFound()),
		checkText: (text) => {
			if (hasForeignEntry(text))
				return { kind: 'none', text: `${path} already has another entry for contextd` };
			return edit.isApplied(text) ? { kind: 'done' } : undefined;
		},
		listChangedLines: (text) => listChangedLines(text, edit.apply(text)),
		describeResult: (shownPath) => `Registered the MCP server of contextd in ${shownPath}`,
	};
}
