/** Installs contextd into Claude Code, and removes it. */

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { createWorkFailure } from '../../console/failure.ts';
import { quoteShellWord } from '../../output/printable.ts';
import type { InstallableAgent, Machine, PlannedFile } from '../parts/agent.ts';
import { replaceFile, requireWritable, resolveLinkTarget } from '../parts/files.ts';
import { listChangedLines } from '../parts/jsonText.ts';
import { runOneAtATime } from '../parts/oneAtATime.ts';
import { copyProgram, getProgramFile, getProgramFolder } from '../parts/program.ts';
import {
	computeChecksum,
	type InstallRecord,
	isInstalledAnywhere,
	readInstallRecord,
	removeInstallRecord,
	writeInstallRecord,
} from '../parts/record.ts';
import { findOldAcpHosts } from './acpHosts.ts';
import { checkClaudeInstallation } from './doctor.ts';
import { addPlugin, readClaudeVersion, removePlugin } from './pluginCommands.ts';
import { getPluginFolder, writePluginFiles } from './pluginFiles.ts';
import {
	addPluginEntry,
	type ClaudeSettings,
	getClaudeConfigFolder,
	getSettingsPath,
	isForeignStatusLine,
	omitPlugin,
	parseClaudeSettings,
	pluginMarketplace,
	readClaudeSettings,
	readStatusCommand,
	removeOwnEntries,
	setStatusCommand,
	writeClaudeSettings,
} from './settings.ts';
import { listOldVersionAdvice, mayRunWithoutMods } from './version.ts';

const agent = 'claude';

/** The installer of contextd for Claude Code. */
export const claudeCodePlugin: InstallableAgent = {
	title: 'Claude Code',
	findInstalledVersion,
	planChanges,
	install,
	uninstall,
	check: checkClaudeInstallation,
};

async function findInstalledVersion(machine: Machine): Promise<string | undefined> {
	return (await readInstallRecord(machine.stateFolder, agent, getSettingsPath(machine)))?.version;
}

/** Lists what `installWithLock` would write. Claude Code itself adds the plugin's entries, in the same form. */
async function planChanges(machine: Machine): Promise<PlannedFile[]> {
	const path = getSettingsPath(machine);
	const settings = await readClaudeSettings(path);
	const record = await readInstallRecord(machine.stateFolder, agent, path);
	const original = restoreSettings(settings, record);
	const program = getProgramFolder(machine.stateFolder, machine.version);
	const withPlugin = addPluginEntry(original.text, getPluginFolder(machine.stateFolder));
	const command = createStatusLineCommand(program, readStatusCommand(original.values), machine);
	const after = isForeignStatusLine(original.values)
		? withPlugin
		: setStatusCommand(withPlugin, JSON.parse(withPlugin), command);
	return [
		{ path, lines: listChangedLines(settings.text, after) },
		{ path: program, lines: ['a copy of this program'] },
		{ path: getPluginFolder(machine.stateFolder), lines: ['the plugin'] },
	];
}

async function install(machine: Machine): Promise<string[]> {
	const path = getSettingsPath(machine);
	await readClaudeSettings(path);
	await requireWritable(path);
	const claudeVersion = await readClaudeVersion(machine);
	return runOneAtATime(machine.stateFolder, () => installWithLock(path, claudeVersion, machine));
}

