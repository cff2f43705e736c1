/** Runs `contextd setup --undo`. */

import { formatCount } from '../../core/figures.ts';
import type { CommandDaemons } from '../console/daemon.ts';
import { createWorkFailure, describeFailure } from '../console/failure.ts';
import { type FrontIo, writeLines, writePlainLines } from '../console/terminal.ts';
import { isInstallableName, uninstallAgent } from '../install/installable.ts';
import type { Machine } from '../install/parts/agent.ts';
import { span } from '../output/line.ts';
import { makePrintable } from '../output/printable.ts';
import { stopRecording } from '../record/consent.ts';
import { revertEdit } from './editedFile.ts';
import { removeExtension } from './editorParts.ts';
import type { SetupManifest } from './manifest.ts';
import { listSnippets } from './snippets.ts';

export type UndoIo = FrontIo & Pick<CommandDaemons, 'connectDaemon'>;

/**
 * Reverts what setup did; throws with exit code 1 if a part fails, after all other parts were reverted. A second run
 * tries that part again.
 */
export async function undoSetup(machine: Machine, manifest: SetupManifest, io: UndoIo): Promise<void> {
	const { stateFolder, env } = machine;
	const { agents, editors, files } = manifest.record;
	// Files that were set up on another machine, such as shared dotfiles, are in no manifest of this machine.
	const paths = new Set([...files, ...listSnippets(machine)].map(({ path }) => path));
	const steps: (() => Promise<readonly string[]>)[] = [
		async () => [await stopRecording(stateFolder, io.connectDaemon)].flatMap((line) => line ?? []),
		...[...paths].map((path) => async () => {
			const line = await revertEdit(path, stateFolder, manifest);
			return line === undefined ? [] : [line];
		}),
		...editors.map((command) => async () => {
			const line = await removeExtension(command, env);
			await manifest.removeName('editors', command);
			return [line];
		}),
		...agents.filter(isInstallableName).map((name) => async () => {
			const report = await uninstallAgent(name, machine);
			await manifest.removeName('agents', name);
			return report;
		}),
	];
	let failedCount = 0;
	let undoneCount = 0;
	for (const step of steps) {
		try {
			const report = await step();
			undoneCount += report.length;
			await writePlainLines(io, ...report.map(makePrintable));
		} catch (error) {
			const text = describeFailure(error);
			failedCount++;
			await writeLines(io.stdout, [[span(`✗ ${makePrintable(text)}`, 'red')]], io.env);
		}
	}
	if (failedCount > 0) throw createWorkFailure(`${formatCount(failedCount, 'part')} could not be reverted`);
	if (undoneCount === 0) await writePlainLines(io, 'There is nothing to revert.');
}
