/** Messages are analyzed ahead of time while no call waits: this makes compactions faster, and changes no result. */

import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { createSessionAnalysisCache, evictOldAnalyses } from '../../../server/session/analysisCache.ts';
import { appendMessages } from '../../../server/session/append.ts';
import {
	createBackgroundReader,
	type IdleMonitor,
	isCompactionNear,
	readAhead,
} from '../../../server/session/compaction/readAhead.ts';
import type { Session } from '../../../server/session/session.ts';
import { rewindSession, undoStep } from '../../../server/session/steps.ts';
import { sessionOfWork } from '../../bench/sessionOfWork.ts';
import { eventually } from '../../support/eventually.ts';
import { silentLogger } from '../../support/logger.ts';
import { soakFactor } from '../../support/soak.ts';
import { compactNow, historyOf, sessionWith, testWorld } from '../../support/world.ts';

const messages = sessionOfWork(240);
const always: IdleMonitor = { waitUntilIdle: async () => {}, isOpen: () => true };

/** Compacts to a share of the history, then undoes it; returns the result and history, without new ids. */
async function outcomeOf(session: Session, share: number): Promise<string> {
	const tokens = session.state.view.reduce((sum, { row }) => sum + row.counts.text + row.counts.calls, 0);
	const result = await compactNow(session, { targetTokens: Math.floor(tokens * share) });
	const told = JSON.stringify([result, await historyOf(session)]);
	if (result.compactionId !== undefined) await undoStep(session, session.client);
	return told.replaceAll(/\bid-\d+/g, 'id');
}

/** Allows this number of slices of reading. */
function upTo(slices: number): IdleMonitor {
	let left = slices;
	return { waitUntilIdle: async () => {}, isOpen: () => left-- > 0 };
}

function readSoFar({ analysisCache }: Session): number {
	return analysisCache.analyses?.sources.size ?? 0;
}

it('a compaction gives the same result whether all, some or no messages were read ahead', async () => {
	const visit = fc.record({
		more: fc.integer({ min: 1, max: 80 }),
		slices: fc.constantFrom(0, 3, 8, 1000),
		share: fc.constantFrom(0.1, 0.25, 0.5, 0.8),
	});
	await fc.assert(
		fc.asyncProperty(fc.array(visit, { minLength: 1, maxLength: 4 }), async (visits) => {
			const read = await sessionWith(testWorld(), []);
			let length = 0;
			for (const { more, slices, share } of visits) {
				await appendMessages(read, messages.slice(length, length + more), 'contextd', {
					client: read.client,
				});
				length = Math.min(messages.length, length + more);
				await readAhead(read, upTo(slices));
				const fresh = await sessionWith(testWorld(), messages.slice(0, length));
				expect(await outcomeOf(read, share)).toBe(await outcomeOf(fresh, share));
				expect(readSoFar(read)).toBeLessThanOrEqual(length);
			}
		}),
		{ numRuns: 5 * soakFactor },
	);
});

it('reading ahead reads each message once, and a compaction reads none of them again', async () => {
	const bodies: number[] = [];
	const world = testWorld();
	const session = await sessionWith(world, messages);
	const { read } = session.reader;
	session.reader.read = (refs) => {
		bodies.push(...refs.map(({ offset }) => offset));
		return read.call(session.reader, refs);
	};
	await readAhead(session, always);
	await readAhead(session, always);
	expect(readSoFar(session)).toBe(messages.length);
	expect(bodies).toHaveLength(new Set(bodies).size);
	const before = session.analysisCache.analyses;
	await compactNow(session, { targetTokens: 4000 });
	expect(session.analysisCache.analyses).toBe(before);
	expect(readSoFar(session)).toBe(messages.length);
});

it('reading ahead includes messages behind a summary, but not those that a rewind removed', async () => {
	const session = await sessionWith(testWorld(), messages.slice(0, 100));
	await compactNow(session, { targetTokens: 3000 });
	session.analysisCache.analyses = undefined;
	await rewindSession(session, session.state.rows[90]?.id ?? '');
	await readAhead(session, always);
	expect(readSoFar(session)).toBeGreaterThanOrEqual(90);
	expect(readSoFar(session)).toBeLessThan(100);
});

it('an open session is read ahead only after it was unchanged and its callers were answered for a while', async () => {
	const world = testWorld({ wait: (ms) => new Promise((done) => setTimeout(done, ms)) });
	const session = await sessionWith(world, messages, { contextWindow: 32_000 });
	let idleFor = 0;
	const reader = createBackgroundReader(world.store, () => idleFor);
	reader.schedule('s');
	await new Promise((done) => setTimeout(done, 300));
	expect(readSoFar(session)).toBe(0);
	idleFor = 1000;
	await eventually(() => expect(readSoFar(session)).toBe(messages.length));
	reader.stop();
});

it('a session that is closed while it is read ahead is released without a warning', async () => {
	const warned = vi.fn();
	const world = testWorld({ log: { ...silentLogger, warn: warned } });
	const session = await sessionWith(world, messages, { contextWindow: 32_000 });
	const reader = createBackgroundReader(world.store, () => 1000);
	reader.schedule('s');
	await eventually(() => expect(readSoFar(session)).toBeGreaterThan(0));
	await world.store.close('s', world.client);
	await new Promise((done) => setTimeout(done, 50));
	expect(readSoFar(session)).toBe(0);
	expect(warned).not.toHaveBeenCalled();
	reader.stop();
});

it('reading ahead stops when a compaction begins to use the cache, and resumes later', async () => {
	const session = await sessionWith(testWorld(), messages);
	let slices = 0;
	await readAhead(session, {
		async waitUntilIdle() {
			if (++slices === 6) session.analysisCache.isInUse = true;
		},
		isOpen: () => true,
	});
	const read = readSoFar(session);
	expect(read).toBeGreaterThan(0);
	expect(read).toBeLessThan(messages.length);
	session.analysisCache.isInUse = false;
	await readAhead(session, always);
	expect(readSoFar(session)).toBe(messages.length);
});

it('a session is not read ahead while its window is far from full', async () => {
	const small = await sessionWith(testWorld(), messages, { contextWindow: 1_000_000 });
	expect(await isCompactionNear(small)).toBe(false);
	const full = await sessionWith(testWorld(), messages, { contextWindow: 32_000 });
	expect(await isCompactionNear(full)).toBe(true);
});

it('the least recently used analyses are evicted if all sessions keep too much', () => {
	const beside = new Set<ReturnType<typeof createSessionAnalysisCache>>();
	const keepers = [1, 2, 3].map(() => createSessionAnalysisCache(beside));
	for (const keeper of keepers) {
		keeper.analyses = { textLength: 40 } as NonNullable<typeof keeper.analyses>;
		evictOldAnalyses(keeper, 100);
	}
	expect(keepers.map(({ analyses: reading }) => reading?.textLength)).toEqual([undefined, 40, 40]);
});
