/** Where held views are kept: the daemon alone writes them, and the mod reads the files. */

import { isOfJournal, readHeldFile } from '../../kit/heldFile.ts';
import { hexOf } from '../../kit/hmac.ts';
import type { ViewStore } from '../../kit/ports.ts';
import type { OpenResult } from '../../server/protocol/session.ts';
import type { Request } from './channel.ts';
import { readStart } from './daemon.ts';
import { TooLate, within } from './deadline.ts';
import { sha256 } from './digest.ts';
import type { Host } from './host.ts';

/** Milliseconds that the daemon may take to write a view, and that a request waits for it. */
const patienceMs = 5000;
const waitMs = 80;
/** Milliseconds that a process's first request waits for the daemon to say what it knows of the session. */
const openMs = 300;
/** Bytes that are read of a file at once; Claude Code gives 4 MiB. */
const piece = 3 << 20;

/** Views of the sessions of one daemon. */
export function viewStore(host: Host, request: Request): ViewStore {
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
			// Without a daemon nothing is newer than what it wrote last.
			const isCurrent = opened === undefined || isOfJournal(held.journal, (opened as OpenResult).journal);
			return isCurrent ? held.view : undefined;
		},
		async save(sessionId, view) {
			const saved = request('session/holdView', { sessionId, view }, { timeoutMs: patienceMs });
			// A large view is written while the model answers.
			await within(host, 'keeping the view', waitMs, saved).catch((error: unknown) => {
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
