import { describe, expect, test } from 'vitest';
import { agents } from '../../../../server/core/transcript/agents.ts';
import { findCallRule } from '../../../../server/core/transcript/callRules.ts';
import { CallLog } from '../../../../server/core/transcript/reading/calls.ts';
import { streams } from '../fixtures/all.ts';

/** Returns the log of calls after an agent's records. */
function read(name: string, records: readonly unknown[], writtenAt = 7): CallLog {
	const agent = agents.find((one) => one.name === name);
	if (agent === undefined) throw new Error(`no agent ${name}`);
	const log = new CallLog(writtenAt);
	const push = findCallRule(agent).createReader(log);
	for (const record of records) push(record);
	return log;
}

const at = (second: number): string => new Date(second * 1000).toISOString();

describe('calls of Claude Code', () => {
	const answer = (id: string, usage: object, more: object = {}): object => ({
		type: 'assistant',
		timestamp: at(5),
		cwd: '/work',
		message: { id, model: 'claude-opus-4-5', role: 'assistant', content: [], usage },
		...more,
	});

	test('calls of Claude Code count a message once that is written in several lines, with its longest answer', () => {
		const { calls } = read('claude-code', [
			answer('m1', { input_tokens: 3, output_tokens: 2, cache_read_input_tokens: 10 }),
			answer('m1', { input_tokens: 3, output_tokens: 90, cache_read_input_tokens: 10 }),
		]);
		expect(calls).toEqual([
			{
				id: 'm1',
				at: 5000,
				provider: 'anthropic',
				model: 'claude-opus-4-5',
				folder: '/work',
				usage: { input: 3, output: 90, cacheRead: 10 },
			},
		]);
	});

	test('calls of Claude Code include those of sub-agents, and mark the call after a compaction', () => {
		const { calls } = read('claude-code', [
			{ type: 'system', subtype: 'compact_boundary', timestamp: at(1) },
			answer('m1', { input_tokens: 1, output_tokens: 1 }, { isSidechain: true, agentId: 'a1' }),
			answer('m2', { input_tokens: 1, output_tokens: 1 }),
		]);
		expect(calls.map(({ subAgent, isCompacted }) => [subAgent, isCompacted])).toEqual([
			['a1', undefined],
			[undefined, true],
		]);
	});

	test('calls of Claude Code include the iterations that the figures of an answer leave out', () => {
		const iterations = [
			{ type: 'compaction', input_tokens: 180_000, output_tokens: 3500 },
			{ type: 'message', input_tokens: 23_000, output_tokens: 1000 },
		];
		const { calls } = read('claude-code', [
			answer('m1', { input_tokens: 23_000, output_tokens: 1000, iterations }),
		]);
		expect(calls.map(({ usage, isSummary }) => [usage.input, isSummary])).toEqual([
			[180_000, true],
			[23_000, undefined],
		]);
		expect(calls[1]?.isCompacted).toBe(true);
	});

	test('calls of Claude Code leave out answers that no model gave', () => {
		const usage = { input_tokens: 1, output_tokens: 1 };
		const synthetic = { message: { id: 'm2', model: '<synthetic>', usage } };
		expect(
			read('claude-code', [
				answer('m1', usage, { isApiErrorMessage: true }),
				answer('m2', usage, synthetic),
				answer('m3', { input_tokens: 0, output_tokens: 0 }),
			]).calls,
		).toEqual([]);
	});
});

describe('calls of Codex', () => {
	const figures = (second: number, total: number, last: object): object => ({
		type: 'event_msg',
		timestamp: at(second),
		payload: {
			type: 'token_count',
			info: { total_token_usage: { total_tokens: total }, last_token_usage: last },
		},
	});

	test('calls of Codex are counted once although their figures are repeated', () => {
		const last = { input_tokens: 1000, cached_input_tokens: 600, output_tokens: 50 };
		const { calls } = read('codex', [
			{ type: 'session_meta', payload: { id: 's', cwd: '/work', model_provider: 'openai' } },
			{ type: 'turn_context', payload: { cwd: '/work', model: 'gpt-5.5' } },
			figures(1, 1050, last),
			figures(2, 1050, last),
			{ type: 'compacted', payload: { message: '' } },
			figures(3, 2100, last),
		]);
		expect(calls.map(({ usage, model, isCompacted }) => [usage.input, model, isCompacted])).toEqual([
			[400, 'gpt-5.5', undefined],
			[400, 'gpt-5.5', true],
		]);
	});

	test('calls of Codex belong to a sub-agent if the whole session is one', () => {
		const { calls } = read('codex', [
			{ type: 'session_meta', payload: { id: 's2', source: { subagent: 'review' } } },
			figures(1, 10, { input_tokens: 9, output_tokens: 1 }),
		]);
		expect(calls[0]?.subAgent).toBe('s2');
	});
});

