import { beforeAll, describe, expect, it } from 'vitest';
import { sharedApp } from '../../support/app.ts';
import { assistantSays, userSays } from '../../support/messages.ts';
import { begin, conversation } from '../../support/talk.ts';

const app = sharedApp();

beforeAll(async () => {
	await begin(app, 's', conversation(6));
});

/** Valid params of each method, and invalid values by field. */
const methods: Record<string, { good: Record<string, unknown>; bad: Record<string, unknown[]> }> = {
	'session/open': {
		good: { sessionId: 's' },
		bad: {
			sessionId: [5, '', {}, 'x'.repeat(513)],
			workspace: [5],
			provider: [5],
			model: [[]],
			title: [true],
			contextWindow: [0, -1, 1.5, '200k', 1e300],
			maxOutputTokens: [0, 'many'],
			readOnly: ['yes'],
		},
	},
	'session/append': {
		good: { sessionId: 's', messages: [] },
		bad: { sessionId: [null, 5], messages: [null, {}, 'x'] },
	},
	'session/reportUsage': {
		good: { sessionId: 's', messageId: 'm1', usage: { input: 1, output: 1 } },
		bad: {
			messageId: [null, 5],
			usage: [null, 5, [], {}, { input: 1 }, { input: -1, output: 1 }, { input: '1', output: 1 }],
			stopReason: [5],
		},
	},
	'session/rewind': {
		good: { sessionId: 's', messageId: 'm5' },
		bad: { sessionId: [null], messageId: [null, 5] },
	},
	'session/list': { good: {}, bad: { workspace: [5], sessionId: [5] } },
	'session/update': {
		good: { sessionId: 's' },
		bad: {
			sessionId: [null],
			request: [
				5,
				[5],
				{ systemPrompt: 5 },
				{ currentPrompt: {} },
				{ toolDefinitions: 'x' },
				{ fileAttachments: [{ uri: 'x' }] },
				{ maxOutputTokens: -1 },
			],
			model: [5],
		},
	},
	'session/close': { good: { sessionId: 's' }, bad: { sessionId: [null, 5] } },
	'context/stats': {
		good: { sessionId: 's' },
		bad: { sessionId: [null], estimator: ['guess', 5], model: [5], request: [5] },
	},
	'context/count': {
		good: {},
		bad: { text: [5], messages: ['x', [5], [{ role: 'x', content: '' }]], estimator: ['x'] },
	},
	'context/sources': { good: { sessionId: 's' }, bad: { sessionId: [null, []] } },
	'context/timeline': { good: { sessionId: 's' }, bad: { sessionId: [null, []] } },
	'context/history': { good: { sessionId: 's' }, bad: { includeHidden: ['yes'], format: [5] } },
	'context/compact': {
		good: { sessionId: 's', dryRun: true },
		bad: {
			config: [
				5,
				{ enablePrune: 'yes' },
				{ keepRecentRatio: 2 },
				{ recentCount: -1 },
				{ pruneTools: 'x' },
				{ maxGrowthRatio: 0 },
			],
			preserve: ['x', [5]],
			targetTokens: [-1, 'few', 1.5],
			dryRun: ['no'],
			includeMessages: [1],
			instructions: [5],
			workDoneToken: [{}],
		},
	},
	'context/export': {
		good: { sessionId: 's', format: 'pi' },
		bad: { sessionId: [null], format: [null, 5], targetTokens: [-1, '20k'], cwd: [5], workDoneToken: [{}] },
	},
	'context/undo': { good: { sessionId: 's' }, bad: { compactionId: [5] } },
	'context/prepare': { good: { sessionId: 's' }, bad: { sessionId: [null], request: [5] } },
	'context/recover': { good: { sessionId: 's', error: 'x' }, bad: { attempt: [0, 'one', 1.5] } },
	'context/checkpoint': { good: { sessionId: 's' }, bad: { label: [5] } },
	'context/rollback': { good: { sessionId: 's', checkpointId: 'x' }, bad: { checkpointId: [null, 5] } },
	'context/pin': {
		good: { sessionId: 's', pinned: true },
		bad: { messageIds: ['x', [5]], uris: [5], pinned: [null, 'yes'] },
	},
	'context/original': {
		good: { sessionId: 's', messageId: 'm0' },
		bad: { messageId: [null, 5], offset: [-1, 'x'], limit: [-1, 1.5], search: [5] },
	},
	'context/truncateToolOutput': {
		good: { output: 'x' },
		bad: { output: [5], maxBytes: [-1, 'x'], direction: ['up'] },
	},
};

const cases = Object.entries(methods).flatMap(([method, { good, bad }]) =>
	Object.entries(bad).flatMap(([field, values]) =>
		values.map((value) => ({ method, field, value, params: { ...good, [field]: value } })),
	),
);

it.each(cases)('$method refuses $field: $value and names the field', async ({ method, field, params }) => {
	const { code, message } = await app.refusal(method, params);
	expect(code).toBe(-32602);
	expect(message).toContain(field);
	expect(message).toMatch(/expected .+, got .+/);
});

it.each(Object.keys(methods).filter((method) => !['session/list', 'context/count'].includes(method)))(
	'%s refuses params that are not an object',
	async (method) => {
		for (const params of [['x'], [5, {}], 'x', 5]) {
			const { code, message } = await app.refusal(method, params);
			expect([code, message]).toEqual([-32602, expect.stringMatching(/^params: expected object, got /)]);
		}
	},
);

it.each(
	Object.entries(methods).flatMap(([method, { good }]) =>
		'sessionId' in good && method !== 'session/open' ? [{ method, good }] : [],
	),
)('$method of an unknown session fails with -31999', async ({ method, good }) => {
	const { code, data } = await app.refusal(method, { ...good, sessionId: 'nobody' });
	expect([code, data?.kind]).toEqual([-31999, 'SessionNotFound']);
});

