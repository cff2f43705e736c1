import { resolve } from 'node:path';
import type { WorkDoneProgressReport } from 'vscode-languageserver-protocol';
import { RequestError } from '../../client/errors.ts';
import { findModelMaker } from '../../core/models/familyName.ts';
import { sessionUpdate } from '../../protocol/session.ts';
import { contextImport, type ImportParams, type ImportResult } from '../../protocol/transcript.ts';
import type { CommandDaemon } from '../console/daemon.ts';
import { badInput } from '../console/failure.ts';
import type { InputFile } from '../console/inputFile.ts';
import { countWithUnit } from '../output/figures.ts';
import { printableText } from '../output/printable.ts';

/** The model that the history is for, as far as the user states it. */
export interface ModelChoice {
	provider?: string;
	model?: string;
	/** Tokens of the window. */
	window?: number;
}

/** How much of a transcript is read, and how it is counted. */
export type ReadingChoice = Pick<ImportParams, 'counting' | 'from'>;

/** Sizes up to which all messages are counted by the estimator, and up to which all are read. Bytes. */
const maxBytes = { counted: 1 << 18, whole: 8 << 20 };

/**
 * How to read an input of a size.
 *
 * Only messages after the newest figure change the result, so for a long input only those are counted. For a very long
 * one, messages that left the window are skipped.
 */
export function readingChoiceFor(bytes: number): ReadingChoice {
	if (bytes <= maxBytes.counted) return {};
	return bytes <= maxBytes.whole ? { counting: 'tail' } : { counting: 'tail', from: 'window' };
}

/** A session loaded from a file. */
export interface LoadedSession {
	sessionId: string;
	/** Number of visible messages. */
	messageCount: number;
	/** A sentence about plain messages that could not be read. */
	leftOut?: string;
}

/** The adapter of plain messages, where every line should be a message. */
const plainMessages = 'contextd';

/** Imports a transcript as a session. Throws with exit code 2 if it is not a readable transcript. */
export async function importFile(
	daemon: CommandDaemon,
	{ name, path }: Pick<InputFile, 'name' | 'path'>,
	params: Pick<ImportParams, 'follow' | 'workDoneToken'> & ReadingChoice = {},
): Promise<ImportResult> {
	try {
		return await daemon.request(contextImport, { path, ...params });
	} catch (error) {
		if (!(error instanceof RequestError)) throw error;
		throw badInput(printableText(error.message.replaceAll(path, name)));
	}
}

/** A file named by the user, for `importFile`. */
export function namedFile(file: string): Pick<InputFile, 'name' | 'path'> {
	return { name: file, path: resolve(file) };
}

/**
 * Loads a file as a session for file commands, for the model that it names or that was chosen.
 * Throws with exit code 2 if it contains no message.
 */
export async function importSession(
	daemon: CommandDaemon,
	file: InputFile,
	{ model, window: contextWindow, counting, from, ...choice }: ModelChoice & ReadingChoice,
	report: (progress: WorkDoneProgressReport) => void,
): Promise<LoadedSession> {
	if (file.size === 0)
		throw badInput(`${printableText(file.name)}: expected messages, but the file is empty`);
	const imported = await daemon.watch(
		(workDoneToken) => importFile(daemon, file, { counting, from, workDoneToken }),
		(progress) => {
			if (progress.kind === 'report') report(progress);
		},
	);
	const { sessionId, messageCount } = imported;
	// A model of another maker is counted by that maker's rules.
	const provider = choice.provider ?? (model === undefined ? undefined : findModelMaker(model));
	const leftOut = leftOutOf(file.name, imported);
	if (messageCount === 0)
		throw badInput(leftOut ?? `${printableText(file.name)}: expected messages, but found none`);
	if (provider !== undefined || model !== undefined || contextWindow !== undefined)
		await daemon.request(sessionUpdate, { sessionId, provider, model, contextWindow });
	return { sessionId, messageCount, ...(leftOut !== undefined && { leftOut }) };
}

/** Mentions skipped lines only for plain messages: agents' transcripts contain many other records. */
function leftOutOf(name: string, { source, skipped }: ImportResult): string | undefined {
	if (source !== plainMessages || skipped.length === 0) return undefined;
	const kinds = skipped.map(({ type, count }) => `${countWithUnit(count, 'record')} (${type})`).join(', ');
	return `${printableText(name)}: no messages, left out: ${kinds}`;
}
