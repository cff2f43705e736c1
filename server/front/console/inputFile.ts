import { constants, createWriteStream } from 'node:fs';
import { access, mkdtemp, open, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { printable } from '../output/printable.ts';
import { badInput, reasonOf } from './failure.ts';

/** What a command reads, as a file that the daemon can read too. */
export interface InputFile {
	/** What the user calls it. */
	name: string;
	/** Its full path. */
	path: string;
	/** Bytes, where it is one file. */
	size?: number;
	/** Removes what was made for it; the user's own file stays. */
	release(): Promise<void>;
}

/** Names one session of a database, as the daemon takes it. */
const sessionOfDatabase = /\.(?:db|sqlite)#[^#]+$/;

/**
 * The file that a command works on: the one that was named, or a private copy of what the standard input (`-`) or a
 * pipe gives, since those can be read but once. Fails with exit code 2 where there is nothing to read.
 */
export async function inputFile(file: string, stdin: () => Readable): Promise<InputFile> {
	if (file === '-') return copied('standard input', stdin);
	const own = { name: file, path: resolve(file), release: async () => undefined };
	if (sessionOfDatabase.test(file)) return own;
	const refuse = (why: string): Error => badInput(`${printable(file)}: ${why}`);
	const found = await stat(file).catch((error: unknown) => {
		throw refuse(reasonOf(error));
	});
	// One session of OpenCode's storage is a folder of messages.
	const isSession = basename(dirname(own.path)) === 'message';
	if (found.isDirectory() && !isSession) throw refuse('expected a file, got a folder');
	if (!found.isFile() && !found.isDirectory()) {
		return copied(file, async () => (await open(file, 'r')).createReadStream());
	}
	await access(file, constants.R_OK).catch((error: unknown) => {
		throw refuse(reasonOf(error));
	});
	return found.isFile() ? { ...own, size: found.size } : own;
}

/** Copies a stream into a folder that nobody else may read. */
async function copied(name: string, source: () => Readable | Promise<Readable>): Promise<InputFile> {
	const folder = await mkdtemp(join(tmpdir(), 'contextd-'));
	const path = join(folder, 'input.jsonl');
	const release = (): Promise<void> => rm(folder, { recursive: true, force: true });
	try {
		await pipeline(await source(), createWriteStream(path, { mode: 0o600 }));
		const { size } = await stat(path);
		return { name, path, size, release };
	} catch (error) {
		await release();
		throw badInput(`${printable(name)}: cannot be read: ${reasonOf(error)}`);
	}
}