async function installWithLock(path: string, claudeVersion: string, machine: Machine): Promise<string[]> {
	const settings = await readClaudeSettings(path);
	const oldRecord = await readInstallRecord(machine.stateFolder, agent, path);
	const original = restoreSettings(settings, oldRecord);
	const program = await copyProgram(machine.packageFolder, machine.stateFolder, machine.version);
	const earlierCommand = readStatusCommand(original.values);
	const isForeign = isForeignStatusLine(original.values);
	const oldHosts = await findOldAcpHosts(machine);
	const plugin = await writePluginFiles(program, machine, {
		hasStatusLine: !isForeign,
		mayRunWithoutMods: await mayRunWithoutMods({
			version: claudeVersion,
			oldHosts,
			platform: machine.platform,
		}),
	});
	const command = createStatusLineCommand(program, earlierCommand, machine);
	const extras: InstallRecord['own'] = {
		...(plugin === undefined ? {} : { plugin }),
		...(isForeign ? {} : { status: command }),
		...(earlierCommand === undefined ? {} : { earlierStatus: earlierCommand }),
	};
	const record = createInstallRecord(path, original, extras, machine);
	// From here on, the installation can be reverted, even if a later step fails.
	await writeInstallRecord(machine.stateFolder, agent, {
		...record,
		left: computeChecksum(settings.bytes ?? ''),
	});
	// Claude Code never replaces a copy of the same version, although the copy may start another Node.
	await removePluginCopy(machine);
	try {
		if (plugin !== undefined) await addPlugin(plugin, machine);
	} catch (error) {
		if (oldRecord === undefined) await uninstallWithLock(path, machine);
		throw error;
	}
	const addStatusLine = (text: string): string =>
		isForeign ? text : setStatusCommand(text, JSON.parse(text), command);
	const result = await writeSettings(path, settings, plugin, addStatusLine);
	const savedSettings = result.isUnchangedByOthers
		? original
		: restoreSettings(result.settings, { ...(oldRecord ?? record), left: '' });
	await writeInstallRecord(machine.stateFolder, agent, {
		...createInstallRecord(path, savedSettings, extras, machine),
		left: computeChecksum(result.bytes),
	});
	return [
		`Installed contextd ${machine.version} into Claude Code ${claudeVersion} (${getClaudeConfigFolder(machine)})`,
		`  program      ${program}`,
		...(plugin === undefined ? [] : [`  plugin       ${plugin}`]),
		`  status line  ${describeStatusLine(isForeign, earlierCommand)}`,
		...listOldVersionAdvice(claudeVersion),
		...oldHosts,
		'Restart Claude Code. contextd doctor claude checks each part; contextd uninstall claude removes it.',
	];
}

function createInstallRecord(
	path: string,
	{ bytes }: ClaudeSettings,
	extras: InstallRecord['own'],
	{ version }: Machine,
): Omit<InstallRecord, 'left'> {
	return { version, settings: path, saved: bytes?.toString('base64') ?? null, own: extras };
}

/** Removes the copy of the plugin that versions of Claude Code without mods use. */
function removePluginCopy(machine: Machine): Promise<void> {
	return rm(join(getClaudeConfigFolder(machine), 'plugins', 'cache', pluginMarketplace), {
		recursive: true,
		force: true,
	});
}

/** Maximum attempts to write settings that another program changes meanwhile. */
const maxAttempts = 5;

/** The settings that were written, and the settings that they replaced. */
interface WrittenSettings {
	bytes: Buffer;
	settings: ClaudeSettings;
	/** Whether only Claude Code changed the settings since they were read, namely when it added the plugin. */
	isUnchangedByOthers: boolean;
}

/**
 * Writes the settings with all entries of contextd.
 *
 * Claude Code rewrote the file when it added the plugin. If the file still has the same meaning as before, the user's
 * formatting is restored; if another program changed it, that content is used.
 */
async function writeSettings(
	path: string,
	before: ClaudeSettings,
	plugin: string | undefined,
	addStatusLine: (text: string) => string,
): Promise<WrittenSettings> {
	const textWithPlugin = plugin === undefined ? before.text : addPluginEntry(before.text, plugin);
	for (let attempt = 0; attempt < maxAttempts; attempt++) {
		const settings = await readClaudeSettings(path);
		const isAsFound = isDeepStrictEqual(JSON.parse(textWithPlugin), settings.values);
		const { mark, text } = isAsFound ? { mark: before.mark, text: textWithPlugin } : settings;
		const finalText = addStatusLine(text);
		const after = await readClaudeSettings(path);
		if (after.bytes?.equals(settings.bytes ?? Buffer.alloc(0)) === false) continue;
		return {
			bytes: await writeClaudeSettings(path, { ...settings, mark }, finalText),
			settings,
			isUnchangedByOthers: isAsFound,
		};
	}
	throw createWorkFailure(
		`another program keeps changing ${path}; contextd uninstall claude reverts the installation`,
	);
}

function describeStatusLine(isForeign: boolean, earlierCommand: string | undefined): string {
	if (isForeign) return "left unchanged: it cannot be combined with contextd's";
	return earlierCommand === undefined ? "contextd's" : "yours, with contextd's below it";
}

