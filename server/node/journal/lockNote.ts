/** What the holder of a session says of itself in its lock. */

import { readFile, writeFile } from 'node:fs/promises';
import { errorCode } from '../../core/failure.ts';
import { isFields, parsedJson } from '../../core/shape.ts';

/** Where a holder takes calls of other processes. */
export interface HolderAddress {
	/** The path of a Unix socket, or the name of a pipe on Windows. */
	socket: string;
	/** The path of the file with the secret that both ends have to know. */
	secret: string;
}

export interface LockNote {
	/** How often the session was taken over from a holder that was gone, plus one. */
	generation: number;
	/** Absent where the holder takes no calls. */
	address?: HolderAddress;
}

/** Bytes of a note, of which no more is read. */
const mostBytes = 16 * 1024;

/** Writes a note into a holder's file. */
export function writeNote(file: string, note: LockNote): Promise<void> {
	return writeFile(file, JSON.stringify(note), { mode: 0o600 });
}

/** The note in a holder's file, one without an address where none can be read; undefined where the file is gone. */
export async function readNote(file: string): Promise<LockNote | undefined> {
	try {
		return noteIn(await readFile(file, 'utf8'));
	} catch (error) {
		if (errorCode(error) === 'ENOENT') return undefined;
		if (['EACCES', 'EPERM', 'EISDIR'].includes(errorCode(error))) return { generation: 1 };
		throw error;
	}
}

function noteIn(text: string): LockNote {
	// One that is just being written, or of another kind, is no JSON.
	const note = text.length > mostBytes ? undefined : parsedJson(text)?.value;
	if (!isFields(note) || !Number.isSafeInteger(note.generation)) return { generation: 1 };
	const { address } = note;
	const isAddress =
		isFields(address) && typeof address.socket === 'string' && typeof address.secret === 'string';
	const generation = Number(note.generation);
	if (!isAddress) return { generation };
	return { generation, address: { socket: String(address.socket), secret: String(address.secret) } };
}
