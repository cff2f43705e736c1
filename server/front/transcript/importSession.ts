import { resolve } from 'node:path';
import type { WorkDoneProgressReport } from 'vscode-languageserver-protocol';
import { RequestError } from '../../client/errors.ts';
import { makerOfModel } from '../../core/models/familyName.ts';
import { sessionUpdate } from '../../protocol/session.ts';
import { contextImport, type ImportParams, type ImportResult } from '../../protocol/transcript.ts';
import type { Daemon } from '../console/daemon.ts';
import { badInput } from '../console/failure.ts';
import type { InputFile } from '../console/inputFile.ts';
import { countOf } from '../output/figures.ts';
import { printable } from '../output/printable.ts';

/** Which model the history is meant for, as far as the user says. */
export interface ModelChoice {
	provider?: string;
	model?: string;
	/** Tokens of the window. */
	window?: number;
}

/** How much of a transcript is read, and how. */
export type ReadingChoice = Pick<ImportParams, 'counting' | 'from'>;

/** A session that holds what stands in a file. */
export interface LoadedSession {
	sessionId: string;
	/** Visible messages. */
	messageCount: number;
	/** What of plain messages could not be read, in a sentence. */
	leftOut?: string;
}

/** The adapter of plain messages, of which every line is meant. */
const plainMessages = 'contextd';

/** Has the daemon read a transcript into a session. Fails with exit code 2 where it is none that can be read. */
export async function importFile(
	daemon: Daemon,
	{ name, path }: Pick<InputFile, 'name' | 'path'>,
	params: Pick<ImportParams, 'follow' | 'workDoneToken'> & ReadingChoice = {},
): Promise<ImportResult> {
	try {
		return await daemon.request(contextImport, { path, ...params });
	} catch (error) {
		if (!(error instanceof RequestError)) throw error;
		throw badInput(printable(error.message.replaceAll(path, name)));
	}
}

/** A file that the user named, as `importFile` takes it. */
export function namedFile(file: string): Pick<InputFile, 'name' | 'path'> {
	return { name: file, path: resolve(file) };
}

/**
 * A file as a session that the file commands work on, for the model that it names or that was chosen. Fails with
 * exit code 2 where it holds no message.
 */
export async function importSession(
	daemon: Daemon,
	file: InputFile,
	{ model, window: contextWindow, counting, from, ...choice }: ModelChoice & ReadingChoice,
	report: (progress: WorkDoneProgressReport) => void,
): Promise<LoadedSession> {
	if (file.size === 0) throw badInput(`${printable(file.name)}: expected messages, but it is empty`);
	const imported = await daemon.watch(
		(workDoneToken) => importFile(daemon, file, { counting, from, workDoneToken }),
		(progress) => {
			if (progress.kind === 'report') report(progress);
		},
	);
	const { sessionId, messageCount } = imported;
	// Another maker's model is counted by the rules of that maker.
	const provider = choice.provider ?? (model === undefined ? undefined : makerOfModel(model));
	const leftOut = leftOutOf(file.name, imported);
	if (messageCount === 0)
		throw badInput(leftOut ?? `${printable(file.name)}: expected messages, but it holds none`);
	if (provider !== undefined || model !== undefined || contextWindow !== undefined)
		await daemon.request(sessionUpdate, { sessionId, provider, model, contextWindow });
	return { sessionId, messageCount, ...(leftOut !== undefined && { leftOut }) };
}

/** Agents write much that is no message; in a file of plain messages everything is meant to be one. */
function leftOutOf(name: string, { source, skipped }: ImportResult): string | undefined {
	if (source !== plainMessages || skipped.length === 0) return undefined;
	const kinds = skipped.map(({ type, count }) => `${countOf(count, 'record')} (${type})`).join(', ');
	return `${printable(name)}: no messages, left out: ${kinds}`;
}
