/** The daemon's result of `initialize`. Loads no handler, because a relay sends this result while a daemon starts. */

import { formatNames } from '../core/format/names.ts';
import { isFields, isNestedDeeper } from '../core/shape.ts';
import { agentNames } from '../core/transcript/index.ts';
import type { DaemonInitializeResult } from '../protocol/lifecycle.ts';
import { newestCommands, toCommandName } from './call/commandNames.ts';
import { listDeclaredRequests } from './deferredMethods.ts';

/** Returns the result of `initialize`, which is the same for every client. */
export function createInitializeResult(version: string): DaemonInitializeResult {
	const methods = listDeclaredRequests();
	return {
		capabilities: {
			workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
			executeCommandProvider: {
				commands: [...methods.map(toCommandName), ...newestCommands],
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

/** Maximum levels of nested arrays and objects; editors never reach it in these params. */
const maxDepth = 100;

/** Returns whether each member is absent, null or accepted by its check. */
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

function isString(value: unknown): boolean {
	return typeof value === 'string';
}

/**
 * Returns whether the daemon certainly accepts these params of `initialize`, and sends nothing before its result. May
 * return false for params that the daemon accepts.
 */
export function isCertainlyAccepted(params: unknown): boolean {
	const isFolder = (folder: unknown): boolean =>
		isFields(folder) && isString(folder.uri) && hasValidMembers(folder, { name: isString });
	return (
		!isNestedDeeper(params, maxDepth) &&
		hasValidMembers(params, {
			processId: Number.isSafeInteger,
			clientInfo: (client) =>
				isFields(client) && isString(client.name) && hasValidMembers(client, { version: isString }),
			rootPath: isString,
			rootUri: isString,
			workspaceFolders: (folders) => Array.isArray(folders) && folders.every(isFolder),
			capabilities: isFields,
			trace: (value) => value === 'off',
		})
	);
}
