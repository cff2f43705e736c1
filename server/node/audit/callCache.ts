/** Caches the calls of transcripts in the state folder, so that a second audit reads only files that changed. */

import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ifExists } from '../../core/failure.ts';
import { getOrInsert } from '../../core/getOrInsert.ts';
import { isFields, tryParseJson } from '../../core/shape.ts';
import type { ModelCall } from '../../core/transcript/index.ts';
import type { Usage } from '../../protocol/conversation.ts';
import { createPrivateFolder, openFileOnDisk, writeFileAtomically } from '../disk/durableFile.ts';
import type { CallFile } from './callFiles.ts';
import type { AuditedSession } from './readCallFile.ts';

/** Increase this if the stored form of calls changes, or the way in which calls are read. */
const cacheVersion = 2;

/** The calls of a session, with their numbers in a single list, because many small lists take long to parse. */
interface PackedSession {
	path: string;
	ids: string[];
	/** The numbers that `#pack` returns for each call, one call after the other. A text is replaced by its index in `texts`. */
	figures: number[];
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

const callFlags = { isSummary: 1, isCompacted: 2, isSum: 4 };
/** Stored in place of a number that the agent did not report. */
const notReported = -1;

/** System errors after which a cache is treated as missing, so that all files are read again. */
export const unreadableCodes = ['ENOENT', 'ENOTDIR', 'EISDIR', 'EACCES', 'EPERM', 'EIO', 'ELOOP'];

/** Stores the calls of files as they were when last read. */
export class CallCache {
	readonly #path: string;
	readonly #texts: string[];
	readonly #textIndexes: Map<string, number>;
	readonly #files: Map<string, CachedFile>;
	#isChanged = false;

	private constructor(path: string, { texts, files }: Pick<CacheContent, 'texts' | 'files'>) {
		this.#path = path;
		this.#texts = texts;
		this.#textIndexes = new Map(texts.map((text, index) => [text, index]));
		this.#files = new Map(Object.entries(files));
	}

	/** Opens the cache of a state folder. If its file is missing, unreadable, damaged or outdated, the cache is empty. */
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

	/** Returns the sessions of a file; undefined if the file has changed since it was read. */
	get({ path, size, updatedAt }: CallFile): AuditedSession[] | undefined {
		const cached = this.#files.get(path);
		if (cached === undefined || cached.size !== size || cached.updatedAt !== updatedAt) return undefined;
		return cached.sessions.map((session) => ({ path: session.path, calls: this.#unpack(session) }));
	}

	set({ path, size, updatedAt }: CallFile, sessions: readonly AuditedSession[]): void {
		const packed = sessions.map((session) => ({
			path: session.path,
			ids: session.calls.map(({ id }) => id),
			figures: session.calls.flatMap((call) => this.#pack(call)),
		}));
		this.#files.set(path, { size, updatedAt, sessions: packed });
		this.#isChanged = true;
	}

	delete(path: string): void {
		if (this.#files.delete(path)) this.#isChanged = true;
	}

	/** The paths of all files in the cache. */
	get paths(): string[] {
		return [...this.#files.keys()];
	}

	/** Writes the cache if it has changed. Fails with `StorageFailed`. */
	async save(): Promise<void> {
		if (!this.#isChanged) return;
		await createPrivateFolder(dirname(this.#path));
		const content: CacheContent = {
			version: cacheVersion,
			texts: this.#texts,
			files: Object.fromEntries(this.#files),
		};
		await writeFileAtomically(openFileOnDisk, this.#path, Buffer.from(JSON.stringify(content)));
		this.#isChanged = false;
	}

	#indexOf(text: string | undefined): number {
		if (text === undefined) return notReported;
		return getOrInsert(this.#textIndexes, text, () => this.#texts.push(text) - 1);
	}

	#pack({ at, provider, model, folder, subAgent, usage, usd = notReported, ...call }: ModelCall): number[] {
		const {
			input,
			output,
			cacheRead = notReported,
			cacheWrite = notReported,
			cacheWriteForHour = notReported,
		} = usage;
		const flags =
			(call.isSummary ? callFlags.isSummary : 0) |
			(call.isCompacted ? callFlags.isCompacted : 0) |
			(call.isSum ? callFlags.isSum : 0);
		const texts = [provider, model, folder, subAgent].map((text) => this.#indexOf(text));
		return [at, ...texts, input, output, cacheRead, cacheWrite, cacheWriteForHour, usd, flags];
	}

	#unpack({ ids, figures }: PackedSession): ModelCall[] {
		let position = 0;
		const next = (): number => figures[position++] ?? notReported;
		const figure = (): number | undefined => {
			const value = next();
			return value === notReported ? undefined : value;
		};
		const text = (): string | undefined => this.#texts[next()];
		return ids.map((id) => {
			const [at, provider = '', model = '', folder, subAgent] = [next(), text(), text(), text(), text()];
			const usage: Usage = {
				input: next(),
				output: next(),
				cacheRead: figure(),
				cacheWrite: figure(),
				cacheWriteForHour: figure(),
			};
			const [usd, bits] = [figure(), next()];
			return {
				id,
				at,
				provider,
				model,
				folder,
				usage,
				usd,
				subAgent,
				isSummary: bits & callFlags.isSummary ? true : undefined,
				isCompacted: bits & callFlags.isCompacted ? true : undefined,
				isSum: bits & callFlags.isSum ? true : undefined,
			};
		});
	}
}
