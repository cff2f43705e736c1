/** Into Claude Code and out of it again. */

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { workFailed } from '../../console/failure.ts';
import { shellWord } from '../../transcript/agentPlace.ts';
import type { InstallableAgent, InstallPlace } from '../parts/agent.ts';
import { oneAtATime } from '../parts/oneAtATime.ts';
import { copyProgram, programFile } from '../parts/program.ts';
import {
	checksum,
	dropRecord,
	type InstallRecord,
	isInstalledAnywhere,
	readRecord,
	writeRecord,
} from '../parts/record.ts';
import { replaceFile, targetOf } from '../parts/replaceFile.ts';
import { oldAcpHosts } from './acpHosts.ts';
import { doctor } from './doctor.ts';
import { isModlessPossible } from './modless.ts';
import { addPlugin, claudeVersion, removePlugin } from './pluginCommands.ts';
import { placePlugin, removePluginFiles } from './pluginFiles.ts';
import {
	besidePlugin,
	type ClaudeSettings,
	configFolder,
	isForeignStatusLine,
	marketplace,
	readSettings,
	requireWritable,
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

/** Claude Code, as something that contextd is installed into. */
export const claude: InstallableAgent = { name: agent, title: 'Claude Code', install, uninstall, doctor };

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
	// Whatever becomes of the rest, from here on it can be taken back.
	await writeRecord(place.stateFolder, agent, { ...record, left: checksum(found.bytes ?? '') });
	// A copy of the same version is never copied anew, though it may start another Node.
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

/** Removes the copy of the plugin that Claude Code keeps: versions that run no mods take it from there. */
function removeCopy(place: InstallPlace): Promise<void> {
	return rm(join(configFolder(place), 'plugins', 'cache', marketplace), { recursive: true, force: true });
}

/** How often settings are read again that somebody else changes meanwhile. */
const mostAttempts = 5;

/** What was written over which settings. */
interface Written {
	bytes: Buffer;
	settings: ClaudeSettings;
	/** Whether nobody but Claude Code, who took the plugin, has changed them since they were found. */
	isAsFound: boolean;
}

/**
 * Writes the settings with all that is ours. Claude Code wrote them anew when it took the plugin: where that says the
 * same as what was found, it is said as the user writes; where somebody else changed them, theirs is what counts.
 */
async function writeOver(
	path: string,
	found: ClaudeSettings,
	plugin: string | undefined,
	withStatus: (text: string) => string,
): Promise<Written> {
	const ours = plugin === undefined ? found.text : withPlugin(found.text, plugin);
	for (let attempt = 0; attempt < mostAttempts; attempt++) {
		const settings = await readSettings(path);
		const isAsFound = isDeepStrictEqual(JSON.parse(ours), settings.values);
		const { mark, text } = isAsFound ? { mark: found.mark, text: ours } : settings;
		const written = withStatus(text);
		const now = await readSettings(path);
		if (now.bytes?.equals(settings.bytes ?? Buffer.alloc(0)) === false) continue;
		return { bytes: await writeSettings(path, { ...settings, mark }, written), settings, isAsFound };
	}
	throw workFailed(
		`${path} is changed by another program again and again; contextd uninstall claude takes back what was done`,
	);
}

function statusWords(isForeign: boolean, earlier: string | undefined): string {
	if (isForeign) return 'left as it is: it is of a kind that cannot be kept beside ours';
	return earlier === undefined ? 'ours' : 'yours, and ours below it';
}

/** Whether settings are to the byte what an installation left. */
function isLeft({ bytes }: ClaudeSettings, { left }: InstallRecord): boolean {
	return bytes !== undefined && checksum(bytes) === left;
}

/** Whether an installation broke off, and nothing but what is ours was changed in the settings since it began. */
function isHalfWay({ text, values }: ClaudeSettings, record: InstallRecord): boolean {
	const saved = record.saved === null ? undefined : Buffer.from(record.saved, 'base64');
	if (record.left !== checksum(saved ?? '')) return false;
	const now = JSON.parse(withoutOurs(text, values, ours(record)));
	return isDeepStrictEqual(besidePlugin(now), besidePlugin(settingsIn(saved)?.values ?? {}));
}

/** The settings as they were before an installation: of an earlier one, where they still hold what it left. */
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

/** The command that Claude Code's shell runs: absolute, with the user's own line as one word behind. */
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
	// Claude Code has written them anew; where that says the same, what was found is said as the user writes.
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
			? `contextd left Claude Code; ${path} is as it was before`
			: `contextd left Claude Code; ${path} was changed since, so that only our entries were taken out`,
		`  what it recorded of your sessions stays in ${place.stateFolder}`,
	];
}
