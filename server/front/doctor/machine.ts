/** Checks of the machine: the program, the state folder, the daemon, editors and configuration files. */

import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ifExists } from '../../core/failure.ts';
import type { FindControl, FolderDaemonState } from '../daemon/run.ts';
import type { Finding, Machine } from '../install/parts/agent.ts';
import { findOnPath, readProgramVersion } from '../install/parts/agentProgram.ts';
import { checkDaemon, checkRecorder } from '../install/parts/daemonCheck.ts';
import { quotePrintableWord } from '../output/printable.ts';
import { checkEdit } from '../setup/editedFile.ts';
import { findCodeEditors } from '../setup/editorParts.ts';
import { createRecordedEdit } from '../setup/fileEdit.ts';
import { SetupManifest } from '../setup/manifest.ts';

/** Checks the program, the state folder and the daemon, which it starts. */
export async function checkMachine(machine: Machine, findDaemon: FindControl): Promise<Finding[]> {
	return [
		{ isSound: true, text: `contextd ${machine.version} runs on Node ${process.versions.node}` },
		await checkCommand(machine),
		...(await checkStateFolder(machine)),
		...(await checkSharedDaemon(machine, findDaemon)),
	];
}

async function checkCommand(machine: Machine): Promise<Finding> {
	const [command] = await findOnPath(['contextd'], machine);
	if (command === undefined) {
		const text =
			'the command contextd is not on the PATH: run npm install --global with the folder or name of the package';
		return { isSound: false, text };
	}
	const version = await readProgramVersion(command, machine.env);
	if (version === machine.version) return { isSound: true, text: `the command is ${command}` };
	const text = `the command ${command} is version ${version ?? 'unknown'}, this is ${machine.version}: install this version globally, or remove the other one`;
	return { isSound: false, text };
}

async function checkStateFolder({ stateFolder, platform }: Machine): Promise<Finding[]> {
	const stats = await ifExists(stat(stateFolder));
	if (stats === undefined) return [{ text: `the state folder ${stateFolder} does not exist yet` }];
	if (platform === 'win32') return [];
	if (stats.uid !== process.getuid?.()) {
		const text = `the state folder ${stateFolder} belongs to another user: remove it, or set CONTEXTD_HOME to another one`;
		return [{ isSound: false, text }];
	}
	const mode = (stats.mode & 0o777).toString(8);
	return (stats.mode & 0o077) === 0
		? [{ isSound: true, text: `the state folder ${stateFolder} is readable by you alone` }]
		: [
				{
					isSound: false,
					text: `others can read ${stateFolder} (mode ${mode}): run chmod 700 ${quotePrintableWord(stateFolder)}`,
				},
			];
}

async function checkSharedDaemon(
	{ node, packageFolder, stateFolder }: Machine,
	findDaemon: FindControl,
): Promise<Finding[]> {
	const problem = describeDaemonProblem(await (await findDaemon(stateFolder)).inspect());
	if (problem !== undefined) return [{ isSound: false, text: problem }];
	return checkDaemon([node, join(packageFolder, 'contextd.cjs'), '--stdio'], checkRecorder);
}

/** Describes why the daemon of the state folder cannot be used; undefined if it can. */
function describeDaemonProblem(state: FolderDaemonState): string | undefined {
	switch (state.kind) {
		case 'none':
		case 'running':
			return undefined;
		case 'silent':
			return `the daemon${state.pid === undefined ? '' : ` (process ${state.pid})`} does not answer: run contextd daemon stop`;
		case 'closed':
			return `process ${state.pid} uses the state folder exclusively: end it, or wait until it ends`;
		case 'elsewhere':
			return `process ${state.pid} on ${state.host} (another machine or container) uses the state folder: end it there, or set CONTEXTD_HOME to another folder`;
	}
}

/** Checks the extension in VS Code and its forks. */
export async function checkEditors(machine: Machine): Promise<Finding[]> {
	const editors = await findCodeEditors(machine);
	return editors.map(({ title, command, version, problem }): Finding => {
		if (problem !== undefined) return { text: `${command} --list-extensions failed: ${problem}` };
		if (version === undefined)
			return { text: `${title} has no extension of contextd; contextd setup installs it` };
		return version === machine.version
			? { isSound: true, text: `${title} has the extension ${version}` }
			: {
					isSound: false,
					text: `${title} has the extension ${version}, this is ${machine.version}: run contextd setup`,
				};
	});
}

/** Checks the files that setup has edited. */
export async function checkEditedFiles({ stateFolder }: Machine): Promise<Finding[]> {
	const { files } = (await SetupManifest.read(stateFolder)).record;
	return Promise.all(
		files.map(async (file): Promise<Finding> => {
			const { path } = file;
			const { problem, isApplied } = await checkEdit(path, createRecordedEdit(file));
			if (problem !== undefined) return { isSound: false, text: `${path} ${problem}` };
			return isApplied
				? { isSound: true, text: `${path} contains what setup added` }
				: { text: `${path} no longer contains what setup added` };
		}),
	);
}
