/** Offers to start an agent, or to install its plugin, in a terminal. */

import * as vscode from 'vscode';
import { findActiveFolder } from '../session/folder.ts';
import { t } from '../text/language.ts';
import { findMissingPlugin } from '../usage/usage.ts';
import { type EditorServices, requireShownSession } from './editorServices.ts';
import { UserMistake } from './failure.ts';
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
	const [openLabel, copyLabel] = [t('Open in Terminal'), t('Copy Command')];
	const startLabels = command === undefined ? [] : [openLabel, copyLabel];
	const program = command?.split(' ', 1)[0];
	const isMissing = program !== undefined && !(await hasProgram(program));
	const warning = isMissing ? ` ${t('The program {0} was not found on this machine.', program)}` : '';
	const answer = await vscode.window.showInformationMessage(
		`${text}${warning}`,
		...startLabels,
		...Object.keys(otherActions),
	);
	if (answer === undefined) return;
	if (command !== undefined && answer === openLabel) {
		const terminal = vscode.window.createTerminal({ name: program, ...(folder && { cwd: folder }) });
		terminal.show();
		terminal.sendText(command);
	} else if (command !== undefined && answer === copyLabel) await vscode.env.clipboard.writeText(command);
	else await otherActions[answer]?.();
}

/** Offers the command that installs the plugin for the followed session's agent. */
export async function installPlugin(services: EditorServices): Promise<void> {
	const session = requireShownSession(services);
	const plugin = findMissingPlugin(session);
	if (!session.followed || plugin === undefined)
		throw new UserMistake(t('There is no plugin for the agent of this session.'));
	await offerAgentStart(
		t(
			'With its plugin, contextd can compact running sessions of {0}, and undo that. This applies to sessions that start after the installation.',
			session.followed.label,
		),
		`npx --yes --package=contextd contextd install ${plugin}`,
		findActiveFolder()?.uri,
	);
}
