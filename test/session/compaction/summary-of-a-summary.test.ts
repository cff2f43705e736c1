import { expect, it } from 'vitest';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import { appendMessages } from '../../../server/session/append.ts';
import { readOriginalMessage } from '../../../server/session/original.ts';
import { answer, call, logLines, prose, result, toolSession, user } from '../../support/messages.ts';
import { compactNow, historyOf, sessionWith, testWorld } from '../../support/world.ts';

const summaryOf = (history: readonly ChatMessage[]): string =>
	String(history.find((message) => message.metadata?.isSummary)?.content);

/** Returns old work on both sides of a pinned message. */
function splitByRule(): ChatMessage[] {
	const fact = (id: string, text: string): ChatMessage[] => [
		user(`u-${id}`, text),
		answer(`a-${id}`, prose(60)),
	];
	return [
		user('task', 'Please move the service.'),
		...fact('early', 'The old port is 48213, set in deploy/harbour.yaml.'),
		...Array.from({ length: 8 }, (_, index) => answer(`before-${index}`, prose(120, index + 20))),
		{ ...answer('rule', "The port is the harbour master's to choose."), pinned: true },
		...fact('late', 'The new port is 59127, set in deploy/lagoon.yaml.'),
		...Array.from({ length: 8 }, (_, index) => answer(`more-${index}`, prose(120, index))),
		user('now', 'What is left to do?'),
	];
}

it('a second summary covers everything that the first one replaced, on both sides of a pinned message', async () => {
	const world = testWorld();
	const session = await sessionWith(world, splitByRule());
	const config = { recentCount: 1, keepRecentRatio: 0.05 };
	const first = await compactNow(session, { targetTokens: 1500, config });
	expect((await historyOf(session)).map(({ id }) => id).slice(0, 3)).toEqual([
		'task',
		'summary-id-1',
		'rule',
	]);
	const second = await compactNow(session, {
		targetTokens: Math.floor(first.tokensAfter * 0.7),
		config,
	});
	expect(second.removed.some(({ messageId }) => messageId === 'summary-id-1')).toBe(true);
	const summary = summaryOf(await historyOf(session));
	expect(summary).toContain('deploy/lagoon.yaml');
	const read = (search: string) =>
		readOriginalMessage(session, { messageId: `summary-${second.compactionId}`, search });
	expect((await read('48213')).matches).toHaveLength(1);
	expect((await read('59127')).matches).toHaveLength(1);
	expect((await read('Answer briefly.')).matches).toEqual([]);
});

it('a second summary keeps the facts of the first if one long turn followed', async () => {
	const world = testWorld();
	const session = await sessionWith(world, [
		user('task', 'Please move the service.'),
		answer('found', 'The old port is 48213, set in deploy/harbour.yaml.'),
		...toolSession(20).slice(1),
	]);
	await compactNow(session, { targetTokens: 3000 });
	const turn = Array.from({ length: 25 }, (_, index) => [
		call(`lc${index}`, [`lk${index}`], 'run', { command: `make step${index}` }),
		result(`lr${index}`, `lk${index}`, logLines(30, index + 50), { toolName: 'run' }),
	]).flat();
	await appendMessages(session, turn, 'contextd', { client: session.client });
	const { stagesUsed } = await compactNow(session, { targetTokens: 3000 });
	expect(stagesUsed).toContain('summarize');
	const history = await historyOf(session);
	expect(history.filter((message) => message.metadata?.isSummary)).toHaveLength(1);
	expect(summaryOf(history)).toContain('deploy/harbour.yaml');
	expect(summaryOf(history)).toMatch(/## Turn of #\d+\n Its first \d+ messages/);
});
