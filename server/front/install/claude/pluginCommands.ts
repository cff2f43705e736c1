/** Runs Claude Code's plugin commands, without network access. */

import { isFields, tryParseJson } from '../../../core/shape.ts';
import { createWorkFailure } from '../../console/failure.ts';
import type { Machine } from '../parts/agent.ts';
import { extractLastLine, type ProgramResult, runProgram } from '../parts/agentProgram.ts';
import { pluginId, pluginMarketplace } from './settings.ts';

const notFoundText = 'the command claude cannot be started: is Claude Code installed?';

/** Runs Claude Code with arguments, without its network traffic and updates. */
async function runClaude(args: readonly string[], { env }: Machine): Promise<Required<ProgramResult>> {
	const quietEnv = { ...env, CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_AUTOUPDATER: '1' };
	const { hasSucceeded, output = notFoundText } = await runProgram('claude', args, quietEnv);
	return { hasSucceeded, output };
}

/** Returns the version of Claude Code that the command `claude` starts. Throws with exit code 1 if there is none. */
export async function readClaudeVersion(machine: Machine): Promise<string> {
	const { hasSucceeded, output } = await runClaude(['--version'], machine);
	if (!hasSucceeded) throw createWorkFailure(extractLastLine(output) || notFoundText);
	return /\d{1,9}\.\d{1,9}\.\d{1,9}/.exec(output)?.[0] ?? extractLastLine(output);
}

/** Lets Claude Code add the plugin from a folder. Throws Claude Code's message with exit code 1 if it refuses. */
export async function addPlugin(folder: string, machine: Machine): Promise<void> {
	const add = ['plugin', 'marketplace', 'add', folder];
	const { hasSucceeded } = await runClaude(add, machine);
	if (!hasSucceeded) {
		// The first versions with plugins refuse to add a marketplace again.
		await runClaude(['plugin', 'marketplace', 'remove', pluginMarketplace], machine);
		await runClaudeOrThrow(add, machine);
	}
	await runClaudeOrThrow(['plugin', 'install', pluginId], machine);
}

/** Runs Claude Code with arguments. Throws Claude Code's message with exit code 1 if the command fails. */
async function runClaudeOrThrow(args: readonly string[], machine: Machine): Promise<void> {
	const { hasSucceeded, output } = await runClaude(args, machine);
	if (!hasSucceeded) throw createWorkFailure(`claude ${args.join(' ')} failed: ${extractLastLine(output)}`);
}

/** Lets Claude Code remove the plugin; does nothing if Claude Code does not have it. */
export async function removePlugin(machine: Machine): Promise<void> {
	await runClaude(['plugin', 'uninstall', pluginId], machine);
	await runClaude(['plugin', 'marketplace', 'remove', pluginMarketplace], machine);
}

/** The plugin as Claude Code lists it. */
export interface PluginEntry {
	version: string;
	isEnabled: boolean;
}

/** Returns Claude Code's entry for the plugin; undefined if there is none, `unreadable` if no JSON was printed. */
export async function findPluginEntry(machine: Machine): Promise<PluginEntry | 'unreadable' | undefined> {
	const { hasSucceeded, output } = await runClaude(['plugin', 'list', '--json'], machine);
	if (!hasSucceeded) return undefined;
	const plugins = tryParseJson(output)?.value;
	if (!Array.isArray(plugins)) return 'unreadable';
	const plugin = plugins.filter(isFields).find(({ id }) => id === pluginId);
	return plugin && { version: String(plugin.version), isEnabled: plugin.enabled === true };
}
