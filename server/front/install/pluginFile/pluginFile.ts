/** Installs contextd into agents that load a plugin from one file in a folder, and removes it. */

import { mkdir, readFile, rm, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { formatByteSize } from '../../../core/figures.ts';
import { createWorkFailure } from '../../console/failure.ts';
import type { Finding, InstallableAgent, Machine, PlannedFile } from '../parts/agent.ts';
import { readProgramVersion } from '../parts/agentProgram.ts';
import { checkPluginDaemon } from '../parts/daemonCheck.ts';
import { createPluginSettings, createStartCommand, getPluginSettingsPath } from '../parts/daemonStart.ts';
import { findMissingFolder, readBytesIfExists, removeEmptyFolders, replaceFile } from '../parts/files.ts';
import { runOneAtATime } from '../parts/oneAtATime.ts';
import { copyProgram, describeProgramProblem, getProgramFolder } from '../parts/program.ts';
import {
	computeChecksum,
	type InstallRecord,
	readInstallRecord,
	removeInstallRecord,
	writeInstallRecord,
} from '../parts/record.ts';

/** Placeholder in a plugin's file for the command that starts its daemon. */
const startPlaceholder = '__CONTEXTD_START__';

/** An agent that loads plugins from the files of a folder. */
interface PluginFileAgent {
	/** The agent's command, which is also the name of its folder in the package. */
	name: string;
	title: string;
	/** Returns the folder from which the agent loads plugins. */
	getFolder(machine: Machine): string;
}

/**
 * Installs and removes the plugin of an agent that loads plugins from files.
 *
 * File and record are checked again once no other installation runs. A file that contextd did not write is never
 * replaced or removed.
 */
class PluginFileInstaller implements InstallableAgent {
	readonly name: string;
	readonly title: string;
	readonly #getFolder: PluginFileAgent['getFolder'];

	constructor({ name, title, getFolder }: PluginFileAgent) {
		this.name = name;
		this.title = title;
		this.#getFolder = getFolder;
	}

	#getFile(machine: Machine): string {
		return join(this.#getFolder(machine), 'contextd.js');
	}

	async findInstalledVersion(machine: Machine): Promise<string | undefined> {
		return (await readInstallRecord(machine.stateFolder, this.name, this.#getFile(machine)))?.version;
	}

	async planChanges(machine: Machine): Promise<PlannedFile[]> {
		const source = join(machine.packageFolder, this.name, 'contextd.js');
		const size = (await stat(source)).size;
		return [
			{ path: this.#getFile(machine), lines: [`the plugin, a file of ${formatByteSize(size)}`] },
			{ path: getProgramFolder(machine.stateFolder, machine.version), lines: ['a copy of this program'] },
			{
				path: getPluginSettingsPath(machine.stateFolder),
				lines: ['settings of the plugin, unless the file exists'],
			},
		];
	}

	async install(machine: Machine): Promise<string[]> {
		const file = this.#getFile(machine);
		await requireOwnFile(file, await readInstallRecord(machine.stateFolder, this.name, file));
		return runOneAtATime(machine.stateFolder, () => this.#installWithLock(file, machine));
	}

	async #installWithLock(file: string, machine: Machine): Promise<string[]> {
		const record = await readInstallRecord(machine.stateFolder, this.name, file);
		await requireOwnFile(file, record);
		const program = await copyProgram(machine.packageFolder, machine.stateFolder, machine.version);
		const createdFolder = record?.own.made ?? (await findMissingFolder(dirname(file)));
		const text = await insertStartCommand(join(program, this.name, 'contextd.js'), program, machine);
		await mkdir(dirname(file), { recursive: true });
		await replaceFile(file, text, 0o644);
		await createPluginSettings(machine.stateFolder);
		await writeInstallRecord(machine.stateFolder, this.name, {
			version: machine.version,
			settings: file,
			saved: null,
			left: computeChecksum(text),
			own: createdFolder === undefined ? {} : { made: createdFolder },
		});
		const version = await readProgramVersion(this.name, machine.env);
		return [
			`Installed contextd ${machine.version} into ${this.title}${version === undefined ? '' : ` ${version}`}`,
			`  program  ${program}`,
			`  plugin   ${file}`,
			`  settings ${getPluginSettingsPath(machine.stateFolder)}`,
			...(version === undefined ? [describeNotFound(this)] : []),
			`Restart ${this.title}. contextd doctor ${this.name} checks each part; contextd uninstall ${this.name} removes it.`,
		];
	}

	async uninstall(machine: Machine): Promise<string[]> {
		const file = this.#getFile(machine);
		const record = await readInstallRecord(machine.stateFolder, this.name, file);
		if (record === undefined) return [`contextd is not installed in ${this.title}`];
		return runOneAtATime(machine.stateFolder, () => this.#uninstallWithLock(file, machine));
	}

	async #uninstallWithLock(file: string, machine: Machine): Promise<string[]> {
		const record = await readInstallRecord(machine.stateFolder, this.name, file);
		if (record === undefined) return [`contextd is not installed in ${this.title}`];
		const bytes = await readBytesIfExists(file);
		if (bytes !== undefined && computeChecksum(bytes) !== record.left)
			throw createWorkFailure(`${file} was changed since the installation; it was left unchanged`);
		await rm(file, { force: true });
		await removeEmptyFolders(dirname(file), record.own.made);
		await removeInstallRecord(machine.stateFolder, this.name, file);
		return [`Removed contextd from ${this.title}; its sessions and views remain in ${machine.stateFolder}`];
	}

	async check(machine: Machine): Promise<Finding[]> {
		const file = this.#getFile(machine);
		const record = await readInstallRecord(machine.stateFolder, this.name, file);
		if (record === undefined)
			return [{ isSound: false, text: `not installed in ${this.title}; run contextd install ${this.name}` }];
		const version = await readProgramVersion(this.name, machine.env);
		const bytes = await readBytesIfExists(file);
		const isSame = bytes !== undefined && computeChecksum(bytes) === record.left;
		const program = getProgramFolder(machine.stateFolder, record.version);
		const problem = await describeProgramProblem(program);
		const isNewest = record.version === machine.version;
		return [
			version === undefined
				? { text: describeNotFound(this) }
				: { isSound: true, text: `${this.title} ${version} is installed` },
			{
				isSound: isSame,
				text: isSame ? `the plugin is ${file}` : `${file} ${bytes ? 'was changed' : 'is missing'}`,
			},
			{
				isSound: problem === undefined,
				text: `the program of version ${record.version} ${problem ?? 'is intact'}`,
			},
			...(problem === undefined
				? await checkPluginDaemon(createStartCommand(program, machine), `${this.name}:`)
				: []),
			{
				isSound: isNewest,
				text: isNewest
					? 'the plugin is up to date'
					: `this is contextd ${machine.version}; run contextd install ${this.name} to update the plugin`,
			},
		];
	}
}

/** Describes that an agent's command is not on the PATH, which is usual for desktop applications. */
function describeNotFound({ name, title }: PluginFileInstaller): string {
	return `the command ${name} was not found on the PATH: is ${title} installed?`;
}

/** Throws with exit code 1 if a file exists and is not as contextd wrote it. */
async function requireOwnFile(file: string, record: InstallRecord | undefined): Promise<void> {
	const bytes = await readBytesIfExists(file);
	if (bytes === undefined || (record !== undefined && computeChecksum(bytes) === record.left)) return;
	throw createWorkFailure(`${file} is not a file of contextd; it was left unchanged`);
}

/** Returns the plugin's text with a command inserted that starts the daemon, whatever the project. */
async function insertStartCommand(source: string, program: string, machine: Machine): Promise<string> {
	const text = await readFile(source, 'utf8');
	const startText = JSON.stringify(JSON.stringify(createStartCommand(program, machine)));
	const parts = text.split(`"${startPlaceholder}"`);
	if (parts.length < 2) throw new Error(`${source} has no placeholder for the command of the daemon`);
	return parts.join(startText);
}

function getOpenCodeFolder({ env, home }: Machine): string {
	const { XDG_CONFIG_HOME: config } = env;
	return join(config && isAbsolute(config) ? config : join(home, '.config'), 'opencode', 'plugin');
}

function getPiFolder({ env, home }: Machine): string {
	const { PI_CODING_AGENT_DIR: folder } = env;
	return join(folder && isAbsolute(folder) ? folder : join(home, '.pi', 'agent'), 'extensions');
}

/** Installer for OpenCode, which loads every file of its folder for plugins. */
export const openCodePlugin = new PluginFileInstaller({
	name: 'opencode',
	title: 'OpenCode',
	getFolder: getOpenCodeFolder,
});

/** Installer for pi, which loads every file of its folder for extensions. */
export const piPlugin = new PluginFileInstaller({ name: 'pi', title: 'pi', getFolder: getPiFolder });
