import { describe, expect, it } from 'vitest';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import { answer, call, logLines, prose, result, toolSession, user } from '../../support/messages.ts';
import { compactNow, historyOf, sessionWith, testWorld } from '../../support/world.ts';

const skill = `How to release:\n${logLines(30, 7)}`;

function withSkill(tool: string, turns: number): ChatMessage[] {
	return [
		user('u0', 'Prepare the release.'),
		call('c', ['s1'], tool),
		result('s', 's1', skill, { toolName: tool }),
		...toolSession(turns).slice(1),
		user('last', `Go on. ${prose(5)}`),
	];
}

async function compacted(messages: readonly ChatMessage[], order: Parameters<typeof compactNow>[1]) {
	const session = await sessionWith(testWorld(), messages);
	const done = await compactNow(session, order);
	return { ...done, history: await historyOf(session) };
}

const shown = (history: readonly ChatMessage[]) => history.find(({ id }) => id === 's')?.content;

describe('results of protected tools', () => {
	it.each(['skill', 'Skill', 'memory_search'])(
		'a result of %s is kept whole while other messages are summarized',
		async (tool) => {
			const { history, stagesUsed, warnings } = await compacted(withSkill(tool, 30), {
				targetTokens: 2500,
				config: { pruneProtectTokens: 0 },
			});
			expect(stagesUsed).toContain('summarize');
			expect(shown(history)).toBe(skill);
			expect(history.some(({ toolCalls }) => toolCalls?.some(({ id }) => id === 's1'))).toBe(true);
			expect(warnings).toBeUndefined();
		},
	);

	it('a notice that a skill was loaded is not kept, since the skill follows in another message', async () => {
		const messages = withSkill('Skill', 30).map((one) =>
			one.id === 's' ? { ...one, content: 'Launching skill: release' } : one,
		);
		const { history } = await compacted(messages, { targetTokens: 2500 });
		expect(shown(history)).toBeUndefined();
	});

	it('a result of a tool that is not protected is summarized', async () => {
		const { history } = await compacted(withSkill('run', 30), { targetTokens: 6000 });
		expect(shown(history)).not.toBe(skill);
	});

	it('pruneProtectedTools of the call decides which results are protected', async () => {
		const order = { targetTokens: 6000, config: { pruneProtectedTools: ['recipe_*'] } };
		expect(shown((await compacted(withSkill('recipe_book', 30), order)).history)).toBe(skill);
		expect(shown((await compacted(withSkill('skill', 30), order)).history)).not.toBe(skill);
	});

	it('truncation removes everything else before a result of a protected tool', async () => {
		const { history, stagesUsed } = await compacted(withSkill('skill', 30), {
			targetTokens: 3000,
			config: { enableSummarize: false, enablePrune: false, enableDeduplicate: false },
		});
		expect(stagesUsed).toEqual(['truncate']);
		expect(shown(history)).toBe(skill);
	});

	it('truncation removes a result of a protected tool last, with a warning', async () => {
		const { history, tokensAfter, warnings } = await compacted(withSkill('skill', 30), {
			targetTokens: 400,
			config: { enableSummarize: false, enablePrune: false },
		});
		expect(shown(history)).not.toBe(skill);
		expect(tokensAfter).toBeLessThanOrEqual(400);
		expect(warnings).toEqual([
			'1 result of protected tools (skill) had to be truncated or removed: nothing else was left',
		]);
	});

	it('a result of a protected tool survives a second compaction', async () => {
		const session = await sessionWith(testWorld(), withSkill('skill', 30));
		await compactNow(session, { targetTokens: 8000 });
		await compactNow(session, { targetTokens: 4000 });
		expect(shown(await historyOf(session))).toBe(skill);
	});

	it('a history with nothing to summarize but a protected result is left unchanged', async () => {
		const messages = [
			user('u0', 'Look it up.'),
			call('c', ['s1'], 'skill'),
			result('s', 's1', skill, { toolName: 'skill' }),
			answer('a', 'Found.'),
			user('u1', 'Thanks.'),
		];
		const { compacted: isCompacted } = await compacted(messages, {
			targetTokens: 300,
			config: { enableTruncate: false },
		});
		expect(isCompacted).toBe(false);
	});
});
