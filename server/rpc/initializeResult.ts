/** The daemon's result of `initialize`. It loads no handler, since a relay sends it while a daemon starts. */

import { formatNames } from '../core/format/names.ts';
import { isFields, isNestedDeeper } from '../core/shape.ts';
import { agentNames } from '../core/transcript/names.ts';
import * as protocol from '../protocol/index.ts';
import type { DaemonInitializeResult } from '../protocol/lifecycle.ts';
import { commandName, newestCommandNames } from './call/commandNames.ts';
import { declaredRequests } from './deferredMethods.ts';

/** Returns the result for every client. */
export function initializeResult(version: string): DaemonInitializeResult {
	const methods = declaredRequests(protocol);
	return {
		capabilities: {
			workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
			executeCommandProvider: {
				commands: [...methods.map(commandName), ...newestCommandNames],
				workDoneProgress: true,
			},
			experimental: {
				contextd: {
					version: 1,
					methods,
					formats: [...formatNames],
					estimators: ['heuristic', 'exact', 'calibrated'],
					framings: ['content-length', 'ndjson'],
					transcripts: [...agentNames],
				},
			},
		},
		serverInfo: { name: 'contextd', version },
	};
}

/** Levels of arrays and objects that editors never reach in these params. */
const maxLevels = 100;

/** Whether each member is absent, null or accepted by its check. */
function hasValidMembers(
	value: unknown,
	checks: Readonly<Record<string, (member: unknown) => boolean>>,
): boolean {
	if (!isFields(value)) return false;
	return Object.entries(checks).every(([name, check]) => {
		const member = value[name] ?? undefined;
		return member === undefined || check(member);
	});
}

function isText(value: unknown): boolean {
	return typeof value === 'string';
}

/**
 * Returns whether the daemon certainly accepts these params of `initialize`, and sends nothing before its result. May
 * be false for params that it accepts.
 */
export function isCertainlyAccepted(params: unknown): boolean {
	const isFolder = (folder: unknown): boolean =>
		isFields(folder) && isText(folder.uri) && hasValidMembers(folder, { name: isText });
	return (
		!isNestedDeeper(params, maxLevels) &&
		hasValidMembers(params, {
			processId: Number.isSafeInteger,
			clientInfo: (client) =>
				isFields(client) && isText(client.name) && hasValidMembers(client, { version: isText }),
			rootPath: isText,
			rootUri: isText,
			workspaceFolders: (folders) => Array.isArray(folders) && folders.every(isFolder),
			capabilities: isFields,
			trace: (value) => value === 'off',
		})
	);
}
