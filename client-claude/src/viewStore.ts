/** Stores held views: the daemon writes their files, and the mod reads them. */

import { bytesToHex, ChannelError, isEqualText } from '../../kit/channel.ts';
import type { ViewStore } from '../../kit/ports.ts';
import { isFields, tryParseJson } from '../../server/core/shape.ts';
import type {
	HoldViewResult,
	InheritViewResult,
	JournalPosition,
	OpenResult,
} from '../../server/protocol/session.ts';
import { readPluginStart } from './daemon.ts';
import { type Host, TimeoutError, withTimeout } from './host.ts';

/** Calls a method by its name. Rejects with the daemon's error, or if the daemon does not answer in time. */
export type CallMethod = (method: string, params: object, options: { timeoutMs: number }) => Promise<unknown>;

/** Timeout of a write, in milliseconds. */
const timeoutMs = 5000;
/** Maximum milliseconds that a request waits for a write. */
const maxWriteMs = 80;
/** Maximum milliseconds that the first request of a process waits until the daemon has opened the session. */
const maxOpenMs = 300;
/** Bytes that are read from a file at once; Claude Code allows 4 MiB. */
const chunkBytes = 3 << 20;

/** Maximum number of chain ids that are sent to find a view to inherit; the newest ids are sent. */
const maxIds = 10_000;

/** A text to store, with the chain ids on which it depends. */
interface TextToStore {
	sessionId: string;
	text: string;
	marks: readonly string[];
}

/** A text that the daemon has stored. */
interface StoredText {
	text: string;
	checksum: string;
}

/** Creates a store for views, which are written through the daemon. */
export function createViewStore(host: Host, request: CallMethod): ViewStore {
	const storedTexts = new Map<string, StoredText>();
	let writes: Promise<unknown> = Promise.resolve();

	async function storeNow({ sessionId, text, marks }: TextToStore): Promise<void> {
		const lastStored = storedTexts.get(sessionId);
		storedTexts.delete(sessionId);
		const { checksum } =
			(await storeChange({ sessionId, text, marks }, lastStored)) ??
			(await storeText({ sessionId, text, marks }));
		if (checksum !== undefined) storedTexts.set(sessionId, { text, checksum });
	}

	async function storeText({ sessionId, text, marks }: TextToStore): Promise<HoldViewResult> {
		// `load` could not open the session if the daemon was still starting.
		await request('session/open', { sessionId }, { timeoutMs });
		return (await request(
			'session/holdView',
			{ sessionId, view: text, marks },
			{ timeoutMs },
		)) as HoldViewResult;
	}

	/** Stores a text by sending only its changed end; returns undefined if the daemon has stored another text. */
	async function storeChange(
		{ sessionId, text, marks }: TextToStore,
		lastStored: StoredText | undefined,
	): Promise<HoldViewResult | undefined> {
		if (lastStored === undefined) return undefined;
		const units = countCommonUnits(lastStored.text, text);
		const behind = { checksum: lastStored.checksum, units };
		const params = { sessionId, view: text.slice(units), behind, marks };
		try {
			return (await request('session/holdView', params, { timeoutMs })) as HoldViewResult;
		} catch (error) {
			if (error instanceof ChannelError) return undefined;
			throw error;
		}
	}

	return {
		async load(sessionId) {
			const { stateFolder } = await readPluginStart(host);
			const session = await request('session/open', { sessionId }, { timeoutMs: maxOpenMs }).catch(
				() => undefined,
			);
			const name = bytesToHex(await sha256(new TextEncoder().encode(sessionId))).slice(0, 32);
			const text = await readText(host, `${stateFolder}/views/${name}.json`);
			const heldFile = text === undefined ? undefined : await readHeldFile(text);
			if (heldFile === undefined || heldFile.sessionId !== sessionId || typeof heldFile.view !== 'string')
				return undefined;
			storedTexts.set(sessionId, { text: heldFile.view, checksum: heldFile.checksum });
			// If the daemon cannot be asked, the file is the newest known view.
			const isCurrent =
				session === undefined || belongsToJournal(heldFile.journal, (session as OpenResult).journal);
			return isCurrent ? heldFile.view : undefined;
		},
		async inherit(sessionId, workspace, ids) {
			// The workspace must be known first: the daemon inherits only from sessions of the same workspace.
			await request('session/open', { sessionId, workspace }, { timeoutMs });
			const params = { sessionId, marks: ids.slice(-maxIds) };
			const { view } = (await request('session/inheritView', params, { timeoutMs })) as InheritViewResult;
			return typeof view === 'string' ? view : undefined;
		},
		async save(sessionId, text, marks) {
			// The error of an earlier write was thrown to the caller of that write.
			writes = writes.catch(() => {}).then(() => storeNow({ sessionId, text, marks }));
			// A large view may still be written while the model answers.
			await withTimeout(host, 'storing the view', maxWriteMs, writes as Promise<void>).catch(
				(error: unknown) => {
					if (!(error instanceof TimeoutError)) throw error;
				},
			);
		},
	};
}

