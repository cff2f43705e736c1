/** Several daemons, each with a client, that work on one session at random while some of them are killed. */

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type Daemon, startDaemon } from './daemon.ts';
import { type Append, holderIn, textsOf, verdict } from './verdict.ts';
import type { AskedWrite } from './writesOfRecords.ts';

/** Whole numbers below a bound, always the same for a seed (mulberry32). */
export function randomNumbers(seed: number): (below: number) => number {
	let state = seed >>> 0;
	return (below) => {
		state = (state + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
	};
}

/** How many of what there was. */
export interface Tally {
	requests: number;
	kills: number;
	/** Kills of a daemon that other daemons, or its own client, waited for with a write. */
	killsInFlight: number;
	/** Kills right after the journal had grown, before the answer was read. */
	killsAfterGrowth: number;
	/** Writes that were refused since a holder had no time for 5 s. */
	silences: number;
}

interface Answer {
	result?: unknown;
	error?: { code: number; message: string; data?: { kind?: string } };
}

/** Whether a holder that lives was not heard for so long that nobody waits: the write is not done then. */
function isSilence(answer: Answer | undefined): boolean {
	return answer?.error?.message.includes('has not answered for 5 s') ?? false;
}

/** Failures that any order of such requests may bring. */
const expected = ['CompactionNotFound', 'CheckpointNotFound', 'MessageNotFound'];

export interface RoundOptions {
	home: string;
	sessionId: string;
	daemons: number;
	requests: number;
	kills: number;
	/** Nothing is written while a compaction is under way; otherwise it is planned while others write. */
	isCalm: boolean;
	random(below: number): number;
	tally: Tally;
}

/** What a round found to be wrong, in words; none where all is as one daemon alone would have left it. */
export async function playRound(options: RoundOptions): Promise<string[]> {
	const { home, sessionId, random, tally } = options;
	const wrong: string[] = [];
	const appends: Append[] = [];
	const checkpoints: string[] = [];
	const compacted = new Set<string>();
	const undone = new Set<string>();
	const asked: AskedWrite[] = [];
	const writing = new Set<AskedWrite>();
	const turns = options.isCalm ? calmTurns(writing) : busyTurns;
	let clock = 0;
	let toDo = options.requests;
	let killed = 0;
	let isStarting = false;
	const each = Math.max(1, Math.floor(options.requests / (options.kills + 1)));
	let text = 0;

	const start = (at = home): Promise<Daemon> =>
		startDaemon({ home: at, initialize: { initializationOptions: { estimator: 'heuristic' } } });
	const daemons = await Promise.all(Array.from({ length: options.daemons }, () => start()));

	async function ask(daemon: Daemon, method: string, params: object): Promise<Answer | undefined> {
		const killed = daemon.exited.then(() => undefined);
		return Promise.race([daemon.start(method, { sessionId, ...params }).reply, killed]) as Promise<
			Answer | undefined
		>;
	}

	async function write(
		daemon: Daemon,
		method: string,
		params: Record<string, unknown>,
		own: Pick<Append, 'sent'> = { sent: 0 },
	): Promise<Answer | undefined> {
		await turns.wait(method);
		own.sent = clock;
		const write: AskedWrite = { method, params, sent: clock++ };
		asked.push(write);
		writing.add(write);
		try {
			const answer = await ask(daemon, method, params);
			if (answer) Object.assign(write, { answered: clock++, result: answer.result });
			return checked(method, answer);
		} finally {
			writing.delete(write);
			await turns.end(method, write);
		}
	}

	function checked(method: string, answer: Answer | undefined): Answer | undefined {
		const kind = answer?.error?.data?.kind ?? '';
		if (isSilence(answer)) tally.silences++;
		else if (answer?.error && !expected.includes(kind)) {
			wrong.push(`${method} was answered by ${answer.error.code} ${answer.error.message}`);
		}
		return answer?.error ? {} : answer;
	}

	async function append(client: number, daemon: Daemon): Promise<void> {
		const texts = Array.from({ length: 1 + random(3) }, () => `${sessionId}/${text++}`);
		const own: Append = { client, texts, sent: 0, outcome: 'waiting' };
		appends.push(own);
		const messages = texts.map((content, index) => ({
			role: index % 2 === 0 ? 'user' : 'assistant',
			content: `${content} ${'word '.repeat(random(60))}`,
			...((index === 0 || random(2) === 0) && { id: content }),
		}));
		const answer = await write(daemon, 'session/append', { messages }, own);
		const isRefused = tally.silences > 0 && answer !== undefined && !answer.result;
		own.outcome = answer?.result ? 'done' : isRefused ? 'refused' : 'unknown';
		if (answer && !answer.result && !isRefused) wrong.push(`the append of ${texts[0]} was refused`);
	}

	async function history(daemon: Daemon): Promise<void> {
		const before = appends.filter(({ outcome }) => outcome === 'done').flatMap(({ texts }) => texts);
		const answer = checked('context/history', await ask(daemon, 'context/history', { includeHidden: true }));
		if (!answer?.result) return;
		const seen = new Set(textsOf(answer.result));
		const missing = before.filter((one) => !seen.has(one));
		if (missing.length > 0)
			wrong.push(`a read does not show ${missing.length} that were answered, as ${missing[0]}`);
	}

	async function compact(daemon: Daemon): Promise<void> {
		const params = { targetTokens: 50 + random(2000), includeMessages: false };
		const answer = await write(daemon, 'context/compact', params);
		const { compactionId } = (answer?.result ?? {}) as { compactionId?: string };
		if (compactionId === undefined) return;
		if (compacted.has(compactionId)) wrong.push(`two compactions are ${compactionId}`);
		compacted.add(compactionId);
	}

	async function undo(daemon: Daemon): Promise<void> {
		const answer = await write(daemon, 'context/undo', {});
		for (const id of ((answer?.result ?? {}) as { undone?: string[] }).undone ?? []) {
			if (undone.has(id)) wrong.push(`${id} was undone twice`);
			undone.add(id);
		}
	}

	async function step(client: number): Promise<void> {
		const daemon = daemons[client];
		if (!daemon) return;
		const known = appends.filter(({ outcome }) => outcome === 'done');
		const some = known[random(Math.max(1, known.length))]?.texts[0];
		const roll = random(100);
		if (roll < 55 || some === undefined) return append(client, daemon);
		if (roll < 61) return compact(daemon);
		if (roll < 68) return undo(daemon);
		if (roll < 74)
			return void (await write(daemon, 'context/pin', {
				...(random(3) > 0 ? { uris: [`file:///${random(9)}`] } : { messageIds: [some] }),
				pinned: random(2) === 0,
			}));
		if (roll < 78) return void (await write(daemon, 'session/rewind', { messageId: some }));
		if (roll < 82) {
			const answer = await write(daemon, 'context/checkpoint', {});
			const { checkpointId } = (answer?.result ?? {}) as { checkpointId?: string };
			if (checkpointId === undefined) return;
			if (checkpoints.includes(checkpointId)) wrong.push(`two checkpoints are ${checkpointId}`);
			checkpoints.push(checkpointId);
			return;
		}
		if (roll < 85) {
			const checkpointId = checkpoints.at(-1 - random(3));
			if (checkpointId !== undefined) await write(daemon, 'context/rollback', { checkpointId });
			return;
		}
		if (roll < 93) return history(daemon);
		checked('context/stats', await ask(daemon, 'context/stats', {}));
	}

	/** Each client sends up to five requests without waiting for their answers. */
	async function live(client: number): Promise<void> {
		const under = new Set<Promise<void>>();
		while (toDo > 0) {
			// The kills are to come among the requests, not behind them.
			const most = (killed + (isStarting ? 0.5 : 1)) * each;
			if (killed < options.kills && options.requests - toDo >= most) {
				await pause(1);
				continue;
			}
			toDo--;
			tally.requests++;
			const one: Promise<void> = step(client).finally(() => under.delete(one));
			under.add(one);
			if (under.size > 1 + random(4)) await Promise.race(under);
		}
		await Promise.all(under);
	}

	async function killNow(index: number): Promise<void> {
		const daemon = daemons[index];
		if (!daemon) return;
		tally.kills++;
		if (writing.size > 0) tally.killsInFlight++;
		const next = start();
		daemon.process.kill('SIGKILL');
		await daemon.exited;
		killed++;
		isStarting = true;
		daemons[index] = await next;
		isStarting = false;
	}

	async function writeUnderWay(): Promise<void> {
		const end = performance.now() + 100;
		while (writing.size === 0 && performance.now() < end)
			await new Promise((resolve) => setImmediate(resolve));
	}

	async function killSome(): Promise<void> {
		while (killed < options.kills) {
			const due = Math.floor(each * (killed + 0.5));
			while (options.requests - toDo < due && toDo > 0) await pause(1);
			const holder = holderIn(home, sessionId);
			const index = daemons.findIndex(({ process }) => process.pid === holder);
			// Mostly the holder, often in the moment in which it has written and not answered yet.
			if (index >= 0 && random(4) > 0) {
				await writeUnderWay();
				if (random(2) === 0 && (await growth(home, sessionId))) tally.killsAfterGrowth++;
				await killNow(index);
			} else await killNow(random(daemons.length));
		}
	}

	await daemons[0]?.start('session/open', { sessionId }).reply;
	await Promise.all([killSome(), ...daemons.map((_, client) => live(client))]);
	wrong.push(...(await verdict({ daemons, sessionId, home, appends, asked, start, isCalm: options.isCalm })));
	return wrong;
}

function pause(ms: number): Promise<void> {
	return new Promise((resolve) => setTimeout(resolve, ms));
}

/** When a write may begin, and what is to be done once it has ended. */
interface Turns {
	wait(method: string): Promise<void>;
	end(method: string, write: AskedWrite): Promise<void>;
}

const busyTurns: Turns = { wait: () => Promise.resolve(), end: () => Promise.resolve() };

/** Compactions have the session for themselves. */
function calmTurns(writing: ReadonlySet<object>): Turns {
	let isTaken = false;
	return {
		async wait(method) {
			while (isTaken) await pause(1);
			if (method !== 'context/compact') return;
			isTaken = true;
			while (writing.size > 0) await pause(1);
		},
		async end(method, { answered }) {
			if (method !== 'context/compact') return;
			// A holder may not have seen yet that whoever asked it is gone.
			if (answered === undefined) await pause(200);
			isTaken = false;
		},
	};
}

/** Resolves in the moment in which a journal grows; gives whether it did within 50 ms. */
async function growth(home: string, sessionId: string): Promise<boolean> {
	const path = join(home, 'sessions', `${sessionId}.jsonl`);
	const { size } = statSync(path);
	const end = performance.now() + 50;
	while (performance.now() < end) {
		if (statSync(path).size !== size) return true;
		await new Promise((resolve) => setImmediate(resolve));
	}
	return false;
}
