import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errorCode, ifThere } from '../../core/failure.ts';
import { type Fields, isFields } from '../../core/shape.ts';
import type { RecordFolders } from '../../core/transcript/reading/home.ts';
import { maxDocumentBytes, parsedDocument } from './documentFile.ts';
import { readWhole, unreadableTranscript } from './openFile.ts';
import type { RecordBatch, RecordSource } from './source.ts';

/** Number of newest messages whose parts are checked each time. */
const liveMessages = 16;
/** Number of older messages checked each time, in rotation, since their agent clears old outputs. */
const olderMessages = 64;
/** Messages per batch. */
const batchMessages = 50;

/** Location of a session that stores each record in a file. */
export interface RecordTree {
	/** The session's own file, if there is one. */
	file?: string;
	messages: string;
	/** The folder with one folder of parts per message. */
	parts: string;
}

/** The session of a path: its own file or the folder of its messages; undefined for any other path. */
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
	const record = parsedDocument((await readWhole(path, maxDocumentBytes)).toString('utf8'))?.value;
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

/** The JSON files of a folder, sorted; none if there is no such folder. */
async function namesIn(folder: string): Promise<string[]> {
	const names = (await ifThere(readdir(folder))) ?? [];
	return names.filter((name) => name.endsWith('.json')).sort();
}

/** The records of one session, parts before their message; later those of new or changed files. */
export function recordTree(session: RecordTree): RecordSource {
	/** Size and time of each file when it was read. */
	const read = new Map<string, string>();
	/** The id of each message, by its file name. */
	const ids = new Map<string, string>();
	let queue: string[] | undefined;
	let known: string[] = [];
	let startsOver = false;
	/** Index of the older message where the next check continues. */
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

	/** The record of a new or changed file; undefined if the file is unchanged or incomplete. */
	const readChanged = async (file: string, batch: RecordBatch): Promise<Fields | undefined> => {
		try {
			const { size, mtimeMs } = await stat(file);
			const state = `${size}:${mtimeMs}`;
			if (read.get(file) === state) return undefined;
			const document = parsedDocument((await readWhole(file, maxDocumentBytes)).toString('utf8'));
			if (document === undefined) return undefined;
			read.set(file, state);
			batch.bytes += size;
			return isFields(document.value) ? document.value : {};
		} catch (error) {
			if (errorCode(error) === 'ENOENT') return undefined;
			throw unreadableTranscript(file, error);
		}
	};

	const readMessage = async (name: string, batch: RecordBatch): Promise<void> => {
		const own = await readChanged(join(session.messages, name), batch);
		const id =
			own === undefined ? ids.get(name) : typeof own.id === 'string' ? own.id : basename(name, '.json');
		if (id === undefined) return;
		ids.set(name, id);
		const folder = join(session.parts, basename(id));
		for (const part of await namesIn(folder)) {
			const record = await readChanged(join(folder, part), batch);
			// Some versions omit members of a record that its path already shows.
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
				const own = session.file === undefined ? undefined : await readChanged(session.file, batch);
				if (own) batch.records.push(own);
			}
			while (queue.length > 0 && batch.records.length < batchMessages) {
				signal?.throwIfAborted();
				const name = queue.shift();
				if (name !== undefined) await readMessage(name, batch);
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
