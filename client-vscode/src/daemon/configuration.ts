/** The editor's configuration. */

import * as vscode from 'vscode';
import { daemonKeys, settingsOf, shouldFollowTranscripts } from './settings.ts';

type Declared = { contributes: { configuration: { properties: Record<string, unknown> }[] } };

/** Returns the current settings of the daemon. */
export function daemonSettings(context: vscode.ExtensionContext): Record<string, unknown> {
	const manifest = context.extension.packageJSON as Declared;
	const declared = manifest.contributes.configuration.flatMap(({ properties }) => Object.keys(properties));
	const configuration = vscode.workspace.getConfiguration('contextd');
	return settingsOf(
		{ inspect: (key) => configuration.inspect(key), get: (key) => configuration.get(key) },
		daemonKeys(declared),
	);
}

export interface SessionDefaults {
	provider?: string;
	model?: string;
	/** Tokens. */
	contextWindow?: number;
}

/** Returns the properties that the settings give new sessions in a folder, unless the agent sets them. */
export function sessionDefaults(folder: vscode.Uri | undefined): SessionDefaults {
	const configuration = vscode.workspace.getConfiguration('contextd.session', folder);
	const provider = configuration.get<string>('provider', '');
	const model = configuration.get<string>('model', '');
	const contextWindow = configuration.get<number>('contextWindow', 0);
	return {
		...(provider && { provider }),
		...(model && { model }),
		...(contextWindow > 0 && { contextWindow }),
	};
}

/** Returns whether to follow the transcripts of other agents in a folder. */
export function followsTranscripts(folder: vscode.Uri): boolean {
	const inspected = vscode.workspace
		.getConfiguration('contextd', folder)
		.inspect<boolean>('followTranscripts');
	return shouldFollowTranscripts(inspected, vscode.workspace.isTrusted);
}

/** Returns the editor's model for summaries, as `vendor/id`; empty for none. */
export function summaryModel(): string {
	return vscode.workspace.getConfiguration('contextd.languageModel').get<string>('model', '');
}

/** Returns the timeout of that model in milliseconds. */
export function summaryTimeout(): number {
	return vscode.workspace.getConfiguration('contextd.languageModel').get<number>('timeoutSeconds', 60) * 1000;
}