/** Returns whether settings are byte for byte what an installation wrote. */
function isAsInstalled({ bytes }: ClaudeSettings, { left }: InstallRecord): boolean {
	return bytes !== undefined && computeChecksum(bytes) === left;
}

/** Returns whether an installation was interrupted, and only the entries of contextd have changed since. */
function isInterruptedInstallation({ text, values }: ClaudeSettings, record: InstallRecord): boolean {
	const savedBytes = record.saved === null ? undefined : Buffer.from(record.saved, 'base64');
	if (record.left !== computeChecksum(savedBytes ?? '')) return false;
	const userValues = JSON.parse(removeOwnEntries(text, values, listOwnEntries(record)));
	return isDeepStrictEqual(omitPlugin(userValues), omitPlugin(parseClaudeSettings(savedBytes)?.values ?? {}));
}

/**
 * Returns the settings without contextd: those before the first installation if nothing has changed since, else the
 * current settings without contextd's entries.
 */
function restoreSettings(settings: ClaudeSettings, record: InstallRecord | undefined): ClaudeSettings {
	if (record === undefined) return settings;
	const isAsLeft = isAsInstalled(settings, record) || isInterruptedInstallation(settings, record);
	if (isAsLeft && record.saved === null) return { mark: '', text: '{}\n', values: {} };
	const bytes = isAsLeft
		? Buffer.from(record.saved ?? '', 'base64')
		: Buffer.from(settings.mark + removeOwnEntries(settings.text, settings.values, listOwnEntries(record)));
	return parseClaudeSettings(bytes) ?? settings;
}

function listOwnEntries({ own }: InstallRecord): { after?: string; before?: string } {
	return { after: own.status, before: own.earlierStatus };
}

/** Returns the command of Claude Code's status line: with absolute paths, and the user's own command as the last word. */
function createStatusLineCommand(
	program: string,
	earlierCommand: string | undefined,
	{ node }: Machine,
): string {
	const words = [
		node,
		getProgramFile(program),
		'statusline',
		...(earlierCommand === undefined ? [] : ['--below', earlierCommand]),
	];
	return words.map(quoteShellWord).join(' ');
}

async function uninstall(machine: Machine): Promise<string[]> {
	const path = getSettingsPath(machine);
	if ((await readInstallRecord(machine.stateFolder, agent, path)) === undefined) return [notInstalledText];
	await readClaudeSettings(path);
	await requireWritable(path);
	return runOneAtATime(machine.stateFolder, () => uninstallWithLock(path, machine));
}

const notInstalledText = 'contextd is not installed in Claude Code; nothing was changed';

async function uninstallWithLock(path: string, machine: Machine): Promise<string[]> {
	const record = await readInstallRecord(machine.stateFolder, agent, path);
	if (record === undefined) return [notInstalledText];
	const settings = await readClaudeSettings(path);
	if (record.own.plugin !== undefined) await removePlugin(machine);
	await removePluginCopy(machine);
	// Claude Code has rewritten the file. If it still has the same meaning, the user's formatting is restored.
	const after = await readClaudeSettings(path);
	const isAsFound = isDeepStrictEqual(omitPlugin(settings.values), omitPlugin(after.values));
	const isAsLeft = (isAsFound && isAsInstalled(settings, record)) || isInterruptedInstallation(after, record);
	if (!isAsLeft) {
		const { text, values } = isAsFound ? settings : after;
		const cleaned = removeOwnEntries(text, values, listOwnEntries(record));
		if (after.bytes !== undefined) await writeClaudeSettings(path, isAsFound ? settings : after, cleaned);
	} else if (record.saved === null) {
		await rm(await resolveLinkTarget(path), { force: true });
	} else {
		await replaceFile(path, Buffer.from(record.saved, 'base64'), 0o600);
	}
	await removeInstallRecord(machine.stateFolder, agent, path);
	if (!(await isInstalledAnywhere(machine.stateFolder, agent)))
		await rm(getPluginFolder(machine.stateFolder), { recursive: true, force: true });
	return [
		isAsLeft
			? `Removed contextd from Claude Code; restored ${path}`
			: `Removed contextd from Claude Code; ${path} was changed since, so only the entries of contextd were removed`,
		`  your sessions remain in ${machine.stateFolder}`,
	];
}
