import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errorCode, ifThere } from '../../core/failure.ts';
import { type Fields, isFields } from '../../core/shape.ts';
import type { RecordFolders } from '../../core/transcript/reading/home.ts';
import { largestDocument, parsedDocument } from './documentFile.ts';
import { readWhole, unreadableTranscript } from './openFile.ts';
import type { RecordBatch, RecordSource } from './source.ts';

/** The newest messages, whose parts are looked at each time. */
const liveMessages = 16;
/** Older messages that are looked at each time, in turn: their agent clears old outputs. */
const olderMessages = 64;
/** Messages that one piece takes. */
const messagesAtOnce = 50;

/** Where one session lies of which each record is a file. */
export interface RecordTree {
	/** Its own file, where there is one. */
	file?: string;
	messages: string;
	/** The folder with a folder of parts for each message. */
	parts: string;
}

/** The session that a path names: by its own file, or by the folder of its messages; undefined for any other path. */
export async function recordTreeAt(
	path: string,
	isFolder: boolean,
	{ session, message, part }: RecordFolders,
): Promise<RecordTree | undefined> {
	if (isFolder) {
		if (basename(dirname(path)) !== message) return undefined;
		return { messages: path, parts: join(dirname(dirname(path)), part) };
	}
	const storage = dirname(dirname(dirname(path)));
	if (!path.endsWith('.json') || basename(dirname(dirname(path))) !== session) return undefined;
	const name = basename(path, '.json');
	const record = parsedDocument((await readWhole(path, largestDocument)).toString('utf8'))?.value;
	const id = isFields(record) && typeof record.id === 'string' ? record.id : name;
	for (const folder of [id, name]) {
		const messages = join(storage, message, basename(folder));
		if (await exists(messages)) return { file: path, messages, parts: join(storage, part) };
	}
	return undefined;
}

async function exists(path: string): Promise<boolean> {
	return (await ifThere(stat(path))) !== undefined;
}

/** Names of a folder in order; none where there is no such folder. */
async function namesIn(folder: string): Promise<string[]> {
	const names = (await ifThere(readdir(folder))) ?? [];
	return names.filter((name) => name.endsWith('.json')).sort();
}

/** The records of one session, parts before their message; later those of files that are new or have changed. */
export function recordTree(session: RecordTree): RecordSource {
	/** Size and time of each file as it was read. */
	const read = new Map<string, string>();
	/** The id of each message, by the name of its file. */
	const ids = new Map<string, string>();
	let queue: string[] | undefined;
	let known: string[] = [];
	let startsOver = false;
	/** The older message from which the next look goes on. */
	let turn = 0;

	const messagesNow = async (): Promise<string[]> => {
		const names = await namesIn(session.messages);
		const present = new Set(names);
		if (known.some((name) => !present.has(name))) {
			startsOver = true;
			read.clear();
			ids.clear();
		}
		known = names;
		const [from, to] = [turn, turn + olderMessages];
		turn = to < names.length - liveMessages ? to : 0;
		return names.filter((name, index) => {
			const isLive = index >= names.length - liveMessages;
			return !ids.has(name) || isLive || (index >= from && index < to);
		});
	};

	/** The record of a file that is new or has changed; nothing of one that is half written. */
	const takeFile = async (file: string, batch: RecordBatch): Promise<Fields | undefined> => {
		try {
			const { size, mtimeMs } = await stat(file);
			const state = `${size}:${mtimeMs}`;
			if (read.get(file) === state) return undefined;
			const document = parsedDocument((await readWhole(file, largestDocument)).toString('utf8'));
			if (document === undefined) return undefined;
			read.set(file, state);
			batch.bytes += size;
			return isFields(document.value) ? document.value : {};
		} catch (error) {
			if (errorCode(error) === 'ENOENT') return undefined;
			throw unreadableTranscript(file, error);
		}
	};

	const takeMessage = async (name: string, batch: RecordBatch): Promise<void> => {
		const own = await takeFile(join(session.messages, name), batch);
		const id =
			own === undefined ? ids.get(name) : typeof own.id === 'string' ? own.id : basename(name, '.json');
		if (id === undefined) return;
		ids.set(name, id);
		const folder = join(session.parts, basename(id));
		for (const part of await namesIn(folder)) {
			const record = await takeFile(join(folder, part), batch);
			// Some versions leave out of a record what its place says.
			if (record) batch.records.push({ id: basename(part, '.json'), messageID: id, ...record });
		}
		if (own) batch.records.push({ id, sessionID: basename(session.messages), ...own });
	};

	return {
		watched: () => [session.messages],
		close: async () => undefined,
		async next(signal) {
			const batch: RecordBatch = { records: [], badLines: 0, startsOver: false, bytes: 0 };
			if (queue === undefined) {
				queue = await messagesNow();
				const own = session.file === undefined ? undefined : await takeFile(session.file, batch);
				if (own) batch.records.push(own);
			}
			while (queue.length > 0 && batch.records.length < messagesAtOnce) {
				signal?.throwIfAborted();
				const name = queue.shift();
				if (name !== undefined) await takeMessage(name, batch);
			}
			if (batch.records.length === 0 && !startsOver) {
				queue = undefined;
				return undefined;
			}
			batch.startsOver = startsOver;
			startsOver = false;
			return batch;
		},
	};
}