/** Reads the text of a file; undefined if the file is missing. */
async function readText(host: Host, path: string): Promise<string | undefined> {
	const size = await host.fs.size(path).catch(() => undefined);
	if (size === undefined) return undefined;
	const bytes = new Uint8Array(size);
	for (let offset = 0; offset < size; offset += chunkBytes)
		bytes.set(await host.fs.bytes(path, offset, chunkBytes), offset);
	return new TextDecoder().decode(bytes);
}

/** Returns the length of the common prefix of two texts, in UTF-16 units, by bisection. */
export function countCommonUnits(left: string, right: string): number {
	let common = 0;
	let end = Math.min(left.length, right.length);
	while (common < end) {
		const middle = Math.ceil((common + end) / 2);
		if (left.slice(common, middle) === right.slice(common, middle)) common = middle;
		else end = middle - 1;
	}
	return common;
}

/** Returns the SHA-256 of some bytes. */
export async function sha256(bytes: Uint8Array): Promise<Uint8Array> {
	return new Uint8Array(await crypto.subtle.digest('SHA-256', new Uint8Array(bytes)));
}

/** The file in which the daemon stores a view (`session/holdView`). */
export interface HeldFile {
	sessionId: string;
	/** End of the session's journal when the file was written. */
	journal: JournalPosition;
	/** The view, exactly as the plugin sent it. */
	view: unknown;
	/** SHA-256 of the line with the view, in hexadecimal digits. */
	checksum: string;
}

function parsePosition(value: unknown): JournalPosition | undefined {
	if (!isFields(value)) return undefined;
	const { generation, records } = value;
	return typeof generation === 'number' && typeof records === 'number' ? { generation, records } : undefined;
}

/** Parses the text of a view's file; undefined if it is damaged or of another version. */
export async function readHeldFile(text: string): Promise<HeldFile | undefined> {
	const [head = '', body = ''] = text.split('\n', 2);
	const parsedHead = tryParseJson(head)?.value;
	if (!isFields(parsedHead) || parsedHead.version !== 1 || typeof parsedHead.checksum !== 'string')
		return undefined;
	const journal = parsePosition(parsedHead.journal);
	if (journal === undefined || typeof parsedHead.sessionId !== 'string') return undefined;
	const checksum = bytesToHex(await sha256(new TextEncoder().encode(body)));
	if (!isEqualText(checksum, parsedHead.checksum)) return undefined;
	return { sessionId: parsedHead.sessionId, journal, view: tryParseJson(body)?.value, checksum };
}

/** Whether a view belongs to the session's current journal and is not newer than the journal. */
export function belongsToJournal(position: JournalPosition, current: JournalPosition): boolean {
	return position.generation === current.generation && position.records <= current.records;
}
