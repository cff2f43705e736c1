/** Installs contextd into Claude Code, and removes it. */

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { workFailed } from '../../console/failure.ts';
import { shellWord } from '../../output/printable.ts';
import type { InstallableAgent, InstallPlace, PlannedFile } from '../parts/agent.ts';
import { changedLines } from '../parts/changedLines.ts';
import { oneAtATime } from '../parts/oneAtATime.ts';
import { copyProgram, programFile, programFolder } from '../parts/program.ts';
import {
	checksum,
	dropRecord,
	type InstallRecord,
	isInstalledAnywhere,
	readRecord,
	writeRecord,
} from '../parts/record.ts';
import { replaceFile, targetOf } from '../parts/replaceFile.ts';
import { requireWritable } from '../parts/writable.ts';
import { oldAcpHosts } from './acpHosts.ts';
import { doctor } from './doctor.ts';
import { isModlessPossible } from './modless.ts';
import { addPlugin, claudeVersion, removePlugin } from './pluginCommands.ts';
import { placePlugin, pluginFolder, removePluginFiles } from './pluginFiles.ts';
import {
	besidePlugin,
	type ClaudeSettings,
	configFolder,
	isForeignStatusLine,
	marketplace,
	readSettings,
	settingsFile,
	settingsIn,
	statusCommand,
	withoutOurs,
	withPlugin,
	withStatusCommand,
	writeSettings,
} from './settings.ts';
import { oldVersionLines } from './version.ts';

const agent = 'claude';

/** Claude Code as an agent that contextd can be installed into. */
export const claudeCodePlugin: InstallableAgent = {
	name: agent,
	title: 'Claude Code',
	installedVersion,
	changes,
	install,
	uninstall,
	doctor,
};

async function installedVersion(place: InstallPlace): Promise<string | undefined> {
	return (await readRecord(place.stateFolder, agent, settingsFile(place)))?.version;
}

/** Like `installAlone`, but writes nothing. Claude Code adds the plugin's entries itself, in the same form. */
async function changes(place: InstallPlace): Promise<PlannedFile[]> {
	const path = settingsFile(place);
	const found = await readSettings(path);
	const known = await readRecord(place.stateFolder, agent, path);
	const before = beforeUs(found, known);
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
	const path = settingsFile(place);
	await readSettings(path);
	await requireWritable(path);
	const claudeIs = await claudeVersion(place);
	return oneAtATime(place.stateFolder, () => installAlone(path, claudeIs, place));
}

async function installAlone(path: string, claudeIs: string, place: InstallPlace): Promise<string[]> {
	const found = await readSettings(path);
	const known = await readRecord(place.stateFolder, agent, path);
	const before = beforeUs(found, known);
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
	await writeRecord(place.stateFolder, agent, { ...record, left: checksum(found.bytes ?? '') });
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
	const saved = written.isAsFound ? before : beforeUs(written.settings, { ...(known ?? record), left: '' });
	await writeRecord(place.stateFolder, agent, {
		...recordOf(path, saved, own, place),
		left: checksum(written.bytes),
	});
	return [
		`Installed contextd ${place.version} into Claude Code ${claudeIs} (${configFolder(place)})`,
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
	return rm(join(configFolder(place), 'plugins', 'cache', marketplace), { recursive: true, force: true });
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
		const settings = await readSettings(path);
		const isAsFound = isDeepStrictEqual(JSON.parse(ours), settings.values);
		const { mark, text } = isAsFound ? { mark: found.mark, text: ours } : settings;
		const written = withStatus(text);
		const now = await readSettings(path);
		if (now.bytes?.equals(settings.bytes ?? Buffer.alloc(0)) === false) continue;
		return { bytes: await writeSettings(path, { ...settings, mark }, written), settings, isAsFound };
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
	const now = JSON.parse(withoutOurs(text, values, ours(record)));
	return isDeepStrictEqual(besidePlugin(now), besidePlugin(settingsIn(saved)?.values ?? {}));
}

/** The settings before an installation; those of an earlier one, if its result is still unchanged. */
function beforeUs(found: ClaudeSettings, record: InstallRecord | undefined): ClaudeSettings {
	if (record === undefined) return found;
	const isAsLeft = isLeft(found, record) || isHalfWay(found, record);
	if (isAsLeft && record.saved === null) return { mark: '', text: '{}\n', values: {} };
	const bytes = isAsLeft
		? Buffer.from(record.saved ?? '', 'base64')
		: Buffer.from(found.mark + withoutOurs(found.text, found.values, ours(record)));
	return settingsIn(bytes) ?? found;
}

function ours({ own }: InstallRecord): { left?: string; before?: string } {
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
	const path = settingsFile(place);
	if ((await readRecord(place.stateFolder, agent, path)) === undefined) return [notInstalled];
	await readSettings(path);
	await requireWritable(path);
	return oneAtATime(place.stateFolder, () => uninstallAlone(path, place));
}

const notInstalled = 'contextd is not installed in Claude Code; nothing was changed';

async function uninstallAlone(path: string, place: InstallPlace): Promise<string[]> {
	const record = await readRecord(place.stateFolder, agent, path);
	if (record === undefined) return [notInstalled];
	const found = await readSettings(path);
	if (record.own.plugin !== undefined) await removePlugin(place);
	await removeCopy(place);
	// Claude Code has rewritten the file; if the meaning is the same, the user's formatting is restored.
	const now = await readSettings(path);
	const isAsFound = isDeepStrictEqual(besidePlugin(found.values), besidePlugin(now.values));
	const isAsLeft = (isAsFound && isLeft(found, record)) || isHalfWay(now, record);
	if (!isAsLeft) {
		const { text, values } = isAsFound ? found : now;
		const kept = withoutOurs(text, values, ours(record));
		if (now.bytes !== undefined) await writeSettings(path, isAsFound ? found : now, kept);
	} else if (record.saved === null) {
		await rm(await targetOf(path), { force: true });
	} else {
		await replaceFile(path, Buffer.from(record.saved, 'base64'), 0o600);
	}
	await dropRecord(place.stateFolder, agent, path);
	if (!(await isInstalledAnywhere(place.stateFolder, agent))) await removePluginFiles(place.stateFolder);
	return [
		isAsLeft
			? `Removed contextd from Claude Code; restored ${path}`
			: `Removed contextd from Claude Code; ${path} was changed since, so only the entries of contextd were removed`,
		`  your sessions remain in ${place.stateFolder}`,
	];
}
