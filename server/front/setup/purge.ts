/** `contextd uninstall --purge`: removes contextd from everything, with all that it stores. */

import { readdir, realpath, rm, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ifExists } from '../../core/failure.ts';
import { formatByteSize, formatCount } from '../../core/figures.ts';
import { askYesNo } from '../console/askPerson.ts';
import { installableAgents } from '../console/commandWords.ts';
import { writePlainLines } from '../console/terminal.ts';
import { type DaemonControl, stopDaemon } from '../daemon/run.ts';
import type { AgentName, PurgeCommand } from '../install/command.ts';
import { installableAgentsByName, uninstallAgent } from '../install/installable.ts';
import type { Machine } from '../install/parts/agent.ts';
import { makePrintable } from '../output/printable.ts';
import { SetupManifest } from './manifest.ts';
import { type UndoIo, undoSetup } from './undo.ts';

export interface PurgeIo extends UndoIo {
	daemon: DaemonControl;
}

/** Matches the names of contextd's files in the state folder, because the folder may contain other files, too. */
const ownNamesPattern =
	/^(?:sessions|recorder|audit|views|programs|agents|setup|sockets|channel|outputs|file-summaries|compile-cache|daemon\..*|savings\.json(?:\.new)?|ranks-.*\.bin)$/;

/**
 * Asks, then removes everything. Without a terminal and without `yes` it only says how to continue. Throws with exit
 * code 1 if a part fails; the state folder then remains, so that a second run can continue.
 */
export async function runPurge({ mode }: PurgeCommand, machine: Machine, io: PurgeIo): Promise<void> {
	const installedAgents = await findInstalledAgents(machine);
	const sessions = await readdir(join(machine.stateFolder, 'sessions')).catch(() => []);
	const storedText = formatCount(sessions.filter((name) => name.endsWith('.jsonl')).length, 'stored session');
	const bytes = await measureRecordings(machine.stateFolder);
	await writePlainLines(
		io,
		...installedAgents.map((name) => `Removes contextd from ${installableAgentsByName[name].title}`),
		`Deletes ${makePrintable(machine.stateFolder)} with ${storedText}`,
		...(bytes === undefined ? [] : [`Deletes all recorded sessions (${formatByteSize(bytes)})`]),
		'Keeps the transcripts of agents and your contextd.json',
	);
	if (mode === 'ask' && !(await askForConfirmation(io))) return writePlainLines(io, 'Nothing was removed.');
	await undoSetup(machine, await SetupManifest.read(machine.stateFolder), io);
	for (const name of await findInstalledAgents(machine))
		await writePlainLines(io, ...(await uninstallAgent(name, machine)));
	await writePlainLines(io, await stopDaemon(io.daemon));
	await writePlainLines(io, ...(await deleteStateFolder(machine.stateFolder)));
	await writePlainLines(io, 'Last step: npm uninstall --global contextd');
}

/** Returns the bytes of the recorded sessions; undefined if there are none. */
async function measureRecordings(stateFolder: string): Promise<number | undefined> {
	return (await ifExists(stat(join(stateFolder, 'recorder', 'archive.sqlite'))))?.size;
}

async function askForConfirmation(io: PurgeIo): Promise<boolean> {
	if (!io.stdin.isTTY || !io.stdout.isTTY) {
		await writePlainLines(io, 'Add --yes to do it.');
		return false;
	}
	return askYesNo('Delete all of this? It cannot be undone. [y/N] ', io);
}

async function findInstalledAgents(machine: Machine): Promise<AgentName[]> {
	const versions = await Promise.all(
		installableAgents.map((name) => installableAgentsByName[name].findInstalledVersion(machine)),
	);
	return installableAgents.filter((_, index) => versions[index] !== undefined);
}

/** Deletes contextd's own files; returns lines about them. Other files stay, with their folder. */
async function deleteStateFolder(folder: string): Promise<string[]> {
	for (const name of await readdir(folder).catch(() => [])) {
		if (ownNamesPattern.test(name)) await rm(join(folder, name), { recursive: true, force: true });
	}
	const remaining = await readdir(folder).catch(() => undefined);
	if (remaining === undefined) return [`${makePrintable(folder)} does not exist`];
	if (remaining.length > 0)
		return [`${makePrintable(folder)} has other files, which remain: ${makePrintable(remaining.join(', '))}`];
	await rmdir(await realpath(folder));
	// A state folder on another disk may be behind a link.
	await rm(folder, { force: true });
	return [`Deleted ${makePrintable(folder)}`];
}
