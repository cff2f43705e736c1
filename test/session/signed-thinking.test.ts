import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChatMessage, ContentPart, ReasoningPart } from '../../server/protocol/conversation.ts';
import { prepareHistory } from '../../server/session/compaction/prepare.ts';
import { recoverFromError } from '../../server/session/compaction/recover.ts';
import { renderHistory } from '../../server/session/history.ts';
import type { Session } from '../../server/session/session.ts';
import { logLines, prose, result, user } from '../support/messages.ts';
import { soakFactor } from '../support/soak.ts';
import { compactNow, historyOf, sessionWith, testWorld, unwatched } from '../support/world.ts';

const runs = { numRuns: 6 * soakFactor };

/** Reasoning of some length, with a signature that depends on its text. */
const thinking = fc.tuple(fc.constantFrom(5, 120, 900), fc.nat(9)).map(([words, seed]): ReasoningPart => {
	const text = prose(words, seed);
	return { type: 'reasoning', text, signature: `signed ${text.length} ${seed}` };
});

const words = fc
	.constantFrom(8, 300, 2000)
	.map((count): ContentPart => ({ type: 'text', text: prose(count) }));

/** An answer with one to three reasoning parts, text between them, and a call that is answered. */
const turn = fc.record({
	thoughts: fc.array(thinking, { minLength: 1, maxLength: 3 }),
	between: words,
	lines: fc.nat(120),
});

const session = fc.array(turn, { minLength: 2, maxLength: 8 }).map((turns): ChatMessage[] => [
	user('u', 'go'),
	...turns.flatMap(({ thoughts, between, lines }, position): ChatMessage[] => [
		{
			id: `a${position}`,
			role: 'assistant',
			content: thoughts.flatMap((thought, index) => (index === 0 ? [thought, between] : [thought])),
			toolCalls: [{ id: `k${position}`, name: 'run', args: { command: prose(position * 20) } }],
		},
		result(`r${position}`, `k${position}`, logLines(lines, position), { toolName: 'run' }),
	]),
	user('v', 'and now?'),
]);

const stages = ['prune', 'deduplicate', 'summarize', 'truncate', 'all', 'prepare', 'recover'] as const;

async function makeRoom(open: Session, stage: (typeof stages)[number]): Promise<void> {
	if (stage === 'prepare') {
		open.state.info.contextWindow = 2500;
		await prepareHistory(open, { format: 'contextd' }, unwatched(open)).catch((error) => {
			expect(error).toMatchObject({ kind: 'ContextBudgetExceeded' });
		});
		return;
	}
	if (stage === 'recover') {
		const error = { message: 'prompt is too long: 9000 tokens > 1500 maximum' };
		await recoverFromError(open, { error, format: 'contextd' }, unwatched(open));
		return;
	}
	const is = (name: string): boolean => stage === 'all' || stage === name;
	await compactNow(open, {
		targetTokens: 300,
		config: {
			enablePrune: is('prune'),
			enableDeduplicate: is('deduplicate'),
			enableSummarize: is('summarize'),
			enableTruncate: is('truncate'),
			pruneProtectTokens: 0,
			pruneMinimumSavings: 0,
			recentCount: 9,
		},
	});
}

function thoughtsOf(message: ChatMessage | undefined): ContentPart[] {
	const content = message?.content ?? [];
	return typeof content === 'string' ? [] : content.filter((part) => part.type === 'reasoning');
}

describe.each(stages)('signed thinking after %s', (stage) => {
	it('compaction keeps signed thinking unchanged or removes it as a whole', async () => {
		await fc.assert(
			fc.asyncProperty(session, async (messages) => {
				const test = testWorld();
				const open = await sessionWith(test, messages, { contextWindow: 200_000 });
				await makeRoom(open, stage);
				const before = new Map(messages.map((message) => [message.id, message]));
				for (const message of await historyOf(open)) {
					const thoughts = thoughtsOf(message);
					if (thoughts.length > 0) expect(thoughts).toEqual(thoughtsOf(before.get(message.id)));
				}
				const known = new Set(
					messages.flatMap((message) => thoughtsOf(message).map((one) => JSON.stringify(one))),
				);
				const { messages: sent } = await renderHistory(open, 'anthropic');
				for (const { content } of sent as { content: string | { type: string }[] }[]) {
					for (const block of typeof content === 'string' ? [] : content) {
						if (block.type !== 'thinking') continue;
						const { thinking: text, signature } = block as unknown as { thinking: string; signature: string };
						expect(known).toContain(JSON.stringify({ type: 'reasoning', text, signature }));
					}
				}
			}),
			runs,
		);
	});
});
