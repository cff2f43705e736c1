/** Installs contextd into Claude Code, and removes it. */

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { workFailed } from '../../console/failure.ts';
import { shellWord } from '../../output/printable.ts';
import type { InstallableAgent, InstallPlace, PlannedFile } from '../parts/agent.ts';
import { changedLines } from '../parts/jsonText.ts';
import { runOneAtATime } from '../parts/oneAtATime.ts';
import { copyProgram, programFile, programFolder } from '../parts/program.ts';
import {
	checksum,
	type InstallRecord,
	isInstalledAnywhere,
	readInstallRecord,
	removeInstallRecord,
	writeInstallRecord,
} from '../parts/record.ts';
import { linkTargetOf, replaceFile, requireWritable } from '../parts/replaceFile.ts';
import { oldAcpHosts } from './acpHosts.ts';
import { checkClaudeInstallation } from './doctor.ts';
import { isModlessPossible } from './modless.ts';
import { addPlugin, claudeVersion, removePlugin } from './pluginCommands.ts';
import { placePlugin, pluginFolder, removePluginFiles } from './pluginFiles.ts';
import {
	type ClaudeSettings,
	claudeConfigFolder,
	claudeSettingsFile,
	isForeignStatusLine,
	parseClaudeSettings,
	pluginMarketplace,
	readClaudeSettings,
	settingsWithoutPlugin,
	statusCommand,
	withoutOwnEntries,
	withPlugin,
	withStatusCommand,
	writeClaudeSettings,
} from './settings.ts';
import { oldVersionLines } from './version.ts';

const agent = 'claude';

/** Claude Code as an agent that contextd can be installed into. */
export const claudeCodePlugin: InstallableAgent = {
	name: agent,
	title: 'Claude Code',
	installedVersion,
	changes: planChanges,
	install,
	uninstall,
	doctor: checkClaudeInstallation,
};

async function installedVersion(place: InstallPlace): Promise<string | undefined> {
	return (await readInstallRecord(place.stateFolder, agent, claudeSettingsFile(place)))?.version;
}

/** Like `installAlone`, but writes nothing. Claude Code adds the plugin's entries itself, in the same form. */
async function planChanges(place: InstallPlace): Promise<PlannedFile[]> {
	const path = claudeSettingsFile(place);
	const found = await readClaudeSettings(path);
	const known = await readInstallRecord(place.stateFolder, agent, path);
	const before = originalSettings(found, known);
	const program = programFolder(place.stateFolder, place.version);
	const withOurs = withPlugin(before.text, pluginFolder(place.stateFolder));
	const command = statusLineCommand(program, statusCommand(before.values), place);
	const after = isForeignStatusLine(before.values)
		? withOurs
		: withStatusCommand(withOurs, JSON.parse(withOurs), command);
	return [
		{ path, lines: changedLines(found.text, after) },
		{ path: program, lines: ['a copy of this program'] },
		{ path: pluginFolder(place.stateFolder), lines: ['the plugin'] },
	];
}

async function install(place: InstallPlace): Promise<string[]> {
	const path = claudeSettingsFile(place);
	await readClaudeSettings(path);
	await requireWritable(path);
	const claudeIs = await claudeVersion(place);
	return runOneAtATime(place.stateFolder, () => installAlone(path, claudeIs, place));
}

async function installAlone(path: string, claudeIs: string, place: InstallPlace): Promise<string[]> {
	const found = await readClaudeSettings(path);
	const known = await readInstallRecord(place.stateFolder, agent, path);
	const before = originalSettings(found, known);
	const program = await copyProgram(place.packageFolder, place.stateFolder, place.version);
	const earlier = statusCommand(before.values);
	const isForeign = isForeignStatusLine(before.values);
	const oldHosts = await oldAcpHosts(place);
	const plugin = await placePlugin(program, place, {
		hasStatusLine: !isForeign,
		isModlessPossible: await isModlessPossible({ version: claudeIs, oldHosts, platform: place.platform }),
	});
	const command = statusLineCommand(program, earlier, place);
	const own: InstallRecord['own'] = {
		...(plugin === undefined ? {} : { plugin }),
		...(isForeign ? {} : { status: command }),
		...(earlier === undefined ? {} : { earlierStatus: earlier }),
	};
	const record = recordOf(path, before, own, place);
	// From here on, the installation can be reverted, whatever happens next.
	await writeInstallRecord(place.stateFolder, agent, { ...record, left: checksum(found.bytes ?? '') });
	// A copy of the same version is never replaced by Claude Code, although it may name another Node.
	await removeCopy(place);
	try {
		if (plugin !== undefined) await addPlugin(plugin, place);
	} catch (error) {
		if (known === undefined) await uninstallAlone(path, place);
		throw error;
	}
	const withStatus = (text: string): string =>
		isForeign ? text : withStatusCommand(text, JSON.parse(text), command);
	const written = await writeOver(path, found, plugin, withStatus);
	const saved = written.isAsFound
		? before
		: originalSettings(written.settings, { ...(known ?? record), left: '' });
	await writeInstallRecord(place.stateFolder, agent, {
		...recordOf(path, saved, own, place),
		left: checksum(written.bytes),
	});
	return [
		`Installed contextd ${place.version} into Claude Code ${claudeIs} (${claudeConfigFolder(place)})`,
		`  program      ${program}`,
		...(plugin === undefined ? [] : [`  plugin       ${plugin}`]),
		`  status line  ${statusWords(isForeign, earlier)}`,
		...oldVersionLines(claudeIs),
		...oldHosts,
		'Restart Claude Code. contextd doctor claude checks each part; contextd uninstall claude removes it.',
	];
}

