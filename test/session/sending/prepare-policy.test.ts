import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideCompaction } from '../../../server/core/cost/policy.ts';
import { evolve } from '../../../server/core/history/evolve.ts';
import type { JournalRecord } from '../../../server/core/history/record.ts';
import { createEmptyState } from '../../../server/core/history/state.ts';
import type { PolicyReason } from '../../../server/protocol/compaction.ts';
import type { CompactionPreference } from '../../../server/protocol/settingParts.ts';
import { appendMessages } from '../../../server/session/append.ts';
import { prepareHistory } from '../../../server/session/compaction/prepare.ts';
import type { Session } from '../../../server/session/session.ts';
import { readStats } from '../../../server/session/stats.ts';
import {
	historyOf,
	recordsOf,
	sessionWith,
	type TestWorld,
	testWorld,
	unwatched,
} from '../../support/world.ts';

const minuteMs = 60_000;
const prefixTokens = 18_000;

/** A session of an agent whose requests grow by results of a tool, over a clock that the test sets. */
class Talk {
	readonly test: TestWorld;
	now = 1_000_000_000;
	#session: Session | undefined;
	#requests = 0;
	#promptTokens = prefixTokens;

	constructor() {
		this.test = testWorld({ now: () => this.now });
	}

	async session(): Promise<Session> {
		this.#session ??= await sessionWith(this.test, [{ role: 'user', content: 'Read all.', tokens: 20 }], {
			contextWindow: 200_000,
		});
		return this.#session;
	}

	async #append(messages: object[]): Promise<void> {
		const session = await this.session();
		await appendMessages(session, messages, 'contextd', { client: session.client });
	}

	/** Lets the model read `count` documents of `tokens` tokens, one per request, a second apart. */
	async read(count: number, tokens: number): Promise<void> {
		for (let no = 0; no < count; no++) {
			const id = `call-${++this.#requests}`;
			this.now += 1000;
			const usage = { input: 0, output: 50, cacheRead: this.#promptTokens, cacheWrite: tokens };
			this.#promptTokens += tokens;
			const calls = [{ id, name: 'read', args: { path: `document-${this.#requests}.txt` } }];
			await this.#append([
				{ role: 'assistant', content: '', toolCalls: calls, usage, tokens: 50 },
				{ role: 'tool', toolCallId: id, content: `The document ${id} says little.`, tokens },
			]);
		}
	}

	/** Appends an answer with a call that has no result yet. */
	call(): Promise<void> {
		const usage = { input: 0, output: 50, cacheRead: this.#promptTokens, cacheWrite: 10 };
		const toolCalls = [{ id: 'open', name: 'read', args: { path: 'a.txt' } }];
		return this.#append([{ role: 'assistant', content: '', toolCalls, usage, tokens: 50 }]);
	}

	/** Lets time pass before the user writes again. */
	async pause(minutes: number): Promise<void> {
		this.now += minutes * minuteMs;
		await this.#append([{ role: 'user', content: 'Go on.', tokens: 10 }]);
	}

	async stats() {
		const session = await this.session();
		return readStats(session, session.client);
	}

	async prepare() {
		const session = await this.session();
		const prepared = await prepareHistory(session, { format: 'contextd' }, unwatched(session));
		this.#promptTokens = prepared.stats?.estimatedInputTokens ?? this.#promptTokens;
		return prepared;
	}
}

/** Returns a conversation that has read 80,000 tokens, with these settings. */
async function longTalk(change: Parameters<TestWorld['configure']>[0] = {}): Promise<Talk> {
	const talk = new Talk();
	talk.test.configure(change);
	await talk.session();
	await talk.read(16, 5000);
	return talk;
}

describe('prepare after a pause', () => {
	it('prepare compacts a long session whose cache has expired, at no extra cost', async () => {
		const talk = await longTalk();
		await talk.pause(6);
		const { compaction, stats } = await talk.prepare();
		expect(compaction).toMatchObject({ compacted: true, cache: { costTokens: 0, wasCold: true } });
		expect(stats?.lastCompaction?.decision).toMatchObject({ isDue: true, reason: 'cold', costTokens: 0 });
		expect(compaction?.tokensAfter).toBeLessThan(0.5 * Number(compaction?.tokensBefore));
	});

	it('prepare leaves a long session alone while its cache lasts', async () => {
		const talk = await longTalk();
		await talk.pause(4);
		expect(await talk.stats()).toMatchObject({ shouldCompact: false, decision: { reason: 'notReached' } });
		expect((await talk.prepare()).compaction).toBeNull();
	});

	it.each([
		['should keep all', { compaction: { policy: 'full' } }, false],
		['has a threshold', { compaction: { threshold: 0.8 } }, false],
		['has a profile', { compaction: { profile: 'aggressive' } }, false],
		[
			'should be compacted then whatever its threshold',
			{
				compaction: { threshold: 0.8 },
				agents: { toolResultTokens: 0, compactWhenCold: true, compactAtTurnEnd: false },
			},
			true,
		],
		['is not compacted automatically', { compaction: { enabled: false } }, false],
	] as const)('prepare after a pause obeys a session that %s', async (_what, settings, isCompacted) => {
		const talk = await longTalk(settings);
		await talk.pause(90);
		expect((await talk.prepare()).compaction !== null).toBe(isCompacted);
	});
});

