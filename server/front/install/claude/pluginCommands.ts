/** Runs Claude Code's plugin commands, without network access. */

import { isFields } from '../../../core/shape.ts';
import { workFailed } from '../../console/failure.ts';
import type { InstallPlace } from '../parts/agent.ts';
import { type ProgramResult, runProgram } from '../parts/agentProgram.ts';
import { pluginId, pluginMarketplace } from './settings.ts';

const notFoundText = 'the command claude cannot be started: is Claude Code installed?';

/** Runs Claude Code with arguments, without its network traffic and updates. */
async function runClaude(args: readonly string[], { env }: InstallPlace): Promise<Required<ProgramResult>> {
	const quiet = { ...env, CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_AUTOUPDATER: '1' };
	const { isDone, output = notFoundText } = await runProgram('claude', args, quiet);
	return { isDone, output };
}

/** The version of Claude Code that the command starts. Throws with exit code 1 if there is none. */
export async function claudeVersion(place: InstallPlace): Promise<string> {
	const { isDone, output } = await runClaude(['--version'], place);
	if (!isDone) throw workFailed(lastLine(output) || notFoundText);
	return /\d{1,9}\.\d{1,9}\.\d{1,9}/.exec(output)?.[0] ?? lastLine(output);
}

/** Lets Claude Code add the plugin from a folder. Throws its message with exit code 1 if it refuses. */
export async function addPlugin(folder: string, place: InstallPlace): Promise<void> {
	const add = ['plugin', 'marketplace', 'add', folder];
	const { isDone } = await runClaude(add, place);
	if (!isDone) {
		// The first versions with plugins do not accept a marketplace that they already know.
		await runClaude(['plugin', 'marketplace', 'remove', pluginMarketplace], place);
		await requireSuccess(add, place);
	}
	await requireSuccess(['plugin', 'install', pluginId], place);
}

/** Runs Claude Code with arguments. Throws Claude Code's message with exit code 1 if the command fails. */
async function requireSuccess(args: readonly string[], place: InstallPlace): Promise<void> {
	const { isDone, output } = await runClaude(args, place);
	if (!isDone) throw workFailed(`claude ${args.join(' ')} failed: ${lastLine(output)}`);
}

/** Lets Claude Code remove the plugin; an unknown one counts as removed. */
export async function removePlugin(place: InstallPlace): Promise<void> {
	await runClaude(['plugin', 'uninstall', pluginId], place);
	await runClaude(['plugin', 'marketplace', 'remove', pluginMarketplace], place);
}

/** The plugin as Claude Code lists it. */
export interface PluginEntry {
	version: string;
	isEnabled: boolean;
}

/** Claude Code's entry for the plugin; undefined if there is none. */
export async function findPluginEntry(place: InstallPlace): Promise<PluginEntry | undefined> {
	const { isDone, output } = await runClaude(['plugin', 'list', '--json'], place);
	if (!isDone) return undefined;
	const plugins: unknown = JSON.parse(output);
	const found = Array.isArray(plugins)
		? plugins.filter(isFields).find(({ id }) => id === pluginId)
		: undefined;
	return found && { version: String(found.version), isEnabled: found.enabled === true };
}

function lastLine(output: string): string {
	return output.trim().split('\n').at(-1)?.trim() ?? '';
}
