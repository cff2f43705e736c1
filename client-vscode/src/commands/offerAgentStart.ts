import * as vscode from 'vscode';
import { t } from '../text/language.ts';
import { hasProgram } from './findProgram.ts';

/**
 * Shows a text about how to start an agent, with buttons that run the command in a terminal in `folder` and copy it.
 * Warns if the agent's program was not found. `otherActions` adds buttons, by label.
 */
export async function offerAgentStart(
	text: string,
	command: string | undefined,
	folder: vscode.Uri | undefined,
	otherActions: Readonly<Record<string, () => unknown>> = {},
): Promise<void> {
	const [open, copy] = [t('Open in Terminal'), t('Copy Command')];
	const startActions = command === undefined ? [] : [open, copy];
	const program = command?.split(' ', 1)[0];
	const isMissing = program !== undefined && !(await hasProgram(program));
	const sentences = [
		text,
		...(isMissing ? [t('The program {0} was not found on this machine.', program)] : []),
	];
	const answer = await vscode.window.showInformationMessage(
		sentences.join(' '),
		...startActions,
		...Object.keys(otherActions),
	);
	if (answer === undefined) return;
	if (command !== undefined && answer === open) {
		const terminal = vscode.window.createTerminal({
			name: program,
			...(folder && { cwd: folder }),
		});
		terminal.show();
		terminal.sendText(command);
	} else if (command !== undefined && answer === copy) await vscode.env.clipboard.writeText(command);
	else await otherActions[answer]?.();
}