describe('prepare by preference', () => {
	it.each([
		['full', 0.95],
		['balanced', 0.8],
	] as const)('prepare of the policy %s compacts at a share of %d', async (policy, share) => {
		const talk = await longTalk({ compaction: { policy } });
		expect((await talk.stats())?.thresholds.compact).toBe(share);
	});

	it('prepare of the policy cheap compacts at the size from which that is cheapest', async () => {
		const talk = await longTalk({ compaction: { policy: 'cheap' } });
		const stats = await talk.stats();
		expect(stats?.thresholds.compact).toBeLessThan(0.7);
		await talk.read(10, 1500);
		expect((await talk.prepare()).stats?.lastCompaction?.decision).toMatchObject({ reason: 'cost' });
	});

	it('prepare compacts a request that would cost more than the budget for one call', async () => {
		const talk = new Talk();
		talk.test.configure({ compaction: { maxCostPerCall: 0.024 } });
		await talk.read(60, 1400);
		// Claude Sonnet 4 costs 3 dollars per million tokens, a tenth of that from the cache.
		const { thresholds, availableInputTokens = 0 } = (await talk.stats()) ?? {};
		expect(Number(thresholds?.compact) * availableInputTokens).toBeCloseTo(80_000);
		expect((await talk.prepare()).stats?.lastCompaction?.decision).toMatchObject({ reason: 'budget' });
	});

	it('prepare waits for the result of a call even if the cache has expired', async () => {
		const talk = await longTalk();
		await talk.call();
		talk.now += 10 * minuteMs;
		expect(await talk.stats()).toMatchObject({ shouldCompact: false });
	});
});

describe('journalled decisions', () => {
	it('journalled decisions give the same state after a replay and follow again from their figures', async () => {
		const turns = fc.array(
			fc.record({
				count: fc.integer({ min: 1, max: 6 }),
				tokens: fc.integer({ min: 500, max: 16_000 }),
				minutes: fc.nat(12),
			}),
			{ minLength: 1, maxLength: 8 },
		);
		const policies = fc.constantFrom<CompactionPreference>('full', 'balanced', 'cheap');
		const decided = { step: 0, decision: 0 };
		await fc.assert(
			fc.asyncProperty(policies, turns, async (policy, all) => {
				const talk = new Talk();
				talk.test.configure({ compaction: { policy } });
				const session = await talk.session();
				for (const { count, tokens, minutes } of all) {
					await talk.read(count, tokens);
					await talk.pause(minutes);
					await talk.prepare();
				}
				const sent = JSON.stringify(await historyOf(session));
				const replayed = createEmptyState();
				let reason: PolicyReason | undefined = 'notReached';
				for (const record of await recordsOf(talk.test)) {
					const isStep = record.t === 'step';
					if (!isStep && record.t !== 'decision') continue;
					const { figures, decision } = (isStep ? record.step.receipt?.policy : record.policy) ?? {};
					expect(figures && JSON.stringify(decideCompaction(figures))).toBe(JSON.stringify(decision));
					expect(isStep || decision?.reason !== reason).toBe(true);
					reason = isStep ? 'notReached' : decision?.reason;
					decided[record.t]++;
				}
				await talk.test.world.journals.scan('s', ({ value, bodies }) =>
					evolve(replayed, value as JournalRecord, bodies),
				);
				expect(isDeepStrictEqual(replayed, session.state)).toBe(true);
				const store = await talk.test.restart();
				const again = await store.run('s', talk.test.client, historyOf);
				expect(JSON.stringify(again)).toBe(sent);
			}),
			{ numRuns: 15, examples: [['cheap', Array(8).fill({ count: 6, tokens: 1600, minutes: 0 })]] },
		);
		expect(Math.min(decided.step, decided.decision)).toBeGreaterThan(0);
	});
});
