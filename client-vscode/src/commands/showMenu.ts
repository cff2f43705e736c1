import * as vscode from 'vscode';
import { menuOf } from '../usage/menu.ts';
import type { Parts } from './parts.ts';

/** Offers what is sensible now. */
export async function showMenu({ store }: Parts): Promise<void> {
	const choices = menuOf(store.current()).map(({ icon, label, detail, command }) => ({
		label: `$(${icon}) ${label}`,
		detail,
		command,
	}));
	const picked = await vscode.window.showQuickPick(choices, { title: 'Context' });
	if (picked) await vscode.commands.executeCommand(picked.command);
}