test('calls of pi have the cost that it states', () => {
	const usage = { input: 5, output: 7, cacheRead: 100, cacheWrite: 20, cost: { total: 0.0123 } };
	const message = { role: 'assistant', provider: 'anthropic', model: 'claude-sonnet-4-5', usage };
	const log = read('pi', [
		{ type: 'session', id: 's', cwd: '/work', timestamp: at(1) },
		{ type: 'message', id: 'e1', timestamp: at(2), message },
	]);
	expect(log.calls).toMatchObject([
		{ at: 2000, usd: 0.0123, folder: '/work', usage: { input: 5, cacheRead: 100 } },
	]);
});

test('calls of OpenCode have the cost that it states, and those of child sessions are a sub-agent’s', () => {
	const message = {
		id: 'msg_1',
		role: 'assistant',
		cost: 0.5,
		modelID: 'gpt-5.1',
		providerID: 'openai',
		time: { created: 1_700_000_000_000, completed: 1_700_000_001_000 },
		tokens: { input: 10, output: 3, reasoning: 4, cache: { read: 6, write: 0 } },
	};
	const info = { id: 'ses_2', directory: '/work', parentID: 'ses_1' };
	const log = read('opencode', [{ info, message }]);
	expect(log.calls).toMatchObject([
		{ usd: 0.5, subAgent: 'ses_2', folder: '/work', usage: { input: 10, output: 7, cacheRead: 6 } },
	]);
});

test('calls of Cline and Roo Code have the cost of their requests', () => {
	const text = JSON.stringify({ tokensIn: 10, tokensOut: 5, cacheWrites: 100, cacheReads: 0, cost: 0.02 });
	const uiMessages = [{ ts: 1_700_000_000_000, say: 'api_req_started', text }];
	const modelInfo = { providerId: 'anthropic', modelId: 'claude-sonnet-4-5' };
	const messages = [{ role: 'assistant', ts: 1_700_000_000_500, content: [], modelInfo }];
	for (const name of ['cline', 'roo-code']) {
		expect(read(name, [{ messages, uiMessages }]).calls).toMatchObject([
			{ usd: 0.02, model: 'claude-sonnet-4-5', usage: { input: 10, cacheWrite: 100 } },
		]);
	}
});

describe('calls of Copilot CLI', () => {
	const event = (type: string, data: object): object => ({ type, id: type, timestamp: at(1), data });
	const sums = { inputTokens: 1000, outputTokens: 10, cacheReadTokens: 800, cacheWriteTokens: 0 };

	test('calls of Copilot CLI are the sums of its models if it wrote no figures per call', () => {
		const log = read('copilot-cli', [
			event('session.shutdown', { modelMetrics: { 'gpt-5.1': { usage: sums } } }),
		]);
		expect(log.calls).toMatchObject([
			{ model: 'gpt-5.1', isSum: true, usage: { input: 200, cacheRead: 800 } },
		]);
	});

	test('calls of Copilot CLI are its figures per call, without the sums at the end', () => {
		const log = read('copilot-cli', [
			event('session.usage_record', { usage: { apiCallId: 'c1', model: 'gpt-5.1', ...sums } }),
			event('session.shutdown', { modelMetrics: { 'gpt-5.1': { usage: sums } } }),
		]);
		expect(log.calls.map(({ id, isSum }) => [id, isSum])).toEqual([['c1', undefined]]);
	});
});

test('a call without a time has that of the transcript', () => {
	const { calls } = read('claude-agent-sdk', [
		{
			type: 'assistant',
			session_id: 's',
			message: { id: 'm1', usage: { input_tokens: 1, output_tokens: 1 } },
		},
	]);
	expect(calls[0]?.at).toBe(7);
});

// OpenCode's older messages had several calls, but state only the last call and the total cost.
test.each(Object.keys(streams).filter((name) => name !== 'opencode'))(
	'the figures of the messages of %s are those of its calls',
	(name) => {
		const records = streams[name] ?? [];
		const agent = agents.find((one) => one.name === name);
		const usages = new Map<string, unknown>();
		const reader = agent?.createReader();
		for (const event of records.flatMap((record) => reader?.push(record) ?? [])) {
			if (event.t === 'message' || event.t === 'replace') usages.set(event.message.id, event.message.usage);
			if (event.t === 'usage') usages.set(event.messageId, event.usage);
		}
		const figures = (list: readonly unknown[]): string[] => list.map((one) => JSON.stringify(one)).sort();
		const own = read(name, records).calls.filter(({ subAgent, isSum }) => subAgent === undefined && !isSum);
		const reported = [...usages.values()].filter((usage) => usage !== undefined);
		expect(figures(own.map(({ usage }) => usage))).toEqual(figures(reported));
	},
);
