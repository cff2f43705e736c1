/** Installs contextd into Claude Code, and removes it. */

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { createWorkFailure } from '../../console/failure.ts';
import { quoteShellWord } from '../../output/printable.ts';
import type { InstallableAgent, InstallPlace, PlannedFile } from '../parts/agent.ts';
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
import { getPluginFolder, placePlugin, removePluginFiles } from './pluginFiles.ts';
import {
	addPluginEntry,
	type ClaudeSettings,
	getClaudeConfigFolder,
	getClaudeSettingsPath,
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

async function findInstalledVersion(place: InstallPlace): Promise<string | undefined> {
	return (await readInstallRecord(place.stateFolder, agent, getClaudeSettingsPath(place)))?.version;
}

/** Lists what `installWithLock` would write. Claude Code itself adds the plugin's entries, in the same form. */
async function planChanges(place: InstallPlace): Promise<PlannedFile[]> {
	const path = getClaudeSettingsPath(place);
	const found = await readClaudeSettings(path);
	const record = await readInstallRecord(place.stateFolder, agent, path);
	const original = restoreOriginalSettings(found, record);
	const program = getProgramFolder(place.stateFolder, place.version);
	const withPlugin = addPluginEntry(original.text, getPluginFolder(place.stateFolder));
	const command = createStatusLineCommand(program, readStatusCommand(original.values), place);
	const after = isForeignStatusLine(original.values)
		? withPlugin
		: setStatusCommand(withPlugin, JSON.parse(withPlugin), command);
	return [
		{ path, lines: listChangedLines(found.text, after) },
		{ path: program, lines: ['a copy of this program'] },
		{ path: getPluginFolder(place.stateFolder), lines: ['the plugin'] },
	];
}

async function install(place: InstallPlace): Promise<string[]> {
	const path = getClaudeSettingsPath(place);
	await readClaudeSettings(path);
	await requireWritable(path);
	const claudeVersion = await readClaudeVersion(place);
	return runOneAtATime(place.stateFolder, () => installWithLock(path, claudeVersion, place));
}

async function installWithLock(path: string, claudeVersion: string, place: InstallPlace): Promise<string[]> {
	const found = await readClaudeSettings(path);
	const oldRecord = await readInstallRecord(place.stateFolder, agent, path);
	const original = restoreOriginalSettings(found, oldRecord);
	const program = await copyProgram(place.packageFolder, place.stateFolder, place.version);
	const earlierCommand = readStatusCommand(original.values);
	const isForeign = isForeignStatusLine(original.values);
	const oldHosts = await findOldAcpHosts(place);
	const plugin = await placePlugin(program, place, {
		hasStatusLine: !isForeign,
		mayRunWithoutMods: await mayRunWithoutMods({
			version: claudeVersion,
			oldHosts,
			platform: place.platform,
		}),
	});
	const command = createStatusLineCommand(program, earlierCommand, place);
	const own: InstallRecord['own'] = {
		...(plugin === undefined ? {} : { plugin }),
		...(isForeign ? {} : { status: command }),
		...(earlierCommand === undefined ? {} : { earlierStatus: earlierCommand }),
	};
	const record = createInstallRecord(path, original, own, place);
	// From here on, the installation can be reverted, even if a later step fails.
	await writeInstallRecord(place.stateFolder, agent, { ...record, left: computeChecksum(found.bytes ?? '') });
	// Claude Code never replaces a copy of the same version, although the copy may start another Node.
	await removePluginCopy(place);
	try {
		if (plugin !== undefined) await addPlugin(plugin, place);
	} catch (error) {
		if (oldRecord === undefined) await uninstallWithLock(path, place);
		throw error;
	}
	const withStatus = (text: string): string =>
		isForeign ? text : setStatusCommand(text, JSON.parse(text), command);
	const result = await writeSettings(path, found, plugin, withStatus);
	const savedSettings = result.isUnchangedByOthers
		? original
		: restoreOriginalSettings(result.settings, { ...(oldRecord ?? record), left: '' });
	await writeInstallRecord(place.stateFolder, agent, {
		...createInstallRecord(path, savedSettings, own, place),
		left: computeChecksum(result.bytes),
	});
	return [
		`Installed contextd ${place.version} into Claude Code ${claudeVersion} (${getClaudeConfigFolder(place)})`,
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
	own: InstallRecord['own'],
	{ version }: InstallPlace,
): Omit<InstallRecord, 'left'> {
	return { version, settings: path, saved: bytes === undefined ? null : bytes.toString('base64'), own };
}

/** Removes the copy of the plugin that versions of Claude Code without mods use. */
function removePluginCopy(place: InstallPlace): Promise<void> {
	return rm(join(getClaudeConfigFolder(place), 'plugins', 'cache', pluginMarketplace), {
		recursive: true,
		force: true,
	});
}

/** Maximum attempts to write settings that another program changes meanwhile. */
const maxAttempts = 5;

/** The settings as written, and those that they replaced. */
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
	found: ClaudeSettings,
	plugin: string | undefined,
	withStatus: (text: string) => string,
): Promise<WrittenSettings> {
	const ours = plugin === undefined ? found.text : addPluginEntry(found.text, plugin);
	for (let attempt = 0; attempt < maxAttempts; attempt++) {
		const settings = await readClaudeSettings(path);
		const isAsFound = isDeepStrictEqual(JSON.parse(ours), settings.values);
		const { mark, text } = isAsFound ? { mark: found.mark, text: ours } : settings;
		const finalText = withStatus(text);
		const now = await readClaudeSettings(path);
		if (now.bytes?.equals(settings.bytes ?? Buffer.alloc(0)) === false) continue;
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
	const now = JSON.parse(removeOwnEntries(text, values, listOwnEntries(record)));
	return isDeepStrictEqual(omitPlugin(now), omitPlugin(parseClaudeSettings(savedBytes)?.values ?? {}));
}

/**
 * Returns the settings without contextd: those before the first installation if nothing has changed since, else the
 * current settings without contextd's entries.
 */
function restoreOriginalSettings(found: ClaudeSettings, record: InstallRecord | undefined): ClaudeSettings {
	if (record === undefined) return found;
	const isAsLeft = isAsInstalled(found, record) || isInterruptedInstallation(found, record);
	if (isAsLeft && record.saved === null) return { mark: '', text: '{}\n', values: {} };
	const bytes = isAsLeft
		? Buffer.from(record.saved ?? '', 'base64')
		: Buffer.from(found.mark + removeOwnEntries(found.text, found.values, listOwnEntries(record)));
	return parseClaudeSettings(bytes) ?? found;
}

function listOwnEntries({ own }: InstallRecord): { left?: string; before?: string } {
	return { left: own.status, before: own.earlierStatus };
}

/**
 * Returns the command of Claude Code's status line: with absolute paths, and the user's own command as the last word.
 */
function createStatusLineCommand(
	program: string,
	earlierCommand: string | undefined,
	{ node }: InstallPlace,
): string {
	const words = [
		node,
		getProgramFile(program),
		'statusline',
		...(earlierCommand === undefined ? [] : ['--below', earlierCommand]),
	];
	return words.map(quoteShellWord).join(' ');
}

async function uninstall(place: InstallPlace): Promise<string[]> {
	const path = getClaudeSettingsPath(place);
	if ((await readInstallRecord(place.stateFolder, agent, path)) === undefined) return [notInstalledText];
	await readClaudeSettings(path);
	await requireWritable(path);
	return runOneAtATime(place.stateFolder, () => uninstallWithLock(path, place));
}

const notInstalledText = 'contextd is not installed in Claude Code; nothing was changed';

async function uninstallWithLock(path: string, place: InstallPlace): Promise<string[]> {
	const record = await readInstallRecord(place.stateFolder, agent, path);
	if (record === undefined) return [notInstalledText];
	const found = await readClaudeSettings(path);
	if (record.own.plugin !== undefined) await removePlugin(place);
	await removePluginCopy(place);
	// Claude Code has rewritten the file. If it still has the same meaning, the user's formatting is restored.
	const now = await readClaudeSettings(path);
	const isAsFound = isDeepStrictEqual(omitPlugin(found.values), omitPlugin(now.values));
	const isAsLeft = (isAsFound && isAsInstalled(found, record)) || isInterruptedInstallation(now, record);
	if (!isAsLeft) {
		const { text, values } = isAsFound ? found : now;
		const cleaned = removeOwnEntries(text, values, listOwnEntries(record));
		if (now.bytes !== undefined) await writeClaudeSettings(path, isAsFound ? found : now, cleaned);
	} else if (record.saved === null) {
		await rm(await resolveLinkTarget(path), { force: true });
	} else {
		await replaceFile(path, Buffer.from(record.saved, 'base64'), 0o600);
	}
	await removeInstallRecord(place.stateFolder, agent, path);
	if (!(await isInstalledAnywhere(place.stateFolder, agent))) await removePluginFiles(place.stateFolder);
	return [
		isAsLeft
			? `Removed contextd from Claude Code; restored ${path}`
			: `Removed contextd from Claude Code; ${path} was changed since, so only the entries of contextd were removed`,
		`  your sessions remain in ${place.stateFolder}`,
	];
}
