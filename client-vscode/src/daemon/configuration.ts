/** What the editor's configuration says. */

import * as vscode from 'vscode';
import { daemonKeys, isFollowed, settingsOf } from './settings.ts';

type Declared = { contributes: { configuration: { properties: Record<string, unknown> }[] } };

/** The daemon's settings as they are set now. */
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

/** What sessions in a folder are opened with where the agent does not say. */
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

/** Whether the transcripts of other agents that work in a folder are followed. */
export function followsTranscripts(folder: vscode.Uri): boolean {
	const inspected = vscode.workspace
		.getConfiguration('contextd', folder)
		.inspect<boolean>('followTranscripts');
	return isFollowed(inspected, vscode.workspace.isTrusted);
}

/** The model of the editor that summarizes, as `vendor/id`; empty for none. */
export function summaryModel(): string {
	return vscode.workspace.getConfiguration('contextd.languageModel').get<string>('model', '');
}

/** Milliseconds that this model may take. */
export function summaryTimeout(): number {
	return vscode.workspace.getConfiguration('contextd.languageModel').get<number>('timeoutSeconds', 60) * 1000;
}
