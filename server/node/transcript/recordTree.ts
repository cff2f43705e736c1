import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errorCode, ifExists } from '../../core/failure.ts';
import { type Fields, isFields } from '../../core/shape.ts';
import { maxDocumentBytes, tryParseDocument } from './documentFile.ts';
import { readWholeFile, toUnreadableFailure } from './openFile.ts';
import type { RecordBatch, RecordSource } from './source.ts';

/** How many of the newest messages are checked in each round. */
const liveMessageCount = 16;
/** How many of the older messages are checked in each round, in rotation, because the agent clears old outputs. */
const olderMessageCount = 64;
/** A batch ends once it has this many records. */
const minBatchRecords = 50;

/** Location of a session that stores each record in its own file. */
export interface RecordTree {
	/** The session's own file, if there is one. */
	file?: string;
	/** The folder with a file for each message. */
	messagesFolder: string;
	/** The folder that has a folder for the parts of each message. */
	partsFolder: string;
}

/**
 * Finds the session of a path, which may be its file or the folder of its messages; undefined for other paths. The
 * files are OpenCode's: `session/PROJECT/ID.json` for a session, `message/ID/*.json` for its messages, and
 * `part/MESSAGE/*.json` for the parts of a message.
 */
export async function findRecordTree(path: string, isFolder: boolean): Promise<RecordTree | undefined> {
	if (isFolder) {
		if (basename(dirname(path)) !== 'message') return undefined;
		return { messagesFolder: path, partsFolder: join(dirname(dirname(path)), 'part') };
	}
	const storage = dirname(dirname(dirname(path)));
	if (!path.endsWith('.json') || basename(dirname(dirname(path))) !== 'session') return undefined;
	const name = basename(path, '.json');
	const record = tryParseDocument((await readWholeFile(path, maxDocumentBytes)).toString('utf8'))?.value;
	const id = isFields(record) && typeof record.id === 'string' ? record.id : name;
	for (const folder of [id, name]) {
		const messagesFolder = join(storage, 'message', basename(folder));
		if ((await ifExists(stat(messagesFolder))) !== undefined)
			return { file: path, messagesFolder, partsFolder: join(storage, 'part') };
	}
	return undefined;
}

/** Returns the names of the JSON files in a folder, sorted; none if the folder is missing. */
async function listJsonFiles(folder: string): Promise<string[]> {
	const names = (await ifExists(readdir(folder))) ?? [];
	return names.filter((name) => name.endsWith('.json')).sort();
}

/**
 * Reads the records of one session, with parts before their message, and later those of new or changed files.
 *
 * A round begins while the queue is undefined: it lists the messages once, and ends with a read that returns no records. If a known
 * message is missing from the list, all records are read again, and the first batch of the round starts over.
 */
export class RecordTreeSource implements RecordSource {
	readonly #session: RecordTree;
	/** Size and time of each file when it was read, by path. */
	readonly #readStates = new Map<string, string>();
	/** The id of each message, by file name. */
	readonly #ids = new Map<string, string>();
	/** Files of messages that this round must still read; undefined between rounds. */
	#queue: string[] | undefined;
	#knownNames: string[] = [];
	#isRestart = false;
	/** Index of the older message at which the next round continues. */
	#nextOlderIndex = 0;

	constructor(session: RecordTree) {
		this.#session = session;
	}

	listWatchedPaths(): string[] {
		return [this.#session.messagesFolder];
	}

	async close(): Promise<void> {}

	async next(signal?: AbortSignal): Promise<RecordBatch | undefined> {
		const batch: RecordBatch = { records: [], badLineCount: 0, isRestart: false, bytes: 0 };
		const { file } = this.#session;
		if (this.#queue === undefined) {
			this.#queue = await this.#listMessagesToRead();
			const record = file === undefined ? undefined : await this.#readChanged(file, batch);
			if (record) batch.records.push(record);
		}
		while (this.#queue.length > 0 && batch.records.length < minBatchRecords) {
			signal?.throwIfAborted();
			const name = this.#queue.shift();
			if (name !== undefined) await this.#readMessage(name, batch);
		}
		if (batch.records.length === 0 && !this.#isRestart) {
			this.#queue = undefined;
			return undefined;
		}
		batch.isRestart = this.#isRestart;
		this.#isRestart = false;
		return batch;
	}

	async #listMessagesToRead(): Promise<string[]> {
		const names = await listJsonFiles(this.#session.messagesFolder);
		const present = new Set(names);
		if (this.#knownNames.some((name) => !present.has(name))) {
			this.#isRestart = true;
			this.#readStates.clear();
			this.#ids.clear();
		}
		this.#knownNames = names;
		const [from, to] = [this.#nextOlderIndex, this.#nextOlderIndex + olderMessageCount];
		this.#nextOlderIndex = to < names.length - liveMessageCount ? to : 0;
		return names.filter((name, index) => {
			const isLive = index >= names.length - liveMessageCount;
			return !this.#ids.has(name) || isLive || (index >= from && index < to);
		});
	}

	/** Reads the record of a new or changed file; undefined if the file is unchanged or incomplete. */
	async #readChanged(file: string, batch: RecordBatch): Promise<Fields | undefined> {
		try {
			const { size, mtimeMs } = await stat(file);
			const state = `${size}:${mtimeMs}`;
			if (this.#readStates.get(file) === state) return undefined;
			const document = tryParseDocument((await readWholeFile(file, maxDocumentBytes)).toString('utf8'));
			if (document === undefined) return undefined;
			this.#readStates.set(file, state);
			batch.bytes += size;
			return isFields(document.value) ? document.value : {};
		} catch (error) {
			if (errorCode(error) === 'ENOENT') return undefined;
			throw toUnreadableFailure(file, error);
		}
	}

	async #readMessage(name: string, batch: RecordBatch): Promise<void> {
		const { messagesFolder, partsFolder } = this.#session;
		const messageRecord = await this.#readChanged(join(messagesFolder, name), batch);
		const id =
			messageRecord === undefined
				? this.#ids.get(name)
				: typeof messageRecord.id === 'string'
					? messageRecord.id
					: basename(name, '.json');
		if (id === undefined) return;
		this.#ids.set(name, id);
		const folder = join(partsFolder, basename(id));
		for (const part of await listJsonFiles(folder)) {
			const record = await this.#readChanged(join(folder, part), batch);
			// Some versions of the agent omit ids from records, because the paths contain them.
			if (record) batch.records.push({ id: basename(part, '.json'), messageID: id, ...record });
		}
		if (messageRecord) batch.records.push({ id, sessionID: basename(messagesFolder), ...messageRecord });
	}
}
