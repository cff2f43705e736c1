/** Caches the calls of transcripts in the state folder, so that a second audit reads only what changed. */

import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ifExists } from '../../core/failure.ts';
import { isFields, tryParseJson } from '../../core/shape.ts';
import type { ModelCall } from '../../core/transcript/reading/calls.ts';
import type { Usage } from '../../protocol/conversation.ts';
import { openFileOnDisk, runStorageOperation, writeFileAtomically } from '../disk/durableFile.ts';
import type { CallFile } from './callFiles.ts';
import type { ReadSession } from './readCallFile.ts';

/** Changes with what is stored, and with how calls are read. */
const cacheVersion = 1;

/** A call as a list: shorter than an object by two thirds. Texts are places in the list of texts. */
type PackedCall = [
	id: string,
	at: number,
	texts: [provider: number, model: number, folder: number, subAgent: number],
	usage: [input: number, output: number, read: number, write: number, writeForHour: number],
	flags: number,
	usd?: number,
];

interface PackedSession {
	path: string;
	calls: PackedCall[];
}

interface CachedFile {
	size: number;
	updatedAt: number;
	sessions: PackedSession[];
}

/** The content of the cache's file. */
interface CacheContent {
	version: number;
	texts: string[];
	files: Record<string, CachedFile>;
}

const flagNames = ['isSummary', 'isAfterCompaction', 'isSum'] as const;
/** A figure that was not reported. */
const absent = -1;

/** A cache that cannot be read is like a missing one: everything is read again. */
export const unreadableCodes = ['ENOENT', 'ENOTDIR', 'EISDIR', 'EACCES', 'EPERM', 'EIO', 'ELOOP'];

/** Returns the calls of files as they were when last read. */
export class CallCache {
	readonly #path: string;
	readonly #texts: string[];
	readonly #places: Map<string, number>;
	readonly #files: Map<string, CachedFile>;
	#isChanged = false;

	private constructor(path: string, { texts, files }: Pick<CacheContent, 'texts' | 'files'>) {
		this.#path = path;
		this.#texts = texts;
		this.#places = new Map(texts.map((text, place) => [text, place]));
		this.#files = new Map(Object.entries(files));
	}

	/** Opens the cache of a state folder. A missing, unreadable, damaged or outdated one is empty. */
	static async open(stateFolder: string): Promise<CallCache> {
		const path = join(stateFolder, 'audit', 'calls.json');
		const text = await ifExists(readFile(path, 'utf8'), unreadableCodes);
		const content = tryParseJson(text ?? '')?.value;
		const isUsable =
			isFields(content) &&
			content.version === cacheVersion &&
			Array.isArray(content.texts) &&
			isFields(content.files);
		return new CallCache(path, isUsable ? (content as unknown as CacheContent) : { texts: [], files: {} });
	}

	/** The sessions of a file; undefined if it changed since it was read. */
	get({ path, size, updatedAt }: CallFile): ReadSession[] | undefined {
		const cached = this.#files.get(path);
		if (cached === undefined || cached.size !== size || cached.updatedAt !== updatedAt) return undefined;
		return cached.sessions.map(({ calls, ...about }) => ({
			...about,
			calls: calls.map((call) => this.#unpack(call)),
		}));
	}

	set({ path, size, updatedAt }: CallFile, sessions: readonly ReadSession[]): void {
		const packed = sessions.map(({ calls, ...about }) => ({
			...about,
			calls: calls.map((call) => this.#pack(call)),
		}));
		this.#files.set(path, { size, updatedAt, sessions: packed });
		this.#isChanged = true;
	}

	/** Forgets a file. */
	delete(path: string): void {
		if (this.#files.delete(path)) this.#isChanged = true;
	}

	/** The paths of all files in the cache. */
	get paths(): string[] {
		return [...this.#files.keys()];
	}

	/** Writes the cache if it changed. Fails with `StorageFailed`. */
	async save(): Promise<void> {
		if (!this.#isChanged) return;
		const folder = join(this.#path, '..');
		await runStorageOperation('prepare the folder', folder, () =>
			mkdir(folder, { recursive: true, mode: 0o700 }),
		);
		const content: CacheContent = {
			version: cacheVersion,
			texts: this.#texts,
			files: Object.fromEntries(this.#files),
		};
		await writeFileAtomically(openFileOnDisk, this.#path, Buffer.from(JSON.stringify(content)));
		this.#isChanged = false;
	}

	#placeOf(text: string | undefined): number {
		if (text === undefined) return absent;
		const known = this.#places.get(text);
		if (known !== undefined) return known;
		const place = this.#texts.push(text) - 1;
		this.#places.set(text, place);
		return place;
	}

	#pack({ id, at, provider, model, folder, subAgent, usage, usd, ...flags }: ModelCall): PackedCall {
		const { input, output, cacheRead = absent, cacheWrite = absent, cacheWriteForHour = absent } = usage;
		const bits = flagNames.reduce((sum, name, bit) => (flags[name] ? sum | (1 << bit) : sum), 0);
		const texts = [provider, model, folder, subAgent].map((text) => this.#placeOf(text));
		return [
			id,
			at,
			texts as PackedCall[2],
			[input, output, cacheRead, cacheWrite, cacheWriteForHour],
			bits,
			...(usd === undefined ? ([] as const) : ([usd] as const)),
		];
	}

	#unpack([id, at, [provider, model, folder, subAgent], figures, bits, usd]: PackedCall): ModelCall {
		const [input, output, cacheRead, cacheWrite, cacheWriteForHour] = figures;
		const usage: Usage = { input, output };
		if (cacheRead !== absent) usage.cacheRead = cacheRead;
		if (cacheWrite !== absent) usage.cacheWrite = cacheWrite;
		if (cacheWriteForHour !== absent) usage.cacheWriteForHour = cacheWriteForHour;
		const text = (place: number): string | undefined => this.#texts[place];
		const call: ModelCall = { id, at, provider: text(provider) ?? '', model: text(model) ?? '', usage };
		if (folder !== absent) call.folder = text(folder);
		if (subAgent !== absent) call.subAgent = text(subAgent);
		if (usd !== undefined) call.usd = usd;
		for (const [bit, name] of flagNames.entries()) if (bits & (1 << bit)) call[name] = true;
		return call;
	}
}