it('session/delete of an unknown session fails with -31999', async () => {
	expect((await app.refusal('session/delete', { sessionId: 'nobody' })).code).toBe(-31999);
});

describe('unknown messages, compactions and checkpoints', () => {
	it.each([
		['session/rewind', { messageId: 'nope' }, -31997, 'MessageNotFound'],
		['session/reportUsage', { messageId: 'nope', usage: { input: 1, output: 1 } }, -31997, 'MessageNotFound'],
		['context/original', { messageId: 'nope' }, -31997, 'MessageNotFound'],
		['context/pin', { messageIds: ['nope'], pinned: true }, -31997, 'MessageNotFound'],
		['context/undo', { compactionId: 'nope' }, -31996, 'CompactionNotFound'],
		['context/rollback', { checkpointId: 'nope' }, -31995, 'CheckpointNotFound'],
	])('an unknown id is refused with its kind: %s', async (method, params, code, kind) => {
		const refusal = await app.refusal(method, { sessionId: 's', ...params });
		expect([refusal.code, refusal.data?.kind]).toEqual([code, kind]);
		expect(refusal.message).toContain('nope');
	});
});

it.each([
	['context/recover', 'an error, a text or an object'],
	['context/classifyError', 'an error (a text or an object) or usage'],
])('%s requires an error', async (method, expected) => {
	const { code, message } = await app.refusal(method, { sessionId: 's' });
	expect([code, message]).toEqual([-32602, `params.error: expected ${expected}, got nothing`]);
});

it('null counts as absent in every optional member', async () => {
	const nothing = { systemPrompt: null, currentPrompt: null, toolDefinitions: null, maxOutputTokens: null };
	const withNulls = {
		id: null,
		role: 'assistant',
		content: [
			{ type: 'image', mediaType: 'image/png', data: null, uri: null, width: null, detail: null },
			{ type: 'reasoning', text: 'hm', signature: null },
		],
		toolCalls: null,
		usage: { input: 1, output: 1, cacheRead: null, cacheWrite: null },
		metadata: { kept: null },
	};
	const calls: [string, Record<string, unknown>][] = [
		[
			'session/open',
			{ workspace: null, provider: null, model: null, title: null, contextWindow: null, readOnly: null },
		],
		[
			'session/update',
			{ provider: null, request: { ...nothing, fileAttachments: [{ uri: null, content: 'x' }] } },
		],
		['session/append', { messages: [], format: null }],
		['session/append', { messages: [withNulls] }],
		[
			'session/reportUsage',
			{
				messageId: 'm1',
				usage: { input: 1, output: 1, cacheRead: null, cacheWrite: null },
				stopReason: null,
			},
		],
		['context/count', { text: null, messages: [withNulls], request: nothing }],
		['context/fitFiles', { files: [{ uri: null, path: null, content: 'x' }], availableTokens: null }],
		['context/stats', { provider: null, model: null, request: null, estimator: null }],
		['context/stats', { request: nothing }],
		['context/history', { format: null, includeHidden: null }],
		[
			'context/compact',
			{ config: { enablePrune: null, pruneTools: null }, targetTokens: null, dryRun: true, preserve: null },
		],
		[
			'context/prepare',
			{ request: { ...nothing, fileAttachments: null }, format: null, workDoneToken: null },
		],
	];
	for (const [method, params] of calls) {
		const { error } = await app.start(method, { sessionId: 's', ...params }).reply;
		expect([method, error]).toEqual([method, undefined]);
	}
});

it("a call replaces only those parts of the session's request that it names", async () => {
	await begin(app, 'parts', conversation(2));
	const request = { systemPrompt: 'be brief. '.repeat(50), toolDefinitions: [{ name: 'run' }] };
	await app.start('session/update', { sessionId: 'parts', request }).reply;
	const { result } = await app.start('context/stats', {
		sessionId: 'parts',
		request: { systemPrompt: null, currentPrompt: 'now' },
	}).reply;
	const { breakdown } = result as { breakdown: Record<string, number> };
	expect(breakdown.systemPrompt).toBeGreaterThan(0);
	expect(breakdown.toolDefinitions).toBeGreaterThan(0);
	expect(breakdown.currentPrompt).toBeGreaterThan(0);
});

it.each(['__proto__', 'constructor', 'toString'])(
	'params accept %s as a name like any other',
	async (name) => {
		const calls = { id: name, name, args: JSON.parse(`{"${name}": "/a"}`) };
		await begin(app, name, [userSays('u', { id: name }), assistantSays('', { toolCalls: [calls] })], {
			provider: name,
			model: name,
		});
		const requests: [string, Record<string, unknown>][] = [
			['context/stats', { provider: name }],
			['context/stats', { model: name }],
			['context/count', { provider: name, model: name, request: { toolDefinitions: [{ name }] } }],
			['context/history', { format: 'anthropic' }],
			['context/classifyError', { error: { code: name, type: name } }],
		];
		for (const [method, params] of requests) {
			const { error } = await app.start(method, { sessionId: name, ...params }).reply;
			expect([method, error]).toEqual([method, undefined]);
		}
	},
);

it('unknown members of params are ignored', async () => {
	const { error } = await app.start('context/stats', { sessionId: 's', colour: 'blue' }).reply;
	expect(error).toBeUndefined();
});

it('an unknown method is answered with -32601', async () => {
	expect((await app.refusal('context/nope')).code).toBe(-32601);
	expect((await app.refusal('nope/stats')).code).toBe(-32601);
});
