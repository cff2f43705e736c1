/** Claude Code's own commands about plugins, without the network. */

import { isFields } from '../../../core/shape.ts';
import { workFailed } from '../../console/failure.ts';
import type { InstallPlace } from '../parts/agent.ts';
import { type Outcome, runProgram } from '../parts/agentProgram.ts';
import { marketplace, pluginId } from './settings.ts';

const absent = 'the command claude cannot be started: is Claude Code installed?';

/** Runs Claude Code with some arguments, without its network traffic and updates. */
async function claude(args: readonly string[], { env }: InstallPlace): Promise<Required<Outcome>> {
	const quiet = { ...env, CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_AUTOUPDATER: '1' };
	const { isDone, output = absent } = await runProgram('claude', args, quiet);
	return { isDone, output };
}

/** The version of the Claude Code that the command starts. Fails with exit code 1 where there is none. */
export async function claudeVersion(place: InstallPlace): Promise<string> {
	const { isDone, output } = await claude(['--version'], place);
	if (!isDone) throw workFailed(lastLine(output) || absent);
	return /\d{1,9}\.\d{1,9}\.\d{1,9}/.exec(output)?.[0] ?? lastLine(output);
}

/** Has Claude Code take the plugin from a folder. Fails with exit code 1, in its words, where it does not. */
export async function addPlugin(folder: string, place: InstallPlace): Promise<void> {
	const add = ['plugin', 'marketplace', 'add', folder];
	const { isDone } = await claude(add, place);
	if (!isDone) {
		// The first versions with plugins take no marketplace that they know already.
		await claude(['plugin', 'marketplace', 'remove', marketplace], place);
		await done(add, place);
	}
	await done(['plugin', 'install', pluginId], place);
}

/** Runs Claude Code with some arguments. Fails with exit code 1, in its words, where it does not do what they say. */
async function done(args: readonly string[], place: InstallPlace): Promise<void> {
	const { isDone, output } = await claude(args, place);
	if (!isDone) throw workFailed(`claude ${args.join(' ')} failed: ${lastLine(output)}`);
}

/** Has Claude Code forget the plugin; one that it does not know is forgotten. */
export async function removePlugin(place: InstallPlace): Promise<void> {
	await claude(['plugin', 'uninstall', pluginId], place);
	await claude(['plugin', 'marketplace', 'remove', marketplace], place);
}

/** The plugin as Claude Code has it. */
export interface KnownPlugin {
	version: string;
	isEnabled: boolean;
}

/** What Claude Code knows of the plugin; undefined where that is nothing. */
export async function knownPlugin(place: InstallPlace): Promise<KnownPlugin | undefined> {
	const { isDone, output } = await claude(['plugin', 'list', '--json'], place);
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