function recordOf(
	path: string,
	{ bytes }: ClaudeSettings,
	own: InstallRecord['own'],
	{ version }: InstallPlace,
): Omit<InstallRecord, 'left'> {
	return { version, settings: path, saved: bytes === undefined ? null : bytes.toString('base64'), own };
}

/** Removes Claude Code's own copy of the plugin, which versions without mods use. */
function removeCopy(place: InstallPlace): Promise<void> {
	return rm(join(claudeConfigFolder(place), 'plugins', 'cache', pluginMarketplace), {
		recursive: true,
		force: true,
	});
}

/** Maximum attempts to write settings that another program changes meanwhile. */
const maxAttempts = 5;

/** The written settings, and those that they replaced. */
interface Written {
	bytes: Buffer;
	settings: ClaudeSettings;
	/** Whether only Claude Code, which added the plugin, has changed them since they were read. */
	isAsFound: boolean;
}

/**
 * Writes the settings with all our entries.
 *
 * Claude Code rewrote the file when it added the plugin. If that has the same meaning as before, the user's formatting is
 * restored; if another program changed it, that content is used.
 */
async function writeOver(
	path: string,
	found: ClaudeSettings,
	plugin: string | undefined,
	withStatus: (text: string) => string,
): Promise<Written> {
	const ours = plugin === undefined ? found.text : withPlugin(found.text, plugin);
	for (let attempt = 0; attempt < maxAttempts; attempt++) {
		const settings = await readClaudeSettings(path);
		const isAsFound = isDeepStrictEqual(JSON.parse(ours), settings.values);
		const { mark, text } = isAsFound ? { mark: found.mark, text: ours } : settings;
		const written = withStatus(text);
		const now = await readClaudeSettings(path);
		if (now.bytes?.equals(settings.bytes ?? Buffer.alloc(0)) === false) continue;
		return { bytes: await writeClaudeSettings(path, { ...settings, mark }, written), settings, isAsFound };
	}
	throw workFailed(
		`another program keeps changing ${path}; contextd uninstall claude reverts the installation`,
	);
}

function statusWords(isForeign: boolean, earlier: string | undefined): string {
	if (isForeign) return 'left unchanged: its kind cannot be combined with that of contextd';
	return earlier === undefined ? 'that of contextd' : 'yours, with that of contextd below it';
}

/** Whether settings are byte for byte what an installation left. */
function isLeft({ bytes }: ClaudeSettings, { left }: InstallRecord): boolean {
	return bytes !== undefined && checksum(bytes) === left;
}

/** Whether an installation was interrupted and only our entries have changed since. */
function isHalfWay({ text, values }: ClaudeSettings, record: InstallRecord): boolean {
	const saved = record.saved === null ? undefined : Buffer.from(record.saved, 'base64');
	if (record.left !== checksum(saved ?? '')) return false;
	const now = JSON.parse(withoutOwnEntries(text, values, ownEntries(record)));
	return isDeepStrictEqual(
		settingsWithoutPlugin(now),
		settingsWithoutPlugin(parseClaudeSettings(saved)?.values ?? {}),
	);
}

/** The settings before an installation, or before an earlier installation whose result is unchanged. */
function originalSettings(found: ClaudeSettings, record: InstallRecord | undefined): ClaudeSettings {
	if (record === undefined) return found;
	const isAsLeft = isLeft(found, record) || isHalfWay(found, record);
	if (isAsLeft && record.saved === null) return { mark: '', text: '{}\n', values: {} };
	const bytes = isAsLeft
		? Buffer.from(record.saved ?? '', 'base64')
		: Buffer.from(found.mark + withoutOwnEntries(found.text, found.values, ownEntries(record)));
	return parseClaudeSettings(bytes) ?? found;
}

function ownEntries({ own }: InstallRecord): { left?: string; before?: string } {
	return { left: own.status, before: own.earlierStatus };
}

/** Returns the status line's command for Claude Code: absolute, with the user's own as the last word. */
function statusLineCommand(program: string, earlier: string | undefined, { node }: InstallPlace): string {
	const words = [
		node,
		programFile(program),
		'statusline',
		...(earlier === undefined ? [] : ['--below', earlier]),
	];
	return words.map(shellWord).join(' ');
}

async function uninstall(place: InstallPlace): Promise<string[]> {
	const path = claudeSettingsFile(place);
	if ((await readInstallRecord(place.stateFolder, agent, path)) === undefined) return [notInstalled];
	await readClaudeSettings(path);
	await requireWritable(path);
	return runOneAtATime(place.stateFolder, () => uninstallAlone(path, place));
}

const notInstalled = 'contextd is not installed in Claude Code; nothing was changed';

async function uninstallAlone(path: string, place: InstallPlace): Promise<string[]> {
	const record = await readInstallRecord(place.stateFolder, agent, path);
	if (record === undefined) return [notInstalled];
	const found = await readClaudeSettings(path);
	if (record.own.plugin !== undefined) await removePlugin(place);
	await removeCopy(place);
	// Claude Code has rewritten the file; if the meaning is the same, the user's formatting is restored.
	const now = await readClaudeSettings(path);
	const isAsFound = isDeepStrictEqual(settingsWithoutPlugin(found.values), settingsWithoutPlugin(now.values));
	const isAsLeft = (isAsFound && isLeft(found, record)) || isHalfWay(now, record);
	if (!isAsLeft) {
		const { text, values } = isAsFound ? found : now;
		const kept = withoutOwnEntries(text, values, ownEntries(record));
		if (now.bytes !== undefined) await writeClaudeSettings(path, isAsFound ? found : now, kept);
	} else if (record.saved === null) {
		await rm(await linkTargetOf(path), { force: true });
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
