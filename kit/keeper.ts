/** What is kept of a conversation while it goes on, and from process to process. */

import { errorText } from '../server/core/failure.ts';
import type { Dialect } from './dialects/dialect.ts';
import type { HostList } from './fedSession.ts';
import { messageId } from './fingerprint.ts';
import type { HeldResult, HeldView } from './heldView.ts';
import { deadlines } from './patience.ts';
import type { Ask } from './ports.ts';
import type { ConversationOptions } from './shapes.ts';
import { marksOf, nothingStored, readStored, type Stored, storedText } from './stored.ts';

/** Keeps a conversation. */
export interface Keeper<Native> {
	/** As it stands now. */
	stored: Stored<Native>;
	/**
	 * Reads what earlier processes kept, once. The first call with a list also restores the texts of results that the host
	 * has cleared from it; if nothing was kept, it takes over what was kept of the conversation that this one forked from.
	 */
	load(list?: HostList<Native>): Promise<void>;
	/** Writes what has changed since. What goes wrong with the disk is told, and costs what is kept alone. */
	save(): Promise<void>;
}

/** A keeper that has read nothing yet. */
export function createKeeper<Native>(options: ConversationOptions<Native>): Keeper<Native> {
	const { sessionId, dialect, store, rules } = options;
	let saved = '';
	let writing: Promise<void> = Promise.resolve();
	let reading: Promise<void> | undefined;
	let isBegun = false;

	async function onDisk(what: string, work: () => Promise<void>): Promise<void> {
		try {
			await work();
		} catch (error) {
			options.onAside?.(`what is held of ${sessionId} cannot be ${what}: ${errorText(error)}`);
		}
	}

	/** Of what a parent kept, a fork takes over all but that contextd is off: that holds for one session. */
	async function inherit({ raw, ids, around }: HostList<Native>): Promise<void> {
		// A fork begins with an answer in its list; any other conversation begins with a prompt alone, and asks nothing.
		if (keeper.stored.held.known.length > 0 || raw.length < 2) return;
		const text = await store.inherit?.(sessionId, around.workspace, ids);
		if (text === undefined) return;
		const { isOff: _, ...inherited } = readStored<Native>(text);
		keeper.stored = inherited;
	}

	async function restore(raw: readonly Native[]): Promise<void> {
		const held = await regained(keeper.stored, raw, dialect, options);
		keeper.stored = { ...keeper.stored, held };
	}

	const keeper: Keeper<Native> = {
		stored: nothingStored(),
		async load(list) {
			reading ??= onDisk('read', async () => {
				saved = (await store.load(sessionId)) ?? '';
				keeper.stored = readStored(saved);
			});
			await reading;
			if (isBegun || list === undefined) return;
			isBegun = true;
			await onDisk('inherited', () => inherit(list));
			if (rules.isClearedByHost) await onDisk('read', () => restore(list.raw));
		},
		save() {
			const { stored } = keeper;
			writing = writing.then(async () => {
				const text = storedText(stored);
				if (text === saved) return;
				await onDisk('kept', async () => {
					await store.save(sessionId, text, marksOf(stored));
					saved = text;
				});
			});
			return writing;
		},
	};
	return keeper;
}

/** Where the originals are asked for. */
interface Originals {
	sessionId: string;
	ask: Ask;
}

/**
 * Returns the view with the texts of results that were sent whole, which the stored view does not hold: from the host's
 * list if it still has them, else from the daemon.
 */
async function regained<Native>(
	{ held, feed }: Stored<Native>,
	raw: readonly Native[],
	dialect: Dialect<Native>,
	{ sessionId, ask }: Originals,
): Promise<HeldView<Native>> {
	const results: Record<string, HeldResult> = { ...held.results };
	for (const [index, message] of raw.entries()) {
		for (const { callId, text } of dialect.results(message)) {
			const known = results[callId];
			if (known === undefined || known.text !== undefined || text.length > known.units) continue;
			if (text.length === known.units) {
				results[callId] = { ...known, text };
				continue;
			}
			const part = dialect.neutral(message).findIndex(({ toolCallId }) => toolCallId === callId);
			const wanted = { sessionId, messageId: messageId(feed.told[index] ?? '', part), limit: known.units };
			const { content } = await ask('context/original', wanted, { timeoutMs: deadlines.replay });
			if (content.length === known.units) results[callId] = { ...known, text: content };
		}
	}
	return { ...held, results };
}
