import { describe, expect, it } from 'vitest';
import type { CompactionConfig } from '../../../server/protocol/compact.ts';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import { answer, call, logLines, prose, result, toolSession, user } from '../../support/messages.ts';
import { compactNow, historyOf, previewNow, sessionWith, testWorld } from '../../support/world.ts';

const pruneOnly: CompactionConfig = {
	enableDeduplicate: false,
	enableSummarize: false,
	enableTruncate: false,
	pruneProtectTokens: 0,
	pruneMinimumSavings: 0,
};

async function pruned(messages: readonly ChatMessage[], targetTokens: number, config: CompactionConfig = {}) {
	const test = testWorld();
	const session = await sessionWith(test, messages);
	const answered = await compactNow(session, { targetTokens, config: { ...pruneOnly, ...config } });
	return { answered, history: await historyOf(session) };
}

const textOf = (history: readonly ChatMessage[], id: string): string =>
	String(history.find((message) => message.id === id)?.content);
const ids = (history: readonly ChatMessage[]) => history.map(({ id }) => id);

/** Returns a call and its result. */
function run(name: string, lines: number, more: Partial<ChatMessage> = {}): ChatMessage[] {
	return [
		call(`c-${name}`, [name], name),
		result(name, name, logLines(lines, name.length), { toolName: name, ...more }),
	];
}

describe('how far pruning goes', () => {
	it.each([0.95, 0.8, 0.6, 0.4])(
		'pruning stops soon after it reaches a target of %s of the history',
		async (share) => {
			const messages = toolSession(20);
			const { answered: whole } = await pruned(messages, 0);
			const target = Math.floor(whole.tokensBefore * share);
			const { answered, history } = await pruned(messages, target);
			expect(answered.tokensAfter).toBeLessThanOrEqual(target);
			expect(answered.tokensAfter).toBeGreaterThan(target - 0.06 * whole.tokensBefore);
			expect(ids(history)).toEqual(ids(messages));
		},
	);

	it.each([0.9, 0.75, 0.5])(
		'pruning alone reaches a target of %s of the history, even with long ids in its placeholders',
		async (share) => {
			const long = (id = ''): string => `0f9e8d7c-6b5a-4938-8271-605f4e3d2c1b/51e0b6d2-7c3f-4a18-9d24-${id}`;
			const test = testWorld();
			test.configure({ estimator: 'exact', compaction: { pruneProtectTokens: 0 } });
			const messages = toolSession(30).map((message) => ({ ...message, id: long(message.id) }));
			const session = await sessionWith(test, messages);
			const { tokensBefore } = await previewNow(session);
			const { stagesUsed } = await compactNow(session, {
				targetTokens: Math.floor(share * tokensBefore),
			});
			expect(stagesUsed).toEqual(['prune']);
		},
	);

	it('pruning keeps as much of one giant result as the target has room for', async () => {
		const messages = [user('u', 'go'), ...run('build', 4000)];
		const { answered, history } = await pruned(messages, 5000, { pruneProtectTokens: 40_000 });
		expect(answered.tokensAfter).toBeLessThanOrEqual(5000);
		expect(answered.tokensAfter).toBeGreaterThan(4000);
		expect(textOf(history, 'build')).toMatch(
			/^line 0 .*\n\[Tool result cleared: \d+ tokens, original build\]$/s,
		);
	});

	it('pruning leaves only the placeholder if there is no room for lines', async () => {
		const messages = toolSession(20);
		const { history } = await pruned(messages, 1950);
		expect(textOf(history, 'r0')).toMatch(/^\[Tool result cleared: \d+ tokens, original r0\]$/);
	});

	it('pruning begins with the oldest result, and leaves the newest unchanged', async () => {
		const messages = toolSession(20);
		const { answered: whole } = await pruned(messages, 0);
		const { answered, history } = await pruned(messages, whole.tokensBefore - 1200);
		const touched = answered.removed.map(({ messageId }) => messageId);
		expect(touched).toEqual(touched.map((_, index) => `r${index}`));
		expect(textOf(history, 'r19')).toBe(logLines(40, 19));
	});

	it('a pruned result is counted again although the client had counted it', async () => {
		const messages = [user('u', 'go'), ...run('build', 400, { tokens: 9000 }), user('v', 'and now?')];
		const { answered, history } = await pruned(messages, 4000);
		const [removal] = answered.removed;
		expect(history.find(({ id }) => id === 'build')?.tokens).toBeUndefined();
		expect(removal?.tokens).toBe(answered.tokensSaved);
		expect(answered.tokensAfter).toBeLessThanOrEqual(4000);
	});
});

describe('which results may be pruned', () => {
	const messages = [
		user('u', 'go'),
		...run('read_file', 60),
		...run('Read_Notes', 60),
		...run('bash', 60),
		...run('mcp__web__fetch', 60),
		...run('skill', 60),
		answer('a', prose(20)),
		user('v', 'and now?'),
	];
	const touched = async (config: CompactionConfig): Promise<string[]> =>
		(await pruned(messages, 100, config)).answered.removed.map(({ messageId }) => messageId);

	it('pruneTools selects tools by globs, in any letter case', async () => {
		expect(await touched({ pruneTools: ['READ_*'] })).toEqual(['read_file', 'Read_Notes']);
		expect(await touched({ pruneTools: ['*fetch', 'ba?h'] })).toEqual(['bash', 'mcp__web__fetch']);
	});

	it('pruneProtectedTools outranks pruneTools', async () => {
		const config = { pruneTools: ['read_*', 'bash'], pruneProtectedTools: ['READ_file'] };
		expect(await touched(config)).toEqual(['Read_Notes', 'bash']);
		expect(await touched({ pruneTools: ['bash'], pruneProtectedTools: ['*'] })).toEqual([]);
		expect(await touched({ pruneProtectedTools: ['mcp__*', 'r*'] })).toEqual(['bash', 'skill']);
	});

	it("every result but a skill's may be pruned by default", async () => {
		expect(await touched({})).toEqual(['read_file', 'Read_Notes', 'bash', 'mcp__web__fetch']);
		expect(await touched({ pruneTools: undefined, pruneProtectedTools: undefined })).toHaveLength(4);
	});

	it('an empty pruneTools allows no pruning', async () => {
		expect(await touched({ pruneTools: [] })).toEqual([]);
	});
});
