import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
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
	EACCES: 'the permission to read it is missing',
	EPERM: 'the permission to read it is missing',
	ENOTDIR: 'no such file',
	ENAMETOOLONG: 'no such file',
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
	const found = await stat(file).catch((error: unknown) => {
		throw complain(reasonOf(error));
	});
	if (found.isDirectory()) throw complain('expected a file, got a folder');
	const stream = createReadStream(file, { highWaterMark: CHUNK });
	return {
		name: file,
		chunks: bytesOf(stream, complain),
		size: found.isFile() ? found.size : undefined,
		complain,
	};
}
