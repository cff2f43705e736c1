import { expect, it } from 'vitest';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import { prepareHistory } from '../../../server/session/compaction/prepare.ts';
import { undoStep } from '../../../server/session/steps.ts';
import { logLines, system, toolSession, user } from '../../support/messages.ts';
import { historyOf, sessionWith, testWorld, unwatched } from '../../support/world.ts';

async function preparing(messages: readonly ChatMessage[], contextWindow: number) {
	const world = testWorld();
	const session = await sessionWith(world, messages, { contextWindow });
	return {
		world,
		session,
		prepared: () => prepareHistory(session, { format: 'contextd' }, unwatched(session)),
	};
}

const paste = user('un', logLines(1_500));

it('prepare reports two compactions of one request as one', async () => {
	const { world, session, prepared } = await preparing([...toolSession(30).slice(0, -1), paste], 30_000);
	const before = await historyOf(session);
	const { compaction } = await prepared();
	const [first, second] = world.compacted;
	expect(world.compacted).toHaveLength(2);
	expect(first?.stagesUsed).not.toEqual(second?.stagesUsed);
	expect(compaction).toMatchObject({
		compactionIds: [first?.compactionId, second?.compactionId],
		compactionId: second?.compactionId,
		tokensBefore: first?.tokensBefore,
		tokensAfter: second?.tokensAfter,
		tokensSaved: (first?.tokensBefore ?? 0) - (second?.tokensAfter ?? 0),
	});
	expect(compaction?.stagesUsed).toEqual([
		...new Set([...(first?.stagesUsed ?? []), ...(second?.stagesUsed ?? [])]),
	]);
	const removed = compaction?.removed.map((one) => one.messageId) ?? [];
	expect(new Set(removed).size).toBe(removed.length);
	expect(before.map(({ id }) => id)).toEqual(expect.arrayContaining(removed));
	expect(removed).toContain('un');
	for (const id of [...(compaction?.compactionIds ?? [])].reverse())
		await undoStep(session, session.client, id);
	expect(await historyOf(session)).toEqual(before);
});

it('prepare names the stages of both compactions if they cannot make a request fit', async () => {
	const messages = [system('s0', logLines(900)), ...toolSession(30).slice(0, -1), paste];
	const { world, prepared } = await preparing(messages, 20_000);
	const failure = await prepared().catch((error) => error);
	const stages = world.compacted.flatMap(({ stagesUsed }) => stagesUsed);
	expect(world.compacted).toHaveLength(2);
	expect(failure).toMatchObject({
		kind: 'ContextBudgetExceeded',
		data: { stagesUsed: [...new Set(stages)] },
	});
	expect(new Set(stages).size).toBeGreaterThan(1);
});
