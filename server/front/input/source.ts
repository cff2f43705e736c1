import { open, stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { badInput } from '../failure.ts';
import { printable } from '../output/printable.ts';
import type { Complain } from './splitter.ts';

/** Where messages come from. */
export interface Source {
	/** What the user calls it. */
	name: string;
	chunks: AsyncIterable<Buffer>;
	/** Bytes, where that is known before reading. */
	size?: number;
	/** The failure for a place in it that cannot be used. */
	complain: Complain;
}

/** Bytes read at a time. */
const CHUNK = 1024 * 1024;

const REASONS: Readonly<Record<string, string>> = {
	ENOENT: 'no such file',
	EACCES: 'permission denied',
	EPERM: 'permission denied',
	ENOTDIR: 'no such file',
	ENAMETOOLONG: 'the name is too long',
	ENOSPC: 'no space is left',
	EROFS: 'the file system is read-only',
};

/** A system error in words. */
export function reasonOf(error: unknown): string {
	const { code, message } = error as NodeJS.ErrnoException;
	return REASONS[code ?? ''] ?? message ?? String(error);
}

function complainer(name: string): Complain {
	return (problem, line, column) => {
		const place = [name, line, column].filter((part) => part !== undefined).join(':');
		return badInput(`${place}: ${printable(problem)}`);
	};
}

async function* bytesOf(stream: Readable, complain: Complain): AsyncGenerator<Buffer> {
	try {
		for await (const chunk of stream) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
	} catch (error) {
		throw complain(`cannot be read: ${reasonOf(error)}`);
	}
}

/** Opens a file, or the standard input for `-` or no name; fails with exit code 2 where there is nothing to read. */
export async function openSource(
	file: string | undefined,
	stdin: Readable & { isTTY?: boolean },
): Promise<Source> {
	if (file === undefined || file === '-') {
		if (file === undefined && stdin.isTTY) {
			throw badInput('expected a FILE, or messages on the standard input; see contextd --help');
		}
		const complain = complainer('standard input');
		return { name: 'standard input', chunks: bytesOf(stdin, complain), complain };
	}
	const complain = complainer(file);
	const refuse = (error: unknown): never => {
		throw complain(reasonOf(error));
	};
	const found = await stat(file).catch(refuse);
	if (found.isDirectory()) throw complain('expected a file, got a folder');
	// Opened before a stream is made of it: a stream would fail while nobody listens yet.
	const handle = await open(file, 'r').catch(refuse);
	return {
		name: file,
		chunks: bytesOf(handle.createReadStream({ highWaterMark: CHUNK }), complain),
		size: found.isFile() ? found.size : undefined,
		complain,
	};
}
