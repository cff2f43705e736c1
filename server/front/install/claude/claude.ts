/** Into Claude Code and out of it again. */

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { shellWord } from '../../transcript/agentPlace.ts';
import type { InstallableAgent, InstallPlace } from '../parts/agent.ts';
import { copyProgram, programFile } from '../parts/program.ts';
import {
	checksum,
	dropRecord,
	type InstallRecord,
	isInstalledAnywhere,
	readRecord,
	writeRecord,
} from '../parts/record.ts';
import { replaceFile } from '../parts/replaceFile.ts';
import { doctor } from './doctor.ts';
import { addPlugin, claudeVersion, removePlugin } from './pluginCommands.ts';
import { placePlugin, removePluginFiles } from './pluginFiles.ts';
import {
	configFolder,
	isForeignStatusLine,
	marketplace,
	readSettings,
	type Settings,
	settingsFile,
	statusCommand,
	withoutOurs,
	withPlugin,
	withStatusCommand,
} from './settings.ts';

const agent = 'claude';

/** Claude Code, as something that contextd is installed into. */
export const claude: InstallableAgent = { name: agent, title: 'Claude Code', install, uninstall, doctor };

async function install(place: InstallPlace): Promise<string[]> {
	const path = settingsFile(place);
	const found = await readSettings(path);
	const claudeIs = await claudeVersion(place);
	const record = await readRecord(place.stateFolder, agent, path);
	const before = beforeUs(found, record);

	const program = await copyProgram(place.packageFolder, place.stateFolder, place.version);
	const plugin = await placePlugin(program, place);
	const base = plugin === undefined ? found.text : await textWithPlugin(plugin, found, place);
	const earlier = statusCommand(before.values);
	const command = statusLineCommand(program, earlier, place);
	const isForeign = isForeignStatusLine(before.values);
	const text = isForeign ? base : withStatusCommand(base, JSON.parse(base), command);
	await replaceFile(path, text, 0o600);
	await writeRecord(place.stateFolder, agent, {
		version: place.version,
		settings: path,
		saved: before.bytes === undefined ? null : before.bytes.toString('base64'),
		left: checksum(text),
		own: {
			...(plugin === undefined ? {} : { plugin }),
			...(isForeign ? {} : { status: command }),
			...(earlier === undefined ? {} : { earlierStatus: earlier }),
		},
	});
	return [
		`contextd ${place.version} is in Claude Code ${claudeIs} (${configFolder(place)})`,
		`  program      ${program}`,
		...(plugin === undefined ? [] : [`  plugin       ${plugin}`]),
		`  status line  ${statusWords(isForeign, earlier)}`,
		'Start Claude Code anew; contextd doctor claude looks at each part, contextd uninstall claude takes it back.',
	];
}

/** Has Claude Code take the plugin. Gives the settings' text with it. */
async function textWithPlugin(folder: string, found: Settings, place: InstallPlace): Promise<string> {
	await addPlugin(folder, place);
	const theirs = await readSettings(settingsFile(place));
	const own = withPlugin(found.text, folder);
	// Claude Code writes the whole file anew; where that says the same, it is said as the user writes.
	return isDeepStrictEqual(JSON.parse(own), theirs.values) ? own : theirs.text;
}

function statusWords(isForeign: boolean, earlier: string | undefined): string {
	if (isForeign) return 'left as it is: it is of a kind that cannot be kept beside ours';
	return earlier === undefined ? 'ours' : 'yours, and ours below it';
}

/** The settings as they were before an installation: of an earlier one, where they still hold what it left. */
function beforeUs(found: Settings, record: InstallRecord | undefined): Settings {
	if (record === undefined) return found;
	const isAsLeft = found.bytes !== undefined && checksum(found.bytes) === record.left;
	if (isAsLeft && record.saved === null) return { text: '{}\n', values: {} };
	const text = isAsLeft
		? Buffer.from(record.saved ?? '', 'base64').toString('utf8')
		: withoutOurs(found.text, found.values, ours(record));
	return { bytes: Buffer.from(text), text, values: text.trim() === '' ? {} : JSON.parse(text) };
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
	const record = await readRecord(place.stateFolder, agent, path);
	if (record === undefined) return ['contextd is not installed in Claude Code; nothing was changed'];
	const found = await readSettings(path);
	const isAsLeft = found.bytes !== undefined && checksum(found.bytes) === record.left;
	if (record.own.plugin !== undefined) await removePlugin(place);
	await rm(join(configFolder(place), 'plugins', 'cache', marketplace), { recursive: true, force: true });
	if (!isAsLeft) {
		await replaceFile(path, withoutOurs(found.text, found.values, ours(record)), 0o600);
	} else if (record.saved === null) {
		await rm(path, { force: true });
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
