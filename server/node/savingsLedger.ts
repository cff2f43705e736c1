/** Stores how much all sessions have saved, in one file of the state folder. */

import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorText, ifExists } from '../core/failure.ts';
import { isFields, pickDefined, tryParseJson } from '../core/shape.ts';
import { createTaskQueues } from '../core/taskQueues.ts';
import type { SavingsTotal, SessionCost } from '../protocol/stats.ts';
import type { Logger, SavingsRecords } from '../session/ports.ts';
import { accessDisk, type OpenFile, openFileOnDisk, writeFileAtomically } from './disk/durableFile.ts';

/** Milliseconds from a change of a session until its savings are written. */
const writeDelayMs = 5000;

interface LedgerOptions {
	stateFolder: string;
	/** Returns what an open session saved; undefined if it saved nothing, or if this process may not write the session. */
	computeSavings(sessionId: string): SessionCost | undefined;
	/** Returns the current time, in milliseconds since the epoch. */
	now(): number;
	log: Logger;
	openFile?: OpenFile;
}

/** The content of the file. The total includes sessions that were deleted. */
interface Ledger extends SavingsTotal {
	sessions: Map<string, SessionCost>;
}

function isCost(value: unknown): value is SessionCost {
	if (!isFields(value) || !Number.isFinite(value.tokens)) return false;
	return value.usd === undefined || Number.isFinite(value.usd);
}

function parseLedger(text: string): Ledger | undefined {
	const value = tryParseJson(text)?.value;
	if (!isFields(value) || !isFields(value.total) || !isFields(value.sessions)) return undefined;
	const { total, sessions, since } = value;
	if (!isCost(total) || typeof since !== 'number' || !Number.isFinite(since)) return undefined;
	const valid = Object.entries(sessions).filter((entry): entry is [string, SessionCost] => isCost(entry[1]));
	return { since, tokens: total.tokens, ...pickDefined({ usd: total.usd }), sessions: new Map(valid) };
}

/** Replaces a session's old savings in the total with its new savings. */
function replaceSavings(
	total: SessionCost,
	oldSavings: SessionCost | undefined,
	newSavings: SessionCost | undefined,
): SessionCost {
	const usd =
		total.usd === undefined && newSavings?.usd === undefined
			? undefined
			: (total.usd ?? 0) + (newSavings?.usd ?? 0) - (oldSavings?.usd ?? 0);
	return {
		tokens: total.tokens + (newSavings?.tokens ?? 0) - (oldSavings?.tokens ?? 0),
		...pickDefined({ usd }),
	};
}

/** Reads and writes the file `savings.json` (0600). If that fails, the log says so once, and nothing else fails. */
export class SavingsLedger implements SavingsRecords {
	readonly #options: LedgerOptions;
	readonly #path: string;
	readonly #runInTurn = createTaskQueues();
	readonly #changedSessions = new Set<string>();
	#timer: NodeJS.Timeout | undefined;
	#ledger: Promise<Ledger | undefined> | undefined;
	#isUnreadable = false;
	#hasFailed = false;

	constructor(options: LedgerOptions) {
		this.#options = options;
		this.#path = join(options.stateFolder, 'savings.json');
	}

	/** Schedules writing the savings of a session within a few seconds. */
	markChanged(sessionId: string): void {
		this.#changedSessions.add(sessionId);
		this.#timer ??= setTimeout(() => void this.flush(), writeDelayMs).unref();
	}

	async readTotal(sessionId: string, newSavings: SessionCost | undefined): Promise<SavingsTotal | undefined> {
		const ledger = await this.#read();
		if (ledger === undefined) return undefined;
		const { since, sessions } = ledger;
		const oldSavings = sessions.get(sessionId);
		return { since, ...replaceSavings(ledger, oldSavings, newSavings ?? oldSavings) };
	}

	async forget(sessionId: string): Promise<void> {
		this.#changedSessions.delete(sessionId);
		await this.#runInTurn('', async () => {
			const ledger = await this.#read();
			if (ledger?.sessions.delete(sessionId)) await this.#write(ledger);
		});
	}

	/** Writes the savings of all changed sessions. Call this before sessions are closed. */
	async flush(): Promise<void> {
		clearTimeout(this.#timer);
		this.#timer = undefined;
		const changes = Array.from(
			this.#changedSessions,
			(id) => [id, this.#options.computeSavings(id)] as const,
		);
		this.#changedSessions.clear();
		if (changes.every(([, newSavings]) => newSavings === undefined)) return;
		await this.#runInTurn('', async () => {
			const before = await this.#read();
			// Writing would replace totals that are perhaps only temporarily unreadable.
			if (this.#isUnreadable) return;
			const ledger = before ?? { since: this.#options.now(), tokens: 0, sessions: new Map() };
			let isChanged = false;
			for (const [id, newSavings] of changes) {
				const oldSavings = ledger.sessions.get(id);
				if (
					newSavings === undefined ||
					(oldSavings?.tokens === newSavings.tokens && oldSavings.usd === newSavings.usd)
				)
					continue;
				Object.assign(ledger, replaceSavings(ledger, oldSavings, newSavings));
				ledger.sessions.set(id, newSavings);
				isChanged = true;
			}
			this.#ledger = Promise.resolve(ledger);
			if (isChanged) await this.#write(ledger);
		});
	}

	#read(): Promise<Ledger | undefined> {
		this.#ledger ??= this.#attempt(async () => {
			this.#isUnreadable = true;
			const text = await accessDisk('read', this.#path, () => ifExists(readFile(this.#path, 'utf8')));
			this.#isUnreadable = false;
			if (text === undefined) return undefined;
			const ledger = parseLedger(text);
			if (ledger === undefined)
				this.#warn(`${this.#path} is damaged; the total of savings starts again at 0`);
			return ledger;
		});
		return this.#ledger;
	}

	async #write({ since, tokens, usd, sessions }: Ledger): Promise<void> {
		const value = { since, total: { tokens, usd }, sessions: Object.fromEntries(sessions) };
		await this.#attempt(async () => {
			await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
			const { openFile = openFileOnDisk } = this.#options;
			await writeFileAtomically(openFile, this.#path, Buffer.from(`${JSON.stringify(value)}\n`));
		});
	}

	async #attempt<T>(task: () => Promise<T>): Promise<T | undefined> {
		try {
			return await task();
		} catch (error) {
			this.#warn(`savings are not stored: ${errorText(error)}`);
			return undefined;
		}
	}

	#warn(text: string): void {
		if (!this.#hasFailed) this.#options.log.warn(text);
		this.#hasFailed = true;
	}
}
