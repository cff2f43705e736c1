import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ifExists } from '../../core/failure.ts';
import type { ConversationReplay, ConversationReplayCache } from '../../core/replay/alternatives.ts';
import { isFields, tryParseJson } from '../../core/shape.ts';
import { createPrivateFolder, openFileOnDisk, writeFileAtomically } from '../disk/durableFile.ts';
import { unreadableCodes } from './callCache.ts';

/** If there are more replays, only those of the newest audit are stored. */
const maxReplays = 20_000;

/** Caches in the state folder what sessions would have cost with other compactions. */
export class ReplayCache implements ConversationReplayCache {
	readonly #path: string;
	readonly #basis: string;
	readonly #storedReplays: Map<string, ConversationReplay>;
	readonly #usedReplays = new Map<string, ConversationReplay>();
	#isChanged = false;

	private constructor(path: string, basis: string, replays: Record<string, ConversationReplay>) {
		this.#path = path;
		this.#basis = basis;
		this.#storedReplays = new Map(Object.entries(replays));
	}

	/**
	 * Opens the cache of a state folder. If its file is missing, unreadable, damaged or has another basis, the cache is empty.
	 *
	 * @param basis everything except the conversation that determines a replay: version and settings
	 */
	static async open(stateFolder: string, basis: string): Promise<ReplayCache> {
		const path = join(stateFolder, 'audit', 'replays.json');
		const text = await ifExists(readFile(path, 'utf8'), unreadableCodes);
		const content = tryParseJson(text ?? '')?.value;
		const digest = createHash('sha256').update(basis).digest('base64url');
		const isUsable = isFields(content) && content.basis === digest && isFields(content.conversations);
		return new ReplayCache(
			path,
			digest,
			isUsable ? (content.conversations as Record<string, ConversationReplay>) : {},
		);
	}

	get(key: string): ConversationReplay | undefined {
		return this.#storedReplays.get(key);
	}

	set(key: string, replay: ConversationReplay): void {
		this.#isChanged ||= !this.#storedReplays.has(key);
		this.#usedReplays.set(key, replay);
	}

	/** Writes the cache if it has changed. Fails with `StorageFailed`. */
	async save(): Promise<void> {
		if (!this.#isChanged) return;
		await createPrivateFolder(dirname(this.#path));
		const isFull = this.#storedReplays.size + this.#usedReplays.size > maxReplays;
		const conversations = Object.fromEntries([...(isFull ? [] : this.#storedReplays), ...this.#usedReplays]);
		const content = JSON.stringify({ basis: this.#basis, conversations });
		await writeFileAtomically(openFileOnDisk, this.#path, Buffer.from(content));
		this.#isChanged = false;
	}
}
