import { describe, expect, it } from 'vitest';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import { renderFullHistory } from '../../../server/session/history.ts';
import { setPins } from '../../../server/session/steps.ts';
import { answer, call, logLines, prose, result, system, toolSession, user } from '../../support/messages.ts';
import { compactNow, historyOf, sessionWith, testWorld } from '../../support/world.ts';

const only = (stage: 'prune' | 'deduplicate' | 'summarize' | 'truncate') => ({
	enablePrune: stage === 'prune',
	enableDeduplicate: stage === 'deduplicate',
	enableSummarize: stage === 'summarize',
	enableTruncate: stage === 'truncate',
});

const textOf = (message: ChatMessage | undefined) =>
	typeof message?.content === 'string' ? message.content : JSON.stringify(message?.content);

async function compacted(messages: ChatMessage[], order: Parameters<typeof compactNow>[1]) {
	const test = testWorld();
	const session = await sessionWith(test, messages);
	const answered = await compactNow(session, order);
	const history = await historyOf(session);
	return { test, session, answered, history, byId: new Map(history.map((one) => [one.id, one])) };
}

describe('prune', () => {
	it('prune skips protected tools in any letter case, and results before the first user message', async () => {
		const messages = [
			system('s', 'be brief'),
			call('c0', ['0'], 'read'),
			result('r0', '0', logLines(200), { toolName: 'read' }),
			user('u', 'go'),
			call('c1', ['1'], 'Skill'),
			result('r1', '1', logLines(200), { toolName: 'Skill' }),
			call('c2', ['2'], 'run'),
			result('r2', '2', logLines(200), { toolName: 'run' }),
			user('v', 'and now?'),
		];
		const { answered } = await compacted(messages, {
			targetTokens: 100,
			config: { ...only('prune'), pruneProtectTokens: 0, pruneMinimumSavings: 0 },
		});
		expect(answered.removed.map((one) => one.messageId)).toEqual(['r2']);
	});

	it('prune never replaces a short result by a longer placeholder', async () => {
		const messages = [
			user('u', 'go'),
			...Array.from({ length: 50 }, (_, index) => [
				call(`c${index}`, [`${index}`]),
				result(`r${index}`, `${index}`, 'ok'),
			]).flat(),
			user('v', 'and now?'),
		];
		const { answered } = await compacted(messages, {
			targetTokens: 10,
			config: { ...only('prune'), pruneProtectTokens: 0, pruneMinimumSavings: 0 },
		});
		expect(answered.compacted).toBe(false);
		expect(answered.tokensAfter).toBe(answered.tokensBefore);
	});

	it('prune removes the image of a result and keeps its words', async () => {
		const image = { type: 'image' as const, mediaType: 'image/png', data: 'AAAA', width: 1500, height: 1500 };
		const messages = [
			user('u', 'go'),
			call('c', ['1']),
			result('r', '1', [{ type: 'text', text: 'a screenshot of the page' }, image]),
			answer('a', 'seen'),
			user('v', 'and now?'),
		];
		const { byId } = await compacted(messages, {
			targetTokens: 200,
			config: { ...only('prune'), pruneProtectTokens: 0 },
		});
		expect(textOf(byId.get('r'))).toMatch(/^a screenshot of the page\n\[Tool result cleared/);
	});
});

describe('deduplicate', () => {
	const read = (id: string, path: string, lines: string, args: object = {}): ChatMessage[] => [
		call(`c-${id}`, [id], 'read_file', { path, ...args }),
		result(id, id, lines, { toolName: 'read_file' }),
	];
	const config = only('deduplicate');

	it('deduplicate replaces an earlier read that a later one covers, however the path is written', async () => {
		const messages = [
			user('u', 'go'),
			...read('r1', './src/a.ts', logLines(60, 1)),
			...read('r2', 'src/a.ts', logLines(60, 2)),
			user('v', 'ok'),
		];
		const { answered, byId } = await compacted(messages, { targetTokens: 10, config });
		expect(answered.stages.find((one) => one.stage === 'deduplicate')?.filesDeduped).toBe(1);
		expect(textOf(byId.get('r1'))).toBe('[File src/a.ts - refer to latest read below; original r1]');
		expect(textOf(byId.get('r2'))).toBe(logLines(60, 2));
	});

	it('deduplicate keeps reads of other lines, and prose about reading', async () => {
		const messages = [
			user('u', 'go'),
			answer('a1', `I read the thread pool. ${prose(200)}`),
			...read('r1', 'a.ts', logLines(60, 1), { start_line: 1, end_line: 60 }),
			...read('r2', 'a.ts', logLines(60, 2), { start_line: 61, end_line: 120 }),
			answer('a2', `I read the thread pool. ${prose(200)}`),
			user('v', 'ok'),
		];
		const { answered } = await compacted(messages, { targetTokens: 10, config });
		expect(answered.removed).toEqual([]);
	});

	it('deduplicate keeps lines that no later read shows, although their file was edited', async () => {
		const linesAfterEdit = (start: number, end: number) => [
			user('u', 'go'),
			...read('r1', 'a.ts', logLines(60, 1), { start_line: 1, end_line: 60 }),
			call('e', ['edit'], 'edit', { path: 'a.ts', old_string: 'x', new_string: 'y' }),
			result('re', 'edit', 'done', { toolName: 'edit' }),
			...read('r2', 'a.ts', logLines(20, 2), { start_line: start, end_line: end }),
			user('v', 'ok'),
		];
		const part = await compacted(linesAfterEdit(10, 30), { targetTokens: 10, config });
		expect(part.answered.removed).toEqual([]);
		const whole = await compacted(linesAfterEdit(1, 60), { targetTokens: 10, config });
		expect(whole.answered.removed.map((one) => one.messageId)).toEqual(['r1']);
	});
});

describe('summarize', () => {
	it('summarize replaces old messages by one message behind the first prompt', async () => {
		const { answered, history, session } = await compacted(toolSession(30), { targetTokens: 3000 });
		expect(answered.stagesUsed).toContain('summarize');
		expect(answered.tokensAfter).toBeLessThanOrEqual(3000);
		expect(history[0]?.id).toBe('u0');
		expect(history[1]).toMatchObject({ role: 'user', metadata: { isSummary: true } });
		const all = (await renderFullHistory(session)).messages as ChatMessage[];
		expect(all.find((one) => one.id === history[1]?.id)?.condenseId).toBe(answered.compactionId);
		expect(all.find((one) => one.id === 'r0')?.condenseParent).toBe(answered.compactionId);
		expect(history.at(-1)?.id).toBe('un');
	});

	it('summarize leaves a few words even if protected messages fill the target', async () => {
		const messages = toolSession(30);
		messages[0] = user('u0', prose(3000));
		const { answered, history } = await compacted(messages, { targetTokens: 1000 });
		expect(history.some((one) => one.metadata?.isSummary)).toBe(true);
		expect(answered.reasonCode).toBe('protected_only');
		expect(textOf(history[0])).toBe(prose(3000));
	});

	it('a summary reports how much of an unfinished turn it replaced', async () => {
		const messages = [...toolSession(30).slice(0, -1), answer('last', 'done')];
		const { history } = await compacted(messages, { targetTokens: 4000 });
		const summary = textOf(history.find((one) => one.metadata?.isSummary)) ?? '';
		expect(summary).toMatch(/## Turn of #\d+\n Its first \d+ messages \(\d+ tool calls\) are part of this/);
	});

	it('summarySections "six" writes at most six headings, without empty ones', async () => {
		const test = testWorld();
		test.configure({ compaction: { summarySections: 'six' } });
		const session = await sessionWith(test, toolSession(30));
		const { summary } = await compactNow(session, { targetTokens: 3000 });
		const headings = summary?.text.split('\n').filter((line) => /^## \d+\. /.test(line)) ?? [];
		expect(headings[0]).toBe('## 1. Previous Conversation');
		expect(headings).toContain('## 5. Problem Solving');
		expect(headings.every((line) => Number(line.slice(3, 4)) <= 6)).toBe(true);
		expect(summary?.text).toMatch(/src\/module/);
	});
});

describe('truncate', () => {
	const config = only('truncate');
	const small = Array.from({ length: 20 }, (_, index) => [
		answer(`a${index}`, prose(20, index)),
		user(`u${index}`, prose(10, index)),
	]).flat();

	it('truncate removes the oldest exchanges, and keeps system messages, the first prompt and the order', async () => {
		const messages = [system('s', 'be brief'), system('s2', 'be kind'), user('first', 'the task'), ...small];
		const { answered, history } = await compacted(messages, { targetTokens: 500, config });
		expect(answered.tokensAfter).toBeLessThanOrEqual(500);
		const ids = history.map((one) => one.id ?? '');
		expect(ids.slice(0, 3)).toEqual(['s', 's2', 'first']);
		expect(history.filter((one) => one.metadata?.isTruncationMarker)).toHaveLength(1);
		const kept = ids.filter((id) => messages.some((one) => one.id === id));
		expect(kept).toEqual(messages.map((one) => one.id ?? '').filter((id) => kept.includes(id)));
		expect(kept.at(-1)).toBe('u19');
	});

	it('truncate keeps calls with their results', async () => {
		const messages = [user('u', 'go'), ...toolSession(10, 10).slice(1)];
		const { history } = await compacted(messages, { targetTokens: 800, config });
		for (const one of history) {
			if (one.role !== 'tool') continue;
			expect(history.some((other) => other.toolCalls?.some(({ id }) => id === one.toolCallId))).toBe(true);
		}
	});

	it('truncate keeps the newest messages, and reports by how much it missed the target', async () => {
		const messages = [
			user('u', 'go'),
			answer('a', prose(300)),
			answer('b', 'x'.repeat(300)),
			user('v', prose(100)),
		];
		const { answered, byId } = await compacted(messages, {
			targetTokens: 10,
			config: { ...config, recentCount: 2 },
		});
		expect(byId.has('b')).toBe(true);
		expect(byId.has('v')).toBe(true);
		expect(answered.reason).toMatch(/tokens above the target/);
	});

	it('truncate cuts the middle out of the largest message when nothing else is left', async () => {
		const messages = [
			user('u', 'go'),
			answer('a', `HEAD ${'日本語👩‍👩‍👧‍👦 '.repeat(3000)} TAIL`),
			user('v', 'ok'),
		];
		const { answered, byId } = await compacted(messages, {
			targetTokens: 1500,
			config: { ...config, recentCount: 2 },
		});
		expect(answered.tokensAfter).toBeLessThanOrEqual(1500);
		const text = textOf(byId.get('a')) ?? '';
		expect(text.startsWith('HEAD')).toBe(true);
		expect(text.endsWith('TAIL')).toBe(true);
		expect(text).toContain('original a');
		expect(text.isWellFormed()).toBe(true);
	});
});

describe('protected messages', () => {
	it('the newest prompt is never shortened, and the reason says how large it is', async () => {
		const paste = prose(4000);
		const messages = [user('u', 'go'), answer('a', 'yes'), user('v', paste)];
		const { answered, byId } = await compacted(messages, { targetTokens: 1000 });
		expect(textOf(byId.get('v'))).toBe(paste);
		expect(answered.compacted ? answered.reasonCode : answered.outcome).toBeTruthy();
		expect(answered.reason).toMatch(/protected messages alone take \d+ tokens, more than the target of 1000/);
	});

	it('a pinned message keeps its whole batch, and preserve keeps the named message', async () => {
		const test = testWorld();
		const session = await sessionWith(test, toolSession(30));
		await setPins(session, { messageIds: ['c4'], uris: [], pinned: true });
		await compactNow(session, { targetTokens: 3500, preserve: ['a7'] });
		const byId = new Map((await historyOf(session)).map((one) => [one.id, one]));
		expect(textOf(byId.get('r4'))).toBe(logLines(40, 4));
		expect(byId.has('a7')).toBe(true);
	});

	it('a pinned file keeps its newest read whole', async () => {
		const test = testWorld();
		const messages = toolSession(20);
		messages.splice(
			4,
			0,
			call('cf', ['f'], 'read_file', { path: '/work space/a b.ts' }),
			result('rf', 'f', logLines(30, 5), { toolName: 'read_file' }),
		);
		const session = await sessionWith(test, messages);
		await setPins(session, { messageIds: [], uris: ['file:///work%20space/a%20b.ts'], pinned: true });
		await compactNow(session, { targetTokens: 3500 });
		const byId = new Map((await historyOf(session)).map((one) => [one.id, one]));
		expect(textOf(byId.get('rf'))).toBe(logLines(30, 5));
	});

	it('preserve warns about a message that is already hidden', async () => {
		const test = testWorld();
		const session = await sessionWith(test, toolSession(30));
		await compactNow(session, { targetTokens: 6000 });
		const { compacted, warnings } = await compactNow(session, {
			targetTokens: 3500,
			preserve: ['a2', 'a29'],
		});
		expect(compacted).toBe(true);
		expect(warnings).toEqual([expect.stringContaining('"a2" is already hidden')]);
	});

	it('preserve refuses an id that is no message', async () => {
		const test = testWorld();
		const session = await sessionWith(test, toolSession(5));
		await expect(compactNow(session, { preserve: ['nobody'] })).rejects.toThrow(
			/preserve: no message "nobody"/,
		);
	});
});

describe('the reason of a compaction that does nothing', () => {
	it.each([
		['below_target', toolSession(2), { targetTokens: 1_000_000 }],
		['too_few_messages', [user('u', prose(900)), answer('a', 'yes')], {}],
		[
			'protected_only',
			[system('s', prose(900)), user('u', prose(900)), user('v', prose(900))],
			{ targetTokens: 10 },
		],
		[
			'disabled',
			toolSession(5),
			{
				targetTokens: 10,
				config: {
					enablePrune: false,
					enableDeduplicate: false,
					enableSummarize: false,
					enableTruncate: false,
				},
			},
		],
	] as const)('a compaction that does nothing gives the reason %s', async (code, messages, order) => {
		const { answered, history } = await compacted([...messages], order);
		expect(answered).toMatchObject({ compacted: false, reasonCode: code, removed: [] });
		expect(answered.reason).toBeTruthy();
		expect(history.map((one) => one.id)).toEqual(messages.map((one) => one.id));
	});

	it('a second compaction without new messages gives the reason just_compacted', async () => {
		const { session } = await compacted(toolSession(20), {});
		expect(await compactNow(session)).toMatchObject({
			outcome: 'nothing_to_compact',
			reasonCode: 'just_compacted',
		});
	});
});
