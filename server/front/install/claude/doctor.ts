/** The checks of `contextd doctor claude`. */

import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isFields, tryParseJson } from '../../../core/shape.ts';
import { CommandFailure } from '../../console/failure.ts';
import type { Finding, Machine } from '../parts/agent.ts';
import { checkPluginDaemon } from '../parts/daemonCheck.ts';
import { readBytesIfExists } from '../parts/files.ts';
import { describeProgramProblem, getProgramFolder } from '../parts/program.ts';
import { type InstallRecord, readInstallRecord } from '../parts/record.ts';
import { findOldAcpHosts } from './acpHosts.ts';
import { listForbidden, readManagedSettings } from './managed.ts';
import { findPluginEntry, readClaudeVersion } from './pluginCommands.ts';
import {
	createHookArguments,
	getPluginFolder,
	getStartCommandPath,
	readStartCommand,
} from './pluginFiles.ts';
import { type ClaudeSettings, getSettingsPath, readClaudeSettings, readStatusCommand } from './settings.ts';
import { createSettingsHooks } from './settingsHooks.ts';
import { checkModSupport, mayRunWithoutMods } from './version.ts';

/** Checks each part of the installation in Claude Code. */
export async function checkClaudeInstallation(machine: Machine): Promise<Finding[]> {
	const path = getSettingsPath(machine);
	const record = await readInstallRecord(machine.stateFolder, 'claude', path);
	if (record === undefined)
		return [{ isSound: false, text: `not installed in Claude Code (${path}); run contextd install claude` }];
	const hasPlugin = record.own.plugin !== undefined;
	const claude = await checkClaudeVersion(machine);
	const oldHosts = hasPlugin ? await findOldAcpHosts(machine) : [];
	return [
		claude.finding,
		await checkCopy(record, machine),
		...(hasPlugin
			? [
					...(await checkStartCommand(machine)),
					await checkHooks(claude.version, oldHosts, machine),
					await checkPluginEntry(machine),
				]
			: []),
		...(await checkSettings(path, record, machine)),
		...(hasPlugin ? [...oldHosts.map((text) => ({ text })), ...listGeneralLimits(machine)] : []),
	];
}

/** Returns Claude Code's version, absent if it cannot be started, and a finding about what works in it. */
async function checkClaudeVersion(machine: Machine): Promise<{ version?: string; finding: Finding }> {
	try {
		const version = await readClaudeVersion(machine);
		return { version, finding: checkModSupport(version) };
	} catch (error) {
		if (error instanceof CommandFailure) return { finding: { isSound: false, text: error.message } };
		throw error;
	}
}

async function checkCopy({ version }: InstallRecord, { stateFolder, ...machine }: Machine): Promise<Finding> {
	const folder = getProgramFolder(stateFolder, version);
	const problem = await describeProgramProblem(folder);
	if (problem !== undefined) {
		return {
			isSound: false,
			text: `the program ${folder} ${problem}; run contextd install claude to repair it`,
		};
	}
	return version === machine.version
		? { isSound: true, text: `the program ${folder} is intact` }
		: {
				isSound: false,
				text: `contextd ${version} is installed, this is ${machine.version}; run contextd install claude to update it`,
			};
}

async function checkStartCommand({ stateFolder }: Machine): Promise<Finding[]> {
	const start = await readStartCommand(stateFolder);
	if (start === undefined) {
		const path = getStartCommandPath(stateFolder);
		return [
			{ isSound: false, text: `${path} is missing or damaged; run contextd install claude to repair it` },
		];
	}
	for (const file of start.argv) {
		const isReadable = await access(file, constants.R_OK).then(
			() => true,
			() => false,
		);
		if (!isReadable) return [{ isSound: false, text: `the plugin starts ${file}, which no longer exists` }];
	}
	return [
		{ isSound: true, text: `the plugin starts ${start.argv.join(' ')}` },
		...(await checkPluginDaemon(start, 'claude:')),
	];
}

/** Checks that the hooks start the plugin's program; a hook after Bash calls is accepted only if mods may not run. */
async function checkHooks(
	version: string | undefined,
	oldHosts: readonly string[],
	machine: Machine,
): Promise<Finding> {
	const plugin = join(getPluginFolder(machine.stateFolder), 'plugin');
	const [start, hooks] = await Promise.all([
		readStartCommand(machine.stateFolder),
		readBytesIfExists(join(plugin, 'hooks', 'hooks.json')),
	]);
	const argv = start && createHookArguments(start);
	const installed = hooks && tryParseJson(hooks.toString('utf8'))?.value;
	const { platform } = machine;
	const isNeeded = version === undefined || (await mayRunWithoutMods({ version, oldHosts, platform }));
	const hasHooks = (needsBashHook: boolean): boolean =>
		argv !== undefined &&
		isFields(installed) &&
		isDeepStrictEqual(installed.hooks, createSettingsHooks(argv, machine, needsBashHook));
	if (hasHooks(isNeeded))
		return { isSound: true, text: 'the plugin has its hooks, which work even if no mod runs' };
	if (!isNeeded && hasHooks(true)) {
		const text =
			'each Bash call starts a hook that this Claude Code does not need; run contextd install claude to remove it';
		return { isSound: false, text };
	}
	return {
		isSound: false,
		text: 'the hooks of the plugin are missing; run contextd install claude to repair it',
	};
}

async function checkSettings(path: string, record: InstallRecord, { platform }: Machine): Promise<Finding[]> {
	let settings: ClaudeSettings;
	try {
		settings = await readClaudeSettings(path);
	} catch (error) {
		if (error instanceof CommandFailure) return [{ isSound: false, text: error.message }];
		throw error;
	}
	return [
		checkStatusLine(settings, record),
		...(record.own.plugin === undefined
			? []
			: listForbidden(await readManagedSettings(platform), settings.values)),
	];
}

async function checkPluginEntry(machine: Machine): Promise<Finding> {
	const plugin = await findPluginEntry(machine);
	if (plugin === 'unreadable') {
		return {
			isSound: false,
			text: 'Claude Code does not list its plugins: claude plugin list --json prints no JSON',
		};
	}
	if (plugin === undefined) return { isSound: false, text: 'Claude Code does not have the plugin' };
	return plugin.isEnabled
		? { isSound: true, text: `Claude Code has the plugin, version ${plugin.version}` }
		: { isSound: false, text: 'the plugin is switched off in Claude Code' };
}

function checkStatusLine({ values }: ClaudeSettings, { own }: InstallRecord): Finding {
	if (own.status === undefined) return { text: 'your own status line does not show contextd' };
	return readStatusCommand(values) === own.status
		? { isSound: true, text: 'the status line shows the meter' }
		: { text: 'the status line was changed since, and does not show contextd' };
}

/** Returns limits of the plugin that always apply. */
function listGeneralLimits({ platform }: Machine): Finding[] {
	const generalLimits = [
		"every mod in Claude Code can read the conversation, and contextd's mod does",
		'if contextd leaves a conversation that exceeds the window to Claude Code, Claude Code summarizes only the older part that fits; contextd export --place writes the whole conversation, compacted, as a session to continue',
	];
	const windowsLimit = 'mods cannot use sockets on Windows: only the hooks and the status line work here';
	return (platform === 'win32' ? [windowsLimit, ...generalLimits] : generalLimits).map((text) => ({ text }));
}
