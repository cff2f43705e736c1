/** Reads the editor's configuration under `contextd`. */

import * as vscode from 'vscode';
import type { OpenParams } from '../../../server/protocol/session.ts';
import { collectSettings, selectDaemonKeys, shouldFollowTranscripts } from './settings.ts';

type ExtensionManifest = { contributes: { configuration: { properties: Record<string, unknown> }[] } };

/** Returns the daemon's settings that the user has set, nested as the daemon expects them. */
export function readDaemonSettings(context: vscode.ExtensionContext): Record<string, unknown> {
	const manifest = context.extension.packageJSON as ExtensionManifest;
	const declaredNames = manifest.contributes.configuration.flatMap(({ properties }) =>
		Object.keys(properties),
	);
	return collectSettings(vscode.workspace.getConfiguration('contextd'), selectDaemonKeys(declaredNames));
}

/** Returns the provider, model and window that new sessions of a folder get unless their agent sets others. */
export function readSessionDefaults(
	folder: vscode.Uri | undefined,
): Pick<OpenParams, 'provider' | 'model' | 'contextWindow'> {
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

/** Returns whether the settings allow following the transcripts of other agents in a folder. */
export function isFollowingEnabled(folder: vscode.Uri): boolean {
	const setting = vscode.workspace.getConfiguration('contextd', folder).inspect<boolean>('followTranscripts');
	return shouldFollowTranscripts(setting, vscode.workspace.isTrusted);
}

/** Returns the editor's model for summaries as `vendor/id`; an empty text if no model is selected. */
export function readSummaryModel(): string {
	return vscode.workspace.getConfiguration('contextd.languageModel').get<string>('model', '');
}

/** Returns how long the editor's model may take for a summary, in milliseconds. */
export function readSummaryTimeoutMs(): number {
	return vscode.workspace.getConfiguration('contextd.languageModel').get<number>('timeoutSeconds', 60) * 1000;
}
