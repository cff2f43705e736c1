import { describe, expect, it } from 'vitest';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import { answer, call, logLines, prose, result, toolSession, user } from '../../support/messages.ts';
import { compactNow, historyOf, sessionWith, testWorld } from '../../support/world.ts';

async function compacted(messages: readonly ChatMessage[], order: Parameters<typeof compactNow>[1]) {
	const test = testWorld();
	const answered = await compactNow(await sessionWith(test, messages), order);
	const history = await historyOf(await test.store.run('s', test.client, (session) => session));
	return { answered, history };
}

const summarizeOnly = { enablePrune: false, enableDeduplicate: false, enableTruncate: false };

describe('where the tail behind a summary begins', () => {
	it.each([0.05, 0.15, 0.3, 0.45, 0.6, 0.8])(
		'the tail begins with an answer or a prompt, never with a result (%s of the room)',
		async (keepRecentRatio) => {
			for (let turns = 18; turns < 20; turns++) {
				const messages = toolSession(turns).slice(0, -1);
				const { history } = await compacted(messages, {
					targetTokens: 5000,
					config: { ...summarizeOnly, keepRecentRatio },
				});
				const index = history.findIndex((message) => message.metadata?.isSummary);
				expect(index).toBeGreaterThan(0);
				expect(['assistant', 'user']).toContain(history[index + 1]?.role);
				expect(String(history[index]?.content)).toContain('## Turn of #0\n');
			}
		},
	);

	it('a summary names the turn in which it ends only if it replaced messages of that turn', async () => {
		const turns = Array.from({ length: 30 }, (_, index) => [
			user(`q${index}`, prose(90, index)),
			answer(`first${index}`, prose(90, index)),
			answer(`second${index}`, prose(90, 100 + index)),
		]).flat();
		const saysSo = new Set<boolean>();
		for (let keepRecentRatio = 0.1; keepRecentRatio < 1; keepRecentRatio += 0.05) {
			const { history } = await compacted([...turns, user('now', 'and now?')], {
				targetTokens: 5000,
				config: { ...summarizeOnly, keepRecentRatio },
			});
			const index = history.findIndex((message) => message.metadata?.isSummary);
			const isInTurn = history[index + 1]?.id?.startsWith('second') === true;
			expect(/## Turn of #\d+\n/.test(String(history[index]?.content))).toBe(isInTurn);
			saysSo.add(isInTurn);
		}
		expect(saysSo).toEqual(new Set([true, false]));
	});

	it('a turn of a summary begins with a command that the user typed', async () => {
		const turns = Array.from({ length: 40 }, (_, index) => answer(`a${index}`, prose(90, index)));
		const typed = '<command-message>chart</command-message>\n<command-name>/chart</command-name>';
		for (let at = 1; at < turns.length; at++) {
			const command = user('command', typed, { metadata: { injected: true } });
			const before = [user('first', 'Paint the quay.'), ...turns.slice(0, at)];
			const { history } = await compacted([...before, command, ...turns.slice(at)], {
				targetTokens: 5000,
				config: summarizeOnly,
			});
			const index = history.findIndex((message) => message.metadata?.isSummary);
			const next = history[index + 1]?.id;
			const tail = next === 'command' ? undefined : Number(next?.slice(1));
			const turn = /## Turn of #(\d+)\n/.exec(String(history[index]?.content))?.[1];
			if (tail === undefined) expect(turn).toBeUndefined();
			// What fits at last is restored, so the first message of the turn may be in the summary and below it.
			else if (tail === at) expect([undefined, String(at + 1)]).toContain(turn);
			else expect(turn).toBe(tail > at ? String(at + 1) : '0');
		}
	});

	it('a summary names the messages below it that are older than its newest lines', async () => {
		const turns = Array.from({ length: 30 }, (_, index) => answer(`a${index}`, prose(90, index)));
		const recap = user('recap', prose(300, 1), { metadata: { injected: true } });
		const { history } = await compacted(
			[
				recap,
				...turns.slice(0, 4),
				user('first', 'Paint the quay.'),
				...turns.slice(4, 9),
				user('second', 'Now the pier.'),
				...turns.slice(9),
			],
			{
				targetTokens: 4000,
				config: summarizeOnly,
			},
		);
		const index = history.findIndex((message) => message.metadata?.isSummary);
		expect(history[index + 1]?.id).toBe('first');
		expect(String(history[index]?.content)).toMatch(/older messages \(#5\)|Older messages below\n .*: #5\./);
	});

	it('a summary names the messages of its turn that stay although older ones and newer ones are in it', async () => {
		const skill = [call('c', ['s1'], 'skill'), result('s', 's1', logLines(12, 7), { toolName: 'skill' })];
		const work = Array.from({ length: 40 }, (_, index) => answer(`a${index}`, prose(60, index)));
		const messages = [user('first', 'Paint the quay.'), ...work.slice(0, 9), ...skill, ...work.slice(9)];
		const { history } = await compacted(messages, { targetTokens: 2500 });
		const summary = history.find(({ metadata }) => metadata?.isSummary);
		expect(history.some(({ id }) => id === 's')).toBe(true);
		expect(String(summary?.content)).toMatch(/the rest follows, after older messages \(#10–#11\)\./);
	});

	it('a command of Claude Code is not the first message that was typed, although the client did not mark it', async () => {
		const clear = user(
			'clear',
			'<command-name>/clear</command-name>\n<command-message>clear</command-message>',
		);
		const { history } = await compacted(
			[clear, user('task', 'Paint the quay.'), ...toolSession(30).slice(1)],
			{
				targetTokens: 2500,
			},
		);
		expect(history.some(({ id }) => id === 'task')).toBe(true);
		expect(history.some(({ id }) => id === 'clear')).toBe(false);
	});

	it('a huge newest result does not keep older messages from being summarized', async () => {
		const messages = [
			user('task', 'the task'),
			...Array.from({ length: 40 }, (_, index) => answer(`a${index}`, prose(200, index))),
			call('c', ['k']),
			result('r', 'k', logLines(1500)),
		];
		const { answered, history } = await compacted(messages, { targetTokens: 6000 });
		expect(answered.tokensAfter).toBeLessThanOrEqual(6000);
		expect(answered.stagesUsed).toContain('summarize');
		expect(history.some(({ id }) => id === 'a0')).toBe(false);
	});

	it('a summary quotes what shortened newest results no longer show, and little that they show', async () => {
		const calls = Array.from({ length: 4 }, (_, index) => `k${index}`);
		const { history } = await compacted(
			[
				user('task', 'Fix the retries.'),
				...Array.from({ length: 40 }, (_, index) => answer(`a${index}`, prose(80, index))),
				call('c', calls),
				...calls.map((id, index) => result(`r${id}`, id, logLines(90, index))),
			],
			{ targetTokens: 1500 },
		);
		const index = history.findIndex(({ metadata }) => metadata?.isSummary);
		const [quoted = [], ...tail] = history
			.slice(index)
			.map(({ content }) => String(content).match(/line \d+ of run .*/g) ?? []);
		expect(quoted.length).toBeGreaterThan(5);
		const repeated = quoted.filter((line) => tail.flat().includes(line));
		expect(repeated.length).toBeLessThan(quoted.length / 4);
	});

	it('the tail begins behind the first prompt, which stays unchanged before the summary', async () => {
		const { history } = await compacted(toolSession(30), { targetTokens: 3000 });
		expect(history[0]).toEqual(toolSession(30)[0]);
		expect(history[1]).toMatchObject({ role: 'user', metadata: { isSummary: true } });
	});
});
