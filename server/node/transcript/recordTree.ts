import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errorCode, ifExists } from '../../core/failure.ts';
import { type Fields, isFields } from '../../core/shape.ts';
import type { RecordFolders } from '../../core/transcript/reading/locations.ts';
import { maxDocumentBytes, tryParseDocument } from './documentFile.ts';
import { readWholeFile, unreadableTranscript } from './openFile.ts';
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
	const record = tryParseDocument((await readWholeFile(path, maxDocumentBytes)).toString('utf8'))?.value;
	const id = isFields(record) && typeof record.id === 'string' ? record.id : name;
	for (const folder of [id, name]) {
		const messages = join(storage, message, basename(folder));
		if ((await ifExists(stat(messages))) !== undefined)
			return { file: path, messages, parts: join(storage, part) };
	}
	return undefined;
}

/** The JSON files of a folder, sorted; none if there is no such folder. */
async function namesIn(folder: string): Promise<string[]> {
	const names = (await ifExists(readdir(folder))) ?? [];
	return names.filter((name) => name.endsWith('.json')).sort();
}

/**
 * The records of one session, parts before their message; later those of new or changed files.
 *
 * A round begins when the queue is undefined: it lists the messages once and ends with a read without records. If a known
 * message is missing then, everything is read again, and the round's first batch starts over.
 */
export class RecordTreeSource implements RecordSource {
	readonly #session: RecordTree;
	/** Size and time of each file when it was read. */
	readonly #read = new Map<string, string>();
	/** The id of each message, by its file name. */
	readonly #ids = new Map<string, string>();
	/** Names of the messages that this round still has to read. */
	#queue: string[] | undefined;
	#known: string[] = [];
	#startsOver = false;
	/** Index of the older message where the next check continues. */
	#nextOlder = 0;

	constructor(session: RecordTree) {
		this.#session = session;
	}

	watched(): string[] {
		return [this.#session.messages];
	}

	async close(): Promise<void> {}

	async next(signal?: AbortSignal): Promise<RecordBatch | undefined> {
		const batch: RecordBatch = { records: [], badLines: 0, startsOver: false, bytes: 0 };
		const { file } = this.#session;
		if (this.#queue === undefined) {
			this.#queue = await this.#messagesNow();
			const own = file === undefined ? undefined : await this.#readChanged(file, batch);
			if (own) batch.records.push(own);
		}
		while (this.#queue.length > 0 && batch.records.length < batchMessages) {
			signal?.throwIfAborted();
			const name = this.#queue.shift();
			if (name !== undefined) await this.#readMessage(name, batch);
		}
		if (batch.records.length === 0 && !this.#startsOver) {
			this.#queue = undefined;
			return undefined;
		}
		batch.startsOver = this.#startsOver;
		this.#startsOver = false;
		return batch;
	}

	async #messagesNow(): Promise<string[]> {
		const names = await namesIn(this.#session.messages);
		const present = new Set(names);
		if (this.#known.some((name) => !present.has(name))) {
			this.#startsOver = true;
			this.#read.clear();
			this.#ids.clear();
		}
		this.#known = names;
		const [from, to] = [this.#nextOlder, this.#nextOlder + olderMessages];
		this.#nextOlder = to < names.length - liveMessages ? to : 0;
		return names.filter((name, index) => {
			const isLive = index >= names.length - liveMessages;
			return !this.#ids.has(name) || isLive || (index >= from && index < to);
		});
	}

	/** The record of a new or changed file; undefined if the file is unchanged or incomplete. */
	async #readChanged(file: string, batch: RecordBatch): Promise<Fields | undefined> {
		try {
			const { size, mtimeMs } = await stat(file);
			const state = `${size}:${mtimeMs}`;
			if (this.#read.get(file) === state) return undefined;
			const document = tryParseDocument((await readWholeFile(file, maxDocumentBytes)).toString('utf8'));
			if (document === undefined) return undefined;
			this.#read.set(file, state);
			batch.bytes += size;
			return isFields(document.value) ? document.value : {};
		} catch (error) {
			if (errorCode(error) === 'ENOENT') return undefined;
			throw unreadableTranscript(file, error);
		}
	}

	async #readMessage(name: string, batch: RecordBatch): Promise<void> {
		const { messages, parts } = this.#session;
		const own = await this.#readChanged(join(messages, name), batch);
		const id =
			own === undefined ? this.#ids.get(name) : typeof own.id === 'string' ? own.id : basename(name, '.json');
		if (id === undefined) return;
		this.#ids.set(name, id);
		const folder = join(parts, basename(id));
		for (const part of await namesIn(folder)) {
			const record = await this.#readChanged(join(folder, part), batch);
			// Some versions omit members of a record that its path already shows.
			if (record) batch.records.push({ id: basename(part, '.json'), messageID: id, ...record });
		}
		if (own) batch.records.push({ id, sessionID: basename(messages), ...own });
	}
}
