/** Installs contextd into agents that load a plugin from one file in a folder, and removes it. */

import { mkdir, readFile, rm, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { workFailed } from '../../console/failure.ts';
import { byteSizeText } from '../../output/figures.ts';
import {
	type Finding,
	type InstallableAgent,
	type InstallPlace,
	notInstalled,
	type PlannedFile,
} from '../parts/agent.ts';
import { programVersion } from '../parts/agentProgram.ts';
import { firstMissingFolder, removeEmptyFolders } from '../parts/createdFolders.ts';
import { pluginDaemonFindings } from '../parts/daemonCheck.ts';
import { createPluginSettings, daemonStart, pluginSettingsPath } from '../parts/daemonStart.ts';
import { runOneAtATime } from '../parts/oneAtATime.ts';
import { copyProgram, programFolder, programProblem } from '../parts/program.ts';
import {
	checksum,
	type InstallRecord,
	readInstallRecord,
	removeInstallRecord,
	writeInstallRecord,
} from '../parts/record.ts';
import { readBytesIfExists, replaceFile } from '../parts/replaceFile.ts';

/** Placeholder in a plugin's file for the command that starts its daemon. */
const startPlaceholder = '__CONTEXTD_START__';

/** An agent that loads plugins this way. */
interface PluginFileAgent {
	/** Its name on the command line, on the PATH, and of its folder in the package. */
	name: string;
	title: string;
	/** The folder from which it loads plugins. */
	folder(place: InstallPlace): string;
}

/**
 * Installs such an agent's plugin and removes it.
 *
 * File and record are checked again once no other installation runs. A file that contextd did not leave is never replaced
 * or removed.
 */
class PluginFileInstaller implements InstallableAgent {
	readonly name: string;
	readonly title: string;
	readonly #folder: PluginFileAgent['folder'];

	constructor({ name, title, folder }: PluginFileAgent) {
		this.name = name;
		this.title = title;
		this.#folder = folder;
	}

	#fileIn(place: InstallPlace): string {
		return join(this.#folder(place), 'contextd.js');
	}

	async installedVersion(place: InstallPlace): Promise<string | undefined> {
		return (await readInstallRecord(place.stateFolder, this.name, this.#fileIn(place)))?.version;
	}

	async changes(place: InstallPlace): Promise<PlannedFile[]> {
		const source = join(place.packageFolder, this.name, 'contextd.js');
		const size = (await stat(source)).size;
		return [
			{ path: this.#fileIn(place), lines: [`the plugin, a file of ${byteSizeText(size)}`] },
			{ path: programFolder(place.stateFolder, place.version), lines: ['a copy of this program'] },
			{
				path: pluginSettingsPath(place.stateFolder),
				lines: ['settings of the plugin, unless the file exists'],
			},
		];
	}

	async install(place: InstallPlace): Promise<string[]> {
		const file = this.#fileIn(place);
		await requireOurs(file, await readInstallRecord(place.stateFolder, this.name, file));
		return runOneAtATime(place.stateFolder, () => this.#installAlone(file, place));
	}

	async #installAlone(file: string, place: InstallPlace): Promise<string[]> {
		const record = await readInstallRecord(place.stateFolder, this.name, file);
		await requireOurs(file, record);
		const program = await copyProgram(place.packageFolder, place.stateFolder, place.version);
		const made = record?.own.made ?? (await firstMissingFolder(dirname(file)));
		const text = await placedText(join(program, this.name, 'contextd.js'), program, place);
		await mkdir(dirname(file), { recursive: true });
		await replaceFile(file, text, 0o644);
		await createPluginSettings(place.stateFolder);
		await writeInstallRecord(place.stateFolder, this.name, {
			version: place.version,
			settings: file,
			saved: null,
			left: checksum(text),
			own: made === undefined ? {} : { made },
		});
		const version = await programVersion(this.name, place.env);
		return [
			`Installed contextd ${place.version} into ${this.title}${version === undefined ? '' : ` ${version}`}`,
			`  program  ${program}`,
			`  plugin   ${file}`,
			`  settings ${pluginSettingsPath(place.stateFolder)}`,
			...(version === undefined ? [notFound(this)] : []),
			`Restart ${this.title}. contextd doctor ${this.name} checks each part; contextd uninstall ${this.name} removes it.`,
		];
	}

	async uninstall(place: InstallPlace): Promise<string[]> {
		const file = this.#fileIn(place);
		const record = await readInstallRecord(place.stateFolder, this.name, file);
		if (record === undefined) return [`contextd is not installed in ${this.title}`];
		return runOneAtATime(place.stateFolder, () => this.#uninstallAlone(file, place));
	}

	async #uninstallAlone(file: string, place: InstallPlace): Promise<string[]> {
		const record = await readInstallRecord(place.stateFolder, this.name, file);
		if (record === undefined) return [`contextd is not installed in ${this.title}`];
		const found = await readBytesIfExists(file);
		if (found !== undefined && checksum(found) !== record.left) {
			throw workFailed(`${file} was changed since the installation; it was left unchanged`);
		}
		await rm(file, { force: true });
		await removeEmptyFolders(dirname(file), record.own.made);
		await removeInstallRecord(place.stateFolder, this.name, file);
		return [`Removed contextd from ${this.title}; its sessions and views remain in ${place.stateFolder}`];
	}

	async doctor(place: InstallPlace): Promise<Finding[]> {
		const file = this.#fileIn(place);
		const record = await readInstallRecord(place.stateFolder, this.name, file);
		if (record === undefined) return [{ isSound: false, text: notInstalled(this.title, this.name) }];
		const version = await programVersion(this.name, place.env);
		const found = await readBytesIfExists(file);
		const isSame = found !== undefined && checksum(found) === record.left;
		const program = programFolder(place.stateFolder, record.version);
		const problem = await programProblem(program);
		const isNewest = record.version === place.version;
		return [
			version === undefined
				? { text: notFound(this) }
				: { isSound: true, text: `${this.title} ${version} is installed` },
			{
				isSound: isSame,
				text: isSame ? `the plugin is ${file}` : `${file} ${found ? 'was changed' : 'is missing'}`,
			},
			{
				isSound: problem === undefined,
				text: `the program of version ${record.version} ${problem ?? 'is intact'}`,
			},
			...(problem === undefined
				? await pluginDaemonFindings(daemonStart(program, place), `${this.name}:`)
				: []),
			{
				isSound: isNewest,
				text: isNewest
					? 'the plugin has this version'
					: `this is version ${place.version}: install the plugin again`,
			},
		];
	}
}

/** The line for an agent whose command is not on the PATH, as with a desktop application. */
function notFound({ name, title }: InstallableAgent): string {
	return `the command ${name} was not found on the PATH: is ${title} installed?`;
}

/** Throws with exit code 1 if a file is not one that contextd left. */
async function requireOurs(file: string, record: InstallRecord | undefined): Promise<void> {
	const found = await readBytesIfExists(file);
	if (found === undefined || (record !== undefined && checksum(found) === record.left)) return;
	throw workFailed(`${file} is not a file of contextd; it was left unchanged`);
}

/** The plugin's text with the command that starts the daemon, which does not depend on a project. */
async function placedText(source: string, program: string, place: InstallPlace): Promise<string> {
	const text = await readFile(source, 'utf8');
	const placed = JSON.stringify(JSON.stringify(daemonStart(program, place)));
	const found = text.split(`"${startPlaceholder}"`);
	if (found.length < 2) throw new Error(`${source} has no placeholder for the command of the daemon`);
	return found.join(placed);
}

function openCodeFolder({ env, home }: InstallPlace): string {
	const { XDG_CONFIG_HOME: config } = env;
	return join(config && isAbsolute(config) ? config : join(home, '.config'), 'opencode', 'plugin');
}

function piFolder({ env, home }: InstallPlace): string {
	const { PI_CODING_AGENT_DIR: folder } = env;
	return join(folder && isAbsolute(folder) ? folder : join(home, '.pi', 'agent'), 'extensions');
}

/** OpenCode loads every file of its folder for plugins. */
export const openCodePlugin = new PluginFileInstaller({
	name: 'opencode',
	title: 'OpenCode',
	folder: openCodeFolder,
});

/** pi loads every file of its folder for extensions. */
export const piPlugin = new PluginFileInstaller({ name: 'pi', title: 'pi', folder: piFolder });
