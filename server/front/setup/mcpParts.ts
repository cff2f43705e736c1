/** Agents without a plugin of contextd, which get its MCP server. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { CommandFailure } from '../console/failure.ts';
import { changedLines } from '../install/parts/jsonText.ts';
import { findOnPath } from '../install/parts/onPath.ts';
import { linkTargetOf } from '../install/parts/replaceFile.ts';
import { applyEdit, editableText } from './editedFile.ts';
import { entryEdit, type FileEdit, linesEdit } from './fileEdit.ts';
import { entryIn } from './jsonEntry.ts';
import type { PartState, SetupPart, SetupPlace } from './part.ts';

/** An agent, and where it lists MCP servers. */
interface McpAgent {
	title: string;
	path: string;
	edit: FileEdit;
	/** Whether the user has this agent. */
	isFound(): Promise<boolean>;
	/** Whether a text has an entry for contextd that setup did not write. */
	hasOther(text: string): boolean;
}

/** What the user gets. */
const gainText = 'MCP server: its model can search and read what left the window';

const serverName = 'contextd';

/** Returns how an agent starts the server. Node starts no `.cmd` file without a shell. */
function serverCommand({ platform }: SetupPlace): { command: string; args: string[] } {
	return platform === 'win32'
		? { command: 'cmd', args: ['/c', serverName, 'mcp'] }
		: { command: serverName, args: ['mcp'] };
}

/** All agents, in the order in which setup lists them. */
function mcpAgents(place: SetupPlace): McpAgent[] {
	const { env, home } = place;
	const start = serverCommand(place);
	const config = env.XDG_CONFIG_HOME || join(home, '.config');
	const zed =
		place.platform === 'win32'
			? join(env.APPDATA || join(home, 'AppData/Roaming'), 'Zed')
			: join(config, 'zed');
	const inHome = (variable: string, folder: string): string => env[variable] || join(home, folder);
	const gemini = join(env.GEMINI_CLI_HOME || home, '.gemini');
	const copilot = inHome('COPILOT_HOME', '.copilot');
	const codex = inHome('CODEX_HOME', '.codex');
	const qwen = inHome('QWEN_HOME', '.qwen');
	const cline = env.CLINE_DATA_DIR || join(inHome('CLINE_DIR', '.cline'), 'data');
	const found = (folder: string, program: string) => async () =>
		existsSync(folder) || (await findOnPath([program], place)).length > 0;
	return [
		codexAgent(join(codex, 'config.toml'), start, found(codex, 'codex')),
		jsonAgent('Gemini CLI', join(gemini, 'settings.json'), start, found(gemini, 'gemini')),
		jsonAgent(
			'Copilot CLI',
			join(copilot, 'mcp-config.json'),
			{ type: 'local', ...start, tools: ['*'] },
			found(copilot, 'copilot'),
		),
		jsonAgent('Qwen Code', join(qwen, 'settings.json'), start, found(qwen, 'qwen')),
		jsonAgent('Cline', join(cline, 'settings', 'cline_mcp_settings.json'), start, found(cline, 'cline')),
		{
			...jsonAgent('Zed', join(zed, 'settings.json'), { ...start, env: {} }, found(zed, 'zed')),
			...entriesOf('context_servers', { ...start, env: {} }),
		},
	];
}

function jsonAgent(title: string, path: string, value: object, isFound: McpAgent['isFound']): McpAgent {
	return { title, path, isFound, ...entriesOf('mcpServers', value) };
}

function entriesOf(group: string, value: object): Pick<McpAgent, 'edit' | 'hasOther'> {
	const entry = [group, serverName] as const;
	return {
		edit: entryEdit(entry, value),
		hasOther: (text) => !isDeepStrictEqual(entryIn(text, entry) ?? value, value),
	};
}

/** Codex uses TOML, where a table can be appended without changing the others. */
function codexAgent(
	path: string,
	start: ReturnType<typeof serverCommand>,
	isFound: McpAgent['isFound'],
): McpAgent {
	const lines = [
		`[mcp_servers.${serverName}]`,
		`command = ${JSON.stringify(start.command)}`,
		`args = ${JSON.stringify(start.args).replaceAll(',', ', ')}`,
	];
	const edit = linesEdit(lines);
	return {
		title: 'Codex',
		path,
		edit,
		isFound,
		// An inline table cannot be extended by another table.
		hasOther: (text) =>
			/^[ \t]*(?:\[\s*mcp_servers\s*\.\s*"?contextd"?\s*[\].]|mcp_servers\s*[.=])/m.test(
				edit.removeFrom(text, undefined),
			),
	};
}

/** The agents of this machine that get the server. */
export async function mcpParts(place: SetupPlace): Promise<SetupPart[]> {
	const hasCommand = (await findOnPath([serverName], place)).length > 0;
	const parts = await Promise.all(mcpAgents(place).map((agent) => mcpPart(agent, hasCommand, place)));
	return parts.filter((part) => part !== undefined);
}

async function mcpPart(
	agent: McpAgent,
	hasCommand: boolean,
	{ stateFolder, sessionAgents }: SetupPlace,
): Promise<SetupPart | undefined> {
	const { title, path, edit } = agent;
	if (!sessionAgents.includes(title) && !(await agent.isFound())) return undefined;
	// A link that leads nowhere is reported by the check of the file.
	const target = await linkTargetOf(path).catch(() => path);
	const shown = target === path ? path : `${path} -> ${target}`;
	return {
		title,
		gain: gainText,
		state: await stateOf(agent, hasCommand, shown),
		changes: async () => {
			const text = await editableText(path, edit);
			return [{ path: shown, lines: changedLines(text, edit.addTo(text)) }];
		},
		apply: async (manifest) => {
			await applyEdit(path, edit, stateFolder, manifest);
			return [`Registered the MCP server of contextd in ${shown}`];
		},
	};
}

async function stateOf(
	{ path, edit, hasOther }: McpAgent,
	hasCommand: boolean,
	shown: string,
): Promise<PartState> {
	let text: string;
	try {
		text = await editableText(path, edit);
	} catch (error) {
		if (error instanceof CommandFailure) return { kind: 'left', text: error.message };
		throw error;
	}
	if (hasOther(text)) return { kind: 'left', text: `${path} has an entry of its own for contextd` };
	if (edit.isIn(text)) return { kind: 'done' };
	if (!hasCommand)
		return { kind: 'left', text: 'the command contextd is not on the PATH (see docs/setup.md)' };
	return { kind: 'due', word: shown };
}
