import { expect, it } from 'vitest';
import { prepareHistory } from '../../../server/session/compaction/prepare.ts';
import { answer, logLines, system, toolSession, user } from '../../support/messages.ts';
import { historyOf, sessionWith, testWorld, unwatched } from '../../support/world.ts';

const format = 'contextd' as const;

async function preparing(messages: Parameters<typeof sessionWith>[1], contextWindow: number) {
	const world = testWorld();
	const session = await sessionWith(world, messages, { contextWindow });
	return { world, session, prepared: () => prepareHistory(session, { format }, unwatched(session)) };
}

it('prepare leaves a history that fits unchanged', async () => {
	const messages = toolSession(3);
	const { world, prepared } = await preparing(messages, 200_000);
	const { messages: out, compaction, warnings } = await prepared();
	expect(out).toEqual(messages);
	expect(compaction).toBeNull();
	expect(warnings).toEqual([]);
	expect(world.compacted).toEqual([]);
});

it('prepare compacts a history beyond the threshold once, to the low-water mark', async () => {
	const { prepared } = await preparing(toolSession(30), 30_000);
	const { compaction, stats } = await prepared();
	expect(compaction?.compacted).toBe(true);
	expect(stats?.usageRatio).toBeLessThanOrEqual(0.61);
	expect((await prepared()).compaction).toBeNull();
});

it('prepare cuts the middle out of a prompt that alone is too large, with a warning', async () => {
	const paste = logLines(1_500);
	const { session, prepared } = await preparing(
		[user('u0', 'Look.'), answer('a', 'Yes?'), user('un', paste)],
		30_000,
	);
	const { warnings, stats } = await prepared();
	expect(warnings).toContainEqual(expect.stringContaining('un'));
	expect(stats?.usageRatio).toBeLessThanOrEqual(0.81);
	expect(stats?.usageRatio).toBeGreaterThan(0.5);
	const newest = (await historyOf(session)).at(-1);
	expect(newest).toMatchObject({ id: 'un', metadata: { truncated: true } });
	expect(String(newest?.content).startsWith('line 0 of run 0')).toBe(true);
});

it('prepare rejects with the missing tokens if nothing makes the history fit', async () => {
	const { prepared } = await preparing([system('s0', logLines(900)), user('u0', 'Go.')], 8_000);
	await expect(prepared()).rejects.toMatchObject({
		kind: 'ContextBudgetExceeded',
		data: { available: 5_200, estimated: expect.any(Number), breakdown: expect.any(Object) },
	});
});

it('prepare only warns if auto-compaction is off and the history does not fit', async () => {
	const messages = toolSession(40);
	const { world, prepared } = await preparing(messages, 20_000);
	world.configure({ compaction: { enabled: false } });
	const { messages: out, compaction, warnings } = await prepared();
	expect(out).toEqual(messages);
	expect(compaction).toBeNull();
	expect(warnings).toEqual([expect.stringContaining('auto-compaction is off')]);
});
