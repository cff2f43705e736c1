/** Requests that may be sent to a second daemon after the first one ended without an answer. */

import { isFields } from '../core/shape.ts';
import { parseMessageParams } from './messages.ts';

/**
 * Methods that change no session. Listed by name, because loading the declarations of all methods takes 0.7 MB of
 * memory.
 */
export const readOnlyMethods: ReadonlySet<string> = new Set([
	'initialize',
	'context/checkpoints',
	'context/classifyError',
	'context/count',
	'context/discover',
	'context/export',
	'context/fitFiles',
	'context/history',
	'context/needsCompaction',
	'context/original',
	'context/recall',
	'context/report',
	'context/sources',
	'context/stats',
	'context/timeline',
	'context/truncateToTokenBudget',
	'context/validate',
	'recorder/messages',
	'recorder/read',
	'recorder/sessions',
	'recorder/status',
	'session/list',
	'session/messageIds',
]);

const appendMethod = 'session/append';
const commandMethod = 'workspace/executeCommand';
const commandPrefix = 'contextd.';

/** Methods that bring a mirror up to date with its transcript. Repeating them has the same result. */
const mirroringMethods: ReadonlySet<string> = new Set(['context/import', 'session/newest']);

/**
 * Returns whether a request may be sent again: it only reads or mirrors, or it appends messages of contextd's own
 * format that all have ids, because stored messages are then not appended again.
 */
export function isRepeatable(method: string, body: Buffer): boolean {
	if (readOnlyMethods.has(method) || mirroringMethods.has(method)) return true;
	const params = parseMessageParams(body);
	if (method === commandMethod) return readOnlyMethods.has(parseCommandMethod(params.command));
	if (method !== appendMethod || (params.format ?? 'contextd') !== 'contextd') return false;
	const messages = Array.isArray(params.messages) ? params.messages : [];
	return messages.every((one) => isFields(one) && typeof one.id === 'string' && one.id !== '');
}

/** Returns whether a request certainly changed nothing if the daemon cancelled it. */
export function isUnappliedIfCancelled(method: string, body: Buffer): boolean {
	return method === appendMethod || isRepeatable(method, body);
}

function parseCommandMethod(command: unknown): string {
	return typeof command === 'string' && command.startsWith(commandPrefix)
		? command.slice(commandPrefix.length).replaceAll('.', '/')
		: '';
}
