import { type FileHandle, open, stat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { detectTranscript, sampleRecords } from '../../core/transcript/adapters.ts';
import { recordsOf } from '../../core/transcript/lines.ts';

/** Bytes at the start of a file that mostly tell whose it is. */
const headBytes = 256 << 10;

/**
 * What a file is by its start: plain messages, which the command reads itself; another agent's transcript, which
 * the daemon reads; or unclear.
 */
export type FileKind = 'messages' | 'transcript' | 'unclear';

/** Tells what a file is; `messages` too where there is no such file. */
export async function kindOfFile(file: string): Promise<FileKind> {
	if (/\.db#[^#]+$/.test(file)) return 'transcript';
	const found = await stat(file).catch(() => undefined);
	// One session of OpenCode's storage is a folder of messages.
	if (found?.isDirectory() && basename(dirname(resolve(file))) === 'message') return 'transcript';
	// A pipe can be read but once.
	if (!found?.isFile()) return 'messages';
	const handle = await open(file, 'r').catch(() => undefined);
	if (!handle) return 'messages';
	try {
		return await kindOfHead(handle, found.size);
	} finally {
		await handle.close();
	}
}

async function kindOfHead(handle: FileHandle, size: number): Promise<FileKind> {
	const buffer = Buffer.alloc(Math.min(size, headBytes));
	const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
	const text = buffer.toString('utf8', 0, bytesRead);
	const isCut = size > headBytes;
	const lastLine = text.lastIndexOf('\n') + 1;
	const { records } = recordsOf(isCut && lastLine > 0 ? text.slice(0, lastLine) : text);
	const sample = records.slice(0, sampleRecords);
	const agent = detectTranscript({ records: sample })?.agent;
	if (agent === undefined) return isCut || text.includes('\u0000') ? 'unclear' : 'messages';
	return agent === 'contextd' ? 'messages' : 'transcript';
}
