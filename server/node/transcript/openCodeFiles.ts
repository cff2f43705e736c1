import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isFields } from '../../core/format/shape.ts';
import { parsedDocument } from './documentFile.ts';
import type { RecordBatch, RecordSource } from './source.ts';
import { errorCode, unreadable } from './unreadable.ts';

/** Messages whose parts are looked at again: older ones do not change any more. */
const liveMessages = 16;
/** Files that one piece takes. */
const filesAtOnce = 200;

/** Where one session of OpenCode's storage folder lies. */
export interface OpenCodeSession {
	/** Its own file, where there is one. */
	file?: string;
	messages: string;
	/** The folder with a folder of parts for each message. */
	parts: string;
}

/**
 * The session that a path of OpenCode's storage names: `session/PROJECT/SESSION.json` or the folder
 * `message/SESSION`; undefined for any other path.
 */
export async function openCodeSessionFile(
	path: string,
	isFolder: boolean,
): Promise<OpenCodeSession | undefined> {
	if (isFolder) {
		if (basename(dirname(path)) !== 'message') return undefined;
		const storage = dirname(dirname(path));
		return { messages: path, parts: join(storage, 'part') };
	}
	const storage = dirname(dirname(dirname(path)));
	if (!path.endsWith('.json') || basename(dirname(dirname(path))) !== 'session') return undefined;
	const messages = join(storage, 'message', basename(path, '.json'));
	if (!(await exists(messages))) return undefined;
	return { file: path, messages, parts: join(storage, 'part') };
}

async function exists(path: string): Promise<boolean> {
	try {
		await stat(path);
		return true;
	} catch (error) {
		if (errorCode(error) === 'ENOENT') return false;
		throw error;
	}
}

/** Names of a folder in order; none where there is no such folder. */
async function namesIn(folder: string): Promise<string[]> {
	try {
		return (await readdir(folder)).filter((name) => name.endsWith('.json')).sort();
	} catch (error) {
		if (errorCode(error) === 'ENOENT') return [];
		throw error;
	}
}

/** The records of one session, parts before their message; later those of files that are new or have changed. */
export function openCodeFiles(session: OpenCodeSession): RecordSource {
	/** Size and time of each file as it was read. */
	const read = new Map<string, string>();
	let queue: string[] | undefined;
	let startsOver = false;
	let known: string[] = [];

	const filesNow = async (): Promise<string[]> => {
		const names = await namesIn(session.messages);
		if (known.some((name, index) => names[index] !== name && !names.includes(name))) {
			startsOver = true;
			read.clear();
		}
		const files = session.file === undefined ? [] : [session.file];
		for (const [index, name] of names.entries()) {
			const message = join(session.messages, name);
			if (read.has(message) && index < names.length - liveMessages) continue;
			const parts = join(session.parts, basename(name, '.json'));
			files.push(...(await namesIn(parts)).map((part) => join(parts, part)), message);
		}
		known = names;
		return files;
	};

	/** The record of a file that is new or has changed; nothing of one that is half written. */
	const takeFile = async (file: string): Promise<{ record: unknown; bytes: number } | undefined> => {
		try {
			const { size, mtimeMs } = await stat(file);
			const state = `${size}:${mtimeMs}`;
			if (read.get(file) === state) return undefined;
			const document = parsedDocument(await readFile(file, 'utf8'));
			if (document === undefined) return undefined;
			read.set(file, state);
			return { record: withIds(document.value, file, session), bytes: size };
		} catch (error) {
			if (errorCode(error) === 'ENOENT') return undefined;
			throw unreadable(file, error);
		}
	};

	return {
		watched: () => [session.messages],
		close: async () => undefined,
		async next(signal) {
			queue ??= await filesNow();
			while (queue.length > 0) {
				const batch: RecordBatch = { records: [], badLines: 0, startsOver, bytes: 0 };
				for (const file of queue.splice(0, filesAtOnce)) {
					signal?.throwIfAborted();
					const taken = await takeFile(file);
					if (taken === undefined) continue;
					batch.records.push(taken.record);
					batch.bytes += taken.bytes;
				}
				if (batch.records.length === 0) continue;
				startsOver = false;
				return batch;
			}
			queue = undefined;
			return undefined;
		},
	};
}

/** Some versions leave out of a record what its place says: to which message a part belongs. */
function withIds(record: unknown, file: string, session: OpenCodeSession): unknown {
	if (!isFields(record)) return record;
	const id = basename(file, '.json');
	if (file.startsWith(session.parts)) return { id, messageID: basename(dirname(file)), ...record };
	if (file.startsWith(session.messages)) return { id, sessionID: basename(session.messages), ...record };
	return record;
}
