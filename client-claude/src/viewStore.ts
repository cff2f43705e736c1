/** The store of held views: only the daemon writes them, and the mod reads the files. */

import { bytesToHex, ChannelError, isEqualText } from '../../kit/channel.ts';
import type { ViewStore } from '../../kit/ports.ts';
import { isFields, tryParseJson } from '../../server/core/shape.ts';
import type {
	HoldViewResult,
	InheritViewResult,
	JournalPosition,
	OpenResult,
} from '../../server/protocol/session.ts';
import type { CallMethod } from './channel.ts';
import { readPluginStart } from './daemon.ts';
import { type Host, TimeoutError, withTimeout } from './host.ts';

/** Timeout of a write, in milliseconds. */
const timeoutMs = 5000;
/** Milliseconds that a request waits for a write. */
const waitMs = 80;
/** Milliseconds that the first request of a process waits for the daemon to open the session. */
const openMs = 300;
/** Bytes that are read from a file at once; Claude Code allows 4 MiB. */
const chunkBytes = 3 << 20;

/** The number of chain ids, newest last, that are searched for an inheritable view. */
const maxIds = 10_000;

/** A text to store, and the chain ids on which it depends. */
interface Saving {
	sessionId: string;
	text: string;
	marks: readonly string[];
}

/** A text that the daemon has stored. */
interface StoredText {
	text: string;
	checksum: string;
}

/** Returns the store of the views of one daemon's sessions. */
export function viewStore(host: Host, request: CallMethod): ViewStore {
	const stored = new Map<string, StoredText>();
	let writes: Promise<unknown> = Promise.resolve();

	async function hold({ sessionId, text, marks }: Saving): Promise<void> {
		const before = stored.get(sessionId);
		stored.delete(sessionId);
		const { checksum } =
			(await holdChange({ sessionId, text, marks }, before)) ?? (await holdWhole({ sessionId, text, marks }));
		if (checksum !== undefined) stored.set(sessionId, { text, checksum });
	}

	const holdWhole = ({ sessionId, text, marks }: Saving): Promise<HoldViewResult> =>
		request('session/holdView', { sessionId, view: text, marks }, { timeoutMs }) as Promise<HoldViewResult>;

	/** Sends only what differs from the text before; undefined if the daemon has stored another text. */
	async function holdChange(
		{ sessionId, text, marks }: Saving,
		before: StoredText | undefined,
	): Promise<HoldViewResult | undefined> {
		if (before === undefined) return undefined;
		const units = commonPrefixLength(before.text, text);
		const behind = { checksum: before.checksum, units };
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
			const opened = await request('session/open', { sessionId }, { timeoutMs: openMs }).catch(
				() => undefined,
			);
			const name = bytesToHex(await sha256(new TextEncoder().encode(sessionId))).slice(0, 32);
			const text = await textOf(host, `${stateFolder}/views/${name}.json`);
			const held = text === undefined ? undefined : await readHeldFile(text);
			if (held === undefined || held.sessionId !== sessionId || typeof held.view !== 'string')
				return undefined;
			stored.set(sessionId, { text: held.view, checksum: held.checksum });
			// Without a daemon nothing is newer than the file.
			const isCurrent =
				opened === undefined || belongsToJournal(held.journal, (opened as OpenResult).journal);
			return isCurrent ? held.view : undefined;
		},
		async inherit(sessionId, workspace, ids) {
			// The daemon chooses sessions to inherit from by their workspace.
			await request('session/open', { sessionId, workspace }, { timeoutMs });
			const params = { sessionId, marks: ids.slice(-maxIds) };
			const { view } = (await request('session/inheritView', params, { timeoutMs })) as InheritViewResult;
			return typeof view === 'string' ? view : undefined;
		},
		async save(sessionId, text, marks) {
			const saving = { sessionId, text, marks };
			writes = writes.then(
				() => hold(saving),
				() => hold(saving),
			);
			// A large view is written while the model answers.
			await withTimeout(host, 'storing the view', waitMs, writes as Promise<void>).catch((error: unknown) => {
				if (!(error instanceof TimeoutError)) throw error;
			});
		},
	};
}

/** Returns the text of a file; undefined if there is none. */
async function textOf(host: Host, path: string): Promise<string | undefined> {
	const size = await host.fs.size(path).catch(() => undefined);
	if (size === undefined) return undefined;
	const bytes = new Uint8Array(size);
	for (let offset = 0; offset < size; offset += chunkBytes)
		bytes.set(await host.fs.bytes(path, offset, chunkBytes), offset);
	return new TextDecoder().decode(bytes);
}

/** Returns the length of the common beginning of two texts, in UTF-16 units, by bisection. */
export function commonPrefixLength(one: string, other: string): number {
	let known = 0;
	let end = Math.min(one.length, other.length);
	while (known < end) {
		const middle = Math.ceil((known + end) / 2);
		if (one.slice(known, middle) === other.slice(known, middle)) known = middle;
		else end = middle - 1;
	}
	return known;
}

/** Returns the SHA-256 of some bytes. */
export async function sha256(bytes: Uint8Array): Promise<Uint8Array> {
	return new Uint8Array(await crypto.subtle.digest('SHA-256', new Uint8Array(bytes)));
}

/** The file in which the daemon stores a view (`session/holdView`). */
export interface HeldFile {
	sessionId: string;
	/** The end of the session's journal when the file was written. */
	journal: JournalPosition;
	/** The view, as the plugin sent it. */
	view: unknown;
	/** SHA-256 of the line with the view, in hexadecimal digits. */
	checksum: string;
}

function positionOf(value: unknown): JournalPosition | undefined {
	if (!isFields(value)) return undefined;
	const { generation, records } = value;
	return typeof generation === 'number' && typeof records === 'number' ? { generation, records } : undefined;
}

/** Parses the text of the file; undefined if it is missing, damaged or of another version. */
export async function readHeldFile(text: string): Promise<HeldFile | undefined> {
	const [head = '', body = ''] = text.split('\n', 2);
	const said = tryParseJson(head)?.value;
	if (!isFields(said) || said.version !== 1 || typeof said.checksum !== 'string') return undefined;
	const journal = positionOf(said.journal);
	if (journal === undefined || typeof said.sessionId !== 'string') return undefined;
	const checksum = bytesToHex(await sha256(new TextEncoder().encode(body)));
	if (!isEqualText(checksum, said.checksum)) return undefined;
	return { sessionId: said.sessionId, journal, view: tryParseJson(body)?.value, checksum };
}

/** Whether a view belongs to the current journal of a session, and is not newer than it. */
export function belongsToJournal(held: JournalPosition, now: JournalPosition): boolean {
	return held.generation === now.generation && held.records <= now.records;
}
