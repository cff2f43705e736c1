import { type BigIntStats, constants, fstat } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { promisify } from 'node:util';
import { makePrintable } from '../output/printable.ts';
import { createInputFailure, describeSystemError } from './failure.ts';
import type { FrontIo } from './terminal.ts';

/**
 * Refuses a path for `-o` before any work is done; throws with exit code 2.
 *
 * A path is refused if it is not writable, if it is the input, or if an agent stores its transcripts there.
 * @param input the file that the history is read from; absent or `-` for standard input
 */
export async function checkOutput(
	output: string,
	input: string | undefined,
	io: Pick<FrontIo, 'stdin' | 'transcriptFolders'>,
): Promise<void> {
	const refuse = (reason: string): Error => createInputFailure(`-o ${makePrintable(output)}: ${reason}`);
	const stats = await statIfAccessible(output);
	if (stats?.isDirectory()) throw refuse('expected a file, got a folder');
	const folder = await statIfAccessible(dirname(output));
	if (!folder?.isDirectory()) throw refuse(`the folder ${makePrintable(dirname(output))} does not exist`);
	// A regular file is replaced by a new one, so its folder must be writable; another file must be writable itself.
	const target = stats && !stats.isFile() ? output : dirname(output);
	await access(target, constants.W_OK).catch((error: unknown) => {
		throw refuse(`${makePrintable(target)} cannot be written to: ${describeSystemError(error)}`);
	});
	const realOutput = stats ? await realpath(output) : join(await realpath(dirname(output)), basename(output));
	if (await isInputFile(realOutput, stats, input, io.stdin))
		throw refuse('the input is the same file; choose another one');
	for (const owned of io.transcriptFolders) {
		if (!isWithin(realOutput, await resolveLinks(owned))) continue;
		throw refuse(
			`contextd never writes to ${makePrintable(owned)}, where an agent stores its transcripts; choose a file elsewhere`,
		);
	}
}

async function isInputFile(
	realOutput: string,
	output: BigIntStats | undefined,
	input: string | undefined,
	stdin: FrontIo['stdin'],
): Promise<boolean> {
	if (input === undefined || input === '-')
		return stdin.fd !== undefined && isSameFile(await promisify(fstat)(stdin.fd, { bigint: true }), output);
	// A session in a database is named by the database's path, a `#` and the session's id.
	const inputStats = await statIfAccessible(input);
	const file = inputStats ? input : input.replace(/#[^#]*$/, '');
	const stats = inputStats ?? (await statIfAccessible(file));
	if (stats?.isDirectory()) return isWithin(realOutput, await resolveLinks(file));
	return isSameFile(stats, output);
}

function isSameFile(one: BigIntStats | undefined, other: BigIntStats | undefined): boolean {
	return one !== undefined && other !== undefined && one.dev === other.dev && one.ino === other.ino;
}

function isWithin(path: string, folder: string): boolean {
	return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}

/** Returns information about a path, following links; undefined if nothing is accessible there. */
function statIfAccessible(path: string): Promise<BigIntStats | undefined> {
	return stat(path, { bigint: true }).catch(() => undefined);
}

/** Returns the path with links resolved, or the absolute path if it does not exist. */
function resolveLinks(path: string): Promise<string> {
	return realpath(path).catch(() => resolve(path));
}
