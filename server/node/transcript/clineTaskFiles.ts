import { basename, dirname, join } from 'node:path';
import { Failure } from '../../core/failure.ts';
import { documentFile } from './documentFile.ts';
import type { RecordBatch, RecordSource } from './source.ts';

/** Whether a file is the history of one of Cline's tasks, beside which stands what the user saw. */
export function isClineTask(path: string): boolean {
	return basename(path) === 'api_conversation_history.json';
}

/**
 * The one record of a task: its messages, and what the user saw, where the figures stand. Again whenever one of
 * both changed; without figures where those cannot be read.
 */
export function clineTaskFiles(path: string): RecordSource {
	const uiPath = join(dirname(path), 'ui_messages.json');
	const history = documentFile(path);
	const ui = documentFile(uiPath);
	let messages: unknown;
	let uiMessages: unknown;
	return {
		watched: () => [path, uiPath],
		async close() {
			await Promise.all([history.close(), ui.close()]);
		},
		async next(signal) {
			const batch = await history.next(signal);
			const beside = await readable(ui.next(signal));
			if (batch === undefined && beside === undefined) return undefined;
			if (batch !== undefined) [messages] = batch.records;
			if (beside !== undefined) [uiMessages] = beside.records;
			const bytes = (batch?.bytes ?? 0) + (beside?.bytes ?? 0);
			const record = Array.isArray(messages) ? { messages, uiMessages } : messages;
			return { records: record === undefined ? [] : [record], badLines: 0, startsOver: false, bytes };
		},
	};
}

async function readable(batch: Promise<RecordBatch | undefined>): Promise<RecordBatch | undefined> {
	try {
		return await batch;
	} catch (error) {
		if (error instanceof Failure && error.kind === 'FileUnreadable') return undefined;
		throw error;
	}
}
