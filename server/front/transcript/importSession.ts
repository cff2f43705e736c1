import { resolve } from 'node:path';
import { ResponseError } from 'vscode-jsonrpc/node';
import { contextHistory } from '../../protocol/history.ts';
import { sessionUpdate } from '../../protocol/session.ts';
import { contextImport, type ImportResult } from '../../protocol/transcript.ts';
import type { Daemon } from '../daemon.ts';
import { badInput } from '../failure.ts';
import type { Fields } from '../input/message.ts';
import { createLabels, type Labels } from '../labels.ts';
import type { LoadedSession, ModelChoice } from '../load.ts';
import { printable } from '../output/printable.ts';

/** Has the daemon read a transcript into a session. Fails with exit code 2 where it is none that can be read. */
export async function importFile(
	daemon: Daemon,
	file: string,
	{ follow }: { follow?: boolean } = {},
): Promise<ImportResult> {
	try {
		return await daemon.request(contextImport, { path: resolve(file), follow });
	} catch (error) {
		if (!(error instanceof ResponseError)) throw error;
		throw badInput(printable(error.message));
	}
}

/** A transcript as a session that the file commands work on, for the model that it names or that was chosen. */
export async function importSession(
	daemon: Daemon,
	file: string,
	{ provider, model }: ModelChoice,
): Promise<LoadedSession> {
	const { sessionId, messageCount } = await importFile(daemon, file);
	const isChosen = provider !== undefined || model !== undefined;
	if (isChosen) await daemon.request(sessionUpdate, { sessionId, provider, model });
	const labels = await labelsOf(daemon, sessionId);
	return { sessionId, messageCount, labels, modelFrom: isChosen ? 'arguments' : 'input' };
}

/** What the visible messages are about; their lines are not known. */
async function labelsOf(daemon: Daemon, sessionId: string): Promise<Labels> {
	const labels = createLabels();
	const { messages } = await daemon.request(contextHistory, { sessionId });
	for (const message of messages as Fields[]) {
		if (typeof message.id === 'string') labels.add(message.id, { kind: 'message', fields: message, size: 0 });
	}
	return labels;
}
