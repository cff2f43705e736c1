/** Where held views are kept: the daemon alone writes them, and the mod reads the files. */

import { ChannelError } from '../../kit/channel.ts';
import { isOfJournal, readHeldFile } from '../../kit/heldFile.ts';
import { hexOf } from '../../kit/hmac.ts';
import type { ViewStore } from '../../kit/ports.ts';
import type { HoldViewResult, InheritViewResult, OpenResult } from '../../server/protocol/session.ts';
import type { Request } from './channel.ts';
import { readStart } from './daemon.ts';
import { TooLate, within } from './deadline.ts';
import type { Host } from './host.ts';

/** Milliseconds that the daemon may take to write a view, and that a request waits for it. */
const patienceMs = 5000;
const waitMs = 80;
/** Milliseconds that a process's first request waits for the daemon to say what it knows of the session. */
const openMs = 300;
/** Bytes that are read of a file at once; Claude Code gives 4 MiB. */
const piece = 3 << 20;

/** Chain ids by which an inheritable view is looked for at most; the newest ones. */
const maxIds = 10_000;

/** A text to keep, and the chain ids on which it depends. */
interface Saving {
	sessionId: string;
	text: string;
	marks: readonly string[];
}

/** A text that the daemon is known to hold. */
interface Kept {
	text: string;
	checksum: string;
}

/** Views of the sessions of one daemon. */
export function viewStore(host: Host, request: Request): ViewStore {
	const kept = new Map<string, Kept>();
	let writes: Promise<unknown> = Promise.resolve();

	async function hold({ sessionId, text, marks }: Saving): Promise<void> {
		const before = kept.get(sessionId);
		kept.delete(sessionId);
		const { checksum } =
			(await heldBehind({ sessionId, text, marks }, before)) ?? (await holdWhole({ sessionId, text, marks }));
		if (checksum !== undefined) kept.set(sessionId, { text, checksum });
	}

	const holdWhole = ({ sessionId, text, marks }: Saving): Promise<HoldViewResult> =>
		request(
			'session/holdView',
			{ sessionId, view: text, marks },
			{ timeoutMs: patienceMs },
		) as Promise<HoldViewResult>;

	/** Tells only what differs from the text before; undefined where the daemon holds another. */
	async function heldBehind(
		{ sessionId, text, marks }: Saving,
		before: Kept | undefined,
	): Promise<HoldViewResult | undefined> {
		if (before === undefined) return undefined;
		const units = beginningInCommon(before.text, text);
		const behind = { checksum: before.checksum, units };
		const params = { sessionId, view: text.slice(units), behind, marks };
		try {
			return (await request('session/holdView', params, { timeoutMs: patienceMs })) as HoldViewResult;
		} catch (error) {
			if (error instanceof ChannelError) return undefined;
			throw error;
		}
	}

	return {
		async load(sessionId) {
			const { stateFolder } = await readStart(host);
			const opened = await request('session/open', { sessionId }, { timeoutMs: openMs }).catch(
				() => undefined,
			);
			const name = hexOf(await sha256(new TextEncoder().encode(sessionId))).slice(0, 32);
			const text = await textOf(host, `${stateFolder}/views/${name}.json`);
			const held = text === undefined ? undefined : await readHeldFile(text, sha256);
			if (held === undefined || held.sessionId !== sessionId || typeof held.view !== 'string')
				return undefined;
			kept.set(sessionId, { text: held.view, checksum: held.checksum });
			// Without a daemon nothing is newer than what it wrote last.
			const isCurrent = opened === undefined || isOfJournal(held.journal, (opened as OpenResult).journal);
			return isCurrent ? held.view : undefined;
		},
		async inherit(sessionId, workspace, ids) {
			// By its workspace the daemon chooses the sessions that may be inherited.
			await request('session/open', { sessionId, workspace }, { timeoutMs: patienceMs });
			const params = { sessionId, marks: ids.slice(-maxIds) };
			const { view } = (await request('session/inheritView', params, {
				timeoutMs: patienceMs,
			})) as InheritViewResult;
			return typeof view === 'string' ? view : undefined;
		},
		async save(sessionId, text, marks) {
			const saving = { sessionId, text, marks };
			writes = writes.then(
				() => hold(saving),
				() => hold(saving),
			);
			// A large view is written while the model answers.
			await within(host, 'keeping the view', waitMs, writes as Promise<void>).catch((error: unknown) => {
				if (!(error instanceof TooLate)) throw error;
			});
		},
	};
}

/** The text of a file; undefined where there is none. */
async function textOf(host: Host, path: string): Promise<string | undefined> {
	const size = await host.fs.size(path).catch(() => undefined);
	if (size === undefined) return undefined;
	const bytes = new Uint8Array(size);
	for (let offset = 0; offset < size; offset += piece)
		bytes.set(await host.fs.bytes(path, offset, piece), offset);
	return new TextDecoder().decode(bytes);
}

/** UTF-16 units that two texts have in common at their beginning; in few comparisons of long pieces. */
export function beginningInCommon(one: string, other: string): number {
	let known = 0;
	let end = Math.min(one.length, other.length);
	while (known < end) {
		const middle = Math.ceil((known + end) / 2);
		if (one.slice(known, middle) === other.slice(known, middle)) known = middle;
		else end = middle - 1;
	}
	return known;
}

/** SHA-256, which the platform has. */
export async function sha256(bytes: Uint8Array): Promise<Uint8Array> {
	return new Uint8Array(await crypto.subtle.digest('SHA-256', new Uint8Array(bytes)));
}
