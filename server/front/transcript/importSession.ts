import type { WorkDoneProgressReport } from 'vscode-languageserver-protocol';
import { RequestError } from '../../client/errors.ts';
import { formatCount } from '../../core/figures.ts';
import { findModelMaker } from '../../core/models/familyName.ts';
import { sessionUpdate } from '../../protocol/session.ts';
import { contextImport, type ImportParams, type ImportResult } from '../../protocol/transcript.ts';
import type { CommandDaemon } from '../console/daemon.ts';
import { createInputFailure } from '../console/failure.ts';
import type { InputFile } from '../console/inputFile.ts';
import { makePrintable } from '../output/printable.ts';

/** The model for which a history is measured, if the user states it. */
export interface ModelChoice {
	provider?: string;
	model?: string;
	/** Size of the model's window in tokens. */
	window?: number;
}

/** How much of a transcript is read, and how it is counted. */
export type ImportScope = Pick<ImportParams, 'counting' | 'from'>;

/**
 * Up to `counted` bytes, the estimator counts all messages of an input. Up to `whole` bytes, an input is read as
 * a whole.
 */
const maxBytes = { counted: 1 << 18, whole: 8 << 20 };

/**
 * Returns how much of an input to count and import, by its size in bytes.
 *
 * Only messages after the newest usage report change the result, so in a long input only those are counted. In a very
 * long input, messages that left the window are skipped.
 */
export function chooseImportScope(bytes: number): ImportScope {
	if (bytes <= maxBytes.counted) return {};
	return bytes <= maxBytes.whole ? { counting: 'tail' } : { counting: 'tail', from: 'window' };
}

export interface LoadedSession {
	sessionId: string;
	/** Number of visible messages. */
	messageCount: number;
	/** A sentence about plain messages that could not be read. */
	skipWarning?: string;
}

/** Value of `source` for a file that contains plain messages, one per line. */
const plainMessagesAgent = 'contextd';

/** Imports a transcript as a session. Throws with exit code 2 if it is not a readable transcript. */
export async function importFile(
	daemon: CommandDaemon,
	{ name, path }: Pick<InputFile, 'name' | 'path'>,
	params: Pick<ImportParams, 'follow' | 'workDoneToken'> & ImportScope = {},
): Promise<ImportResult> {
	try {
		return await daemon.request(contextImport, { path, ...params });
	} catch (error) {
		if (!(error instanceof RequestError)) throw error;
		throw createInputFailure(makePrintable(error.message.replaceAll(path, name)));
	}
}

/**
 * Loads a file as a session for file commands, for the chosen model or else the one in the file. Throws with exit
 * code 2 if the file contains no message.
 */
export async function importSession(
	daemon: CommandDaemon,
	file: Pick<InputFile, 'name' | 'path' | 'size'>,
	{ model, window: contextWindow, counting, from, ...choice }: ModelChoice & ImportScope,
	report: (progress: WorkDoneProgressReport) => void,
): Promise<LoadedSession> {
	if (file.size === 0)
		throw createInputFailure(`${makePrintable(file.name)}: expected messages, but the file is empty`);
	const imported = await daemon.requestWithProgress(
		(workDoneToken) => importFile(daemon, file, { counting, from, workDoneToken }),
		(progress) => {
			if (progress.kind === 'report') report(progress);
		},
	);
	const { sessionId, messageCount } = imported;
	// The tokens of a model are counted by the rules of its maker.
	const provider = choice.provider ?? (model === undefined ? undefined : findModelMaker(model));
	const skipWarning = describeSkippedRecords(file.name, imported);
	if (messageCount === 0)
		throw createInputFailure(skipWarning ?? `${makePrintable(file.name)}: expected messages, but found none`);
	if (provider !== undefined || model !== undefined || contextWindow !== undefined)
		await daemon.request(sessionUpdate, { sessionId, provider, model, contextWindow });
	return { sessionId, messageCount, ...(skipWarning !== undefined && { skipWarning }) };
}

/** Describes the skipped lines of a file of plain messages; undefined for agents' transcripts, which have other records. */
function describeSkippedRecords(name: string, { source, skipped }: ImportResult): string | undefined {
	if (source !== plainMessagesAgent || skipped.length === 0) return undefined;
	const kinds = skipped.map(({ type, count }) => `${formatCount(count, 'record')} (${type})`).join(', ');
	return `${makePrintable(name)}: no messages, left out: ${kinds}`;
}
