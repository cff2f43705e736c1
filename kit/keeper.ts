/** What is kept of a conversation while it goes on, and from process to process. */

import { errorText } from '../server/core/failure.ts';
import { regained } from './regained.ts';
import type { ConversationOptions } from './shapes.ts';
import { nothingStored, readStored, type Stored, storedText } from './stored.ts';

/** Keeps a conversation. */
export interface Keeper<Native> {
	/** As it stands now. */
	stored: Stored<Native>;
	/**
	 * Reads what earlier processes kept, once. The first call with a list also restores the texts of results that the host
	 * has cleared from it.
	 */
	load(raw?: readonly Native[]): Promise<void>;
	/** Writes what has changed since. What goes wrong with the disk is told, and costs what is kept alone. */
	save(): Promise<void>;
}

/** A keeper that has read nothing yet. */
export function createKeeper<Native>(options: ConversationOptions<Native>): Keeper<Native> {
	const { sessionId, dialect, store, rules } = options;
	let saved = '';
	let writing: Promise<void> = Promise.resolve();
	let reading: Promise<void> | undefined;
	let isRestored = !rules.isClearedByHost;

	async function onDisk(what: string, work: () => Promise<void>): Promise<void> {
		try {
			await work();
		} catch (error) {
			options.onAside?.(`what is held of ${sessionId} cannot be ${what}: ${errorText(error)}`);
		}
	}

	const keeper: Keeper<Native> = {
		stored: nothingStored(),
		async load(raw) {
			reading ??= onDisk('read', async () => {
				saved = (await store.load(sessionId)) ?? '';
				keeper.stored = readStored(saved);
			});
			await reading;
			if (isRestored || raw === undefined) return;
			isRestored = true;
			await onDisk('read', async () => {
				const held = await regained(keeper.stored, raw, dialect, options);
				keeper.stored = { ...keeper.stored, held };
			});
		},
		save() {
			const { stored } = keeper;
			writing = writing.then(async () => {
				const text = storedText(stored);
				if (text === saved) return;
				await onDisk('kept', async () => {
					await store.save(sessionId, text);
					saved = text;
				});
			});
			return writing;
		},
	};
	return keeper;
}
