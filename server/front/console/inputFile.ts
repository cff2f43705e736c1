import { constants, createWriteStream } from 'node:fs';
import { access, mkdtemp, open, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isMissingFileError } from '../../core/failure.ts';
import { parseRecordingPath } from '../../core/transcript/index.ts';
import { makePrintable } from '../output/printable.ts';
import { createInputFailure, describeSystemError } from './failure.ts';

/** The input of a command, as a file that the daemon can read too. */
export interface InputFile {
	/** Name of the input for messages to the user. */
	name: string;
	/** Absolute path of the file, or the id of a recording. */
	path: string;
	/** Size in bytes; absent if the input is not a single file. */
	size?: number;
	/** Removes a temporary copy; the user's own file stays. */
	release(): Promise<void>;
}

/** Matches the name of one session in a database. */
const databaseSessionPattern = /\.(?:db|sqlite)#[^#]+$/;

/**
 * Returns the file that a command works on: the named file, or a private copy of standard input (`-`) or of a pipe,
 * which can be read only once. Throws with exit code 2 if there is nothing to read.
 */
export async function openInputFile(file: string, stdin: () => Readable): Promise<InputFile> {
	if (file === '-') return copyToFile('standard input', stdin);
	const input = { name: file, path: resolve(file), release: async () => undefined };
	if (parseRecordingPath(file) !== undefined) return { ...input, path: file };
	if (databaseSessionPattern.test(file)) return input;
	const refuse = (reason: string): Error => createInputFailure(`${makePrintable(file)}: ${reason}`);
	const stats = await stat(file).catch((error: unknown) => {
		throw refuse(describeSystemError(error));
	});
	// OpenCode stores a session as a folder of messages.
	const isSession = basename(dirname(input.path)) === 'message';
	if (stats.isDirectory() && !isSession) throw refuse('expected a file, got a folder');
	if (!stats.isFile() && !stats.isDirectory())
		return copyToFile(file, async () => (await open(file, 'r')).createReadStream());
	await access(file, constants.R_OK).catch((error: unknown) => {
		throw refuse(describeSystemError(error));
	});
	return stats.isFile() ? { ...input, size: stats.size } : input;
}

/** Copies a stream into a file in a private folder. */
async function copyToFile(name: string, source: () => Readable | Promise<Readable>): Promise<InputFile> {
	const folder = await mkdtemp(join(tmpdir(), 'contextd-'));
	const path = join(folder, 'input.jsonl');
	const release = (): Promise<void> => rm(folder, { recursive: true, force: true });
	try {
		await pipeline(await source(), createWriteStream(path, { mode: 0o600 }));
		const { size } = await stat(path);
		return { name, path, size, release };
	} catch (error) {
		await release();
		throw createInputFailure(`${makePrintable(name)}: cannot read it: ${describeSystemError(error)}`);
	}
}

/** Throws with exit code 2 unless the user named an existing folder. */
export async function requireFolder(name: string): Promise<void> {
	const stats = await stat(name).catch((error: unknown) => {
		throw createInputFailure(
			`${makePrintable(name)}: ${isMissingFileError(error) ? 'no such folder' : describeSystemError(error)}`,
		);
	});
	if (!stats.isDirectory()) throw createInputFailure(`${makePrintable(name)}: expected a folder, got a file`);
}
