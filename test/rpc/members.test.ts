import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { contextHistory } from '../../server/protocol/history.ts';
import { sessionList } from '../../server/protocol/session.ts';
import { contextStats } from '../../server/protocol/stats.ts';
import { findUnknownMembers } from '../../server/rpc/call/members.ts';
import { sharedApp, startTestApp } from '../support/app.ts';
import { assistantSays, userSays } from '../support/messages.ts';
import { begin, conversation, historyIn } from '../support/talk.ts';

const app = sharedApp();

beforeAll(async () => {
	await begin(app, 's', conversation(6));
});

describe('empty lists in place of objects, which Lua writes', () => {
	it('an empty list counts as params without members, for every request', async () => {
		for (const method of app.initialized.capabilities.experimental.contextd.methods) {
			const [empty, list] = [await app.start(method, {}).reply, await app.start(method, []).reply];
			expect([method, list.error?.message]).toEqual([method, empty.error?.message]);
			expect([method, Object.keys(list.result ?? {})]).toEqual([method, Object.keys(empty.result ?? {})]);
		}
	});

	it("an empty list counts as a request, a config and a command's argument without members", async () => {
		for (const [method, params] of [
			['context/stats', { sessionId: 's', request: [] }],
			['context/compact', { sessionId: 's', dryRun: true, config: [], request: [] }],
			['session/update', { sessionId: 's', request: { fileAttachments: [] } }],
			['workspace/executeCommand', { command: 'contextd.session.list', arguments: [[]] }],
			['workspace/executeCommand', { command: 'contextd.session.list', arguments: [[]], workDoneToken: 1 }],
			['workspace/executeCommand', { command: 'contextd.session.list', arguments: [] }],
		] as const) {
			expect([method, (await app.start(method, params).reply).error]).toEqual([method, undefined]);
		}
	});

	it('an empty list counts as capabilities and options without members', async () => {
		const met = await startTestApp({ initialize: { capabilities: [], initializationOptions: [] } });
		met.notify('workspace/didChangeConfiguration', {
			settings: { contextd: { models: [], compaction: [] } },
		});
		await met.ask(sessionList, {});
		expect(met.errors()).not.toMatch(/ error | warn /);
		await met.stop();
	});

	it('an empty list counts as metadata and arguments without members, and comes back unchanged', async () => {
		const call = { id: 'c', name: 'ls', args: [] };
		const messages = [
			{ role: 'user', content: 'list', metadata: [] },
			{ role: 'assistant', content: '', toolCalls: [call] },
			{ role: 'tool', toolCallId: 'c', content: 'a' },
		];
		await begin(app, 'lua', messages);
		expect(await historyIn(app, 'lua')).toEqual(messages);
		const { messages: sent } = await app.ask(contextHistory, { sessionId: 'lua', format: 'anthropic' });
		expect(sent[1]).toMatchObject({ content: [{ type: 'tool_use', name: 'ls', input: {} }] });
		expect(JSON.stringify(sent)).toContain('"input":{}');
	});

	it('an empty list does not replace a required member', async () => {
		expect((await app.refusal('context/stats', [])).message).toBe(
			'params.sessionId: expected string, got nothing',
		);
	});
});

describe('params by position', () => {
	it('params by position may be one object', async () => {
		const named = await app.start('context/stats', { sessionId: 's' }).reply;
		expect(await app.start('context/stats', [{ sessionId: 's' }]).reply).toMatchObject({
			result: named.result,
		});
		expect((await app.start('session/list', [[]]).reply).error).toBeUndefined();
		expect((await app.start('session/list', [null]).reply).error).toBeUndefined();
	});

	it("errors of params by position name the object's members", async () => {
		const { message } = await app.refusal('context/stats', [{ sessionId: 5 }]);
		expect(message).toBe('params.sessionId: expected string, got 5');
	});

	it('params by position are refused if they are several or no object', async () => {
		for (const params of [[{ sessionId: 's' }, {}], [5], ['s']]) {
			const { code, message } = await app.refusal('context/stats', params);
			expect([code, message]).toEqual([-32602, expect.stringMatching(/^params: expected object, got /)]);
		}
	});

	it('notifications accept params by position', async () => {
		app.notify('context/didReadFile', [{ sessionId: 's', uri: 'file:///nowhere.txt' }]);
		await app.ask(contextStats, { sessionId: 's' });
		expect(app.errors()).not.toContain('context/didReadFile ignored');
	});
});

describe('misspelled members', () => {
	it.each([
		['enablePruning', 'enablePrune'],
		['enableDeduplication', 'enableDeduplicate'],
		['enableSummarization', 'enableSummarize'],
		['enableSlidingWindow', 'enableTruncate'],
	])('a config with the setting %s is refused and suggests %s', async (setting, own) => {
		const params = { sessionId: 's', config: { [setting]: false } };
		expect((await app.refusal('context/compact', params)).message).toBe(
			`params.config.${setting}: no such member (did you mean "${own}"?)`,
		);
	});

	it('a misspelled member is an error that suggests the known one, and nothing is done', async () => {
		const before = await historyIn(app, 's');
		const params = { sessionId: 's', target: 30_000, dry_run: true };
		const { code, message } = await app.refusal('context/compact', params);
		expect(code).toBe(-32602);
		expect(message).toBe(
			'params.target: no such member (did you mean "targetTokens"?); params.dry_run: no such member (did you mean "dryRun"?)',
		);
		expect(await historyIn(app, 's')).toEqual(before);
	});

	it.each([
		['context/stats', { session_id: 's' }, 'params.session_id', 'sessionId'],
		['context/stats', { sesionId: 's' }, 'params.sesionId', 'sessionId'],
		['context/stats', { sessionId: 's', modle: 'm' }, 'params.modle', 'model'],
		['context/stats', { sessionId: 's', Model: 'm' }, 'params.Model', 'model'],
		['session/open', { max_tokens: 5 }, 'params.max_tokens', 'maxOutputTokens'],
		['context/stats', { sessionId: 's', request: { tools: [] } }, 'params.request.tools', 'toolDefinitions'],
		[
			'context/stats',
			{ sessionId: 's', request: { 'system-prompt': '' } },
			'params.request["system-prompt"]',
			'systemPrompt',
		],
		[
			'context/compact',
			{ sessionId: 's', config: { enable_prune: true } },
			'params.config.enable_prune',
			'enablePrune',
		],
		[
			'context/compact',
			{ sessionId: 's', config: { recentCounts: 1 } },
			'params.config.recentCounts',
			'recentCount',
		],
		['context/readFile', { sessionId: 's', path: '/a' }, 'params.path', 'uri'],
	])('%s with %j is refused: %s suggests %s', async (method, params, path, meant) => {
		const { code, message } = await app.refusal(method, params);
		expect([code, message]).toEqual([-32602, `${path}: no such member (did you mean "${meant}"?)`]);
	});

	it("an error in a command's arguments names the misspelled member", async () => {
		const command = 'contextd.context.compact';
		const { message } = await app.refusal('workspace/executeCommand', {
			command,
			arguments: [{ sessionId: 's', target: 1 }],
		});
		expect(message).toBe('arguments[0].target: no such member (did you mean "targetTokens"?)');
	});

	it('a notification with a misspelled member is logged and has no effect', async () => {
		app.notify('context/didReadFile', { sessionId: 's', url: 'file:///x' });
		await app.awaitNotification('window/logMessage', ({ message }: { message: string }) =>
			message.includes('context/didReadFile ignored: params.url: no such member (did you mean "uri"?)'),
		);
	});
});

describe('other spellings of known members', () => {
	const known = [
		'sessionId',
		'targetTokens',
		'dryRun',
		'includeMessages',
		'systemPrompt',
		'request',
		'format',
	];
	const place = { names: known, innerShapes: new Map() };
	const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
	const writings: ((name: string) => string)[] = [
		snake,
		(name) => snake(name).toUpperCase(),
		(name) => snake(name).replaceAll('_', '-'),
		(name) => name.toLowerCase(),
		(name) => `${name}s`,
		(name) => name.slice(0, -1),
		(name) => `${name.slice(1, 2)}${name.slice(0, 1)}${name.slice(2)}`,
	];

	it('another spelling of a known member suggests that one, whatever other members are given', () => {
		const property = fc.property(
			fc.constantFrom(...known),
			fc.constantFrom(...writings),
			fc.subarray(known),
			(name, write, others) => {
				fc.pre(!known.includes(write(name)));
				const params = Object.fromEntries([...others, write(name)].map((one) => [one, 1]));
				expect(findUnknownMembers(place, params)).toEqual([{ path: [write(name)], suggestion: name }]);
			},
		);
		fc.assert(property);
	});
});

describe('unknown members', () => {
	it("an unknown member is ignored with a warning in the client's log", async () => {
		const params = { sessionId: 's', colour: 'blue', request: { mood: 'good' } };
		expect((await app.start('context/stats', params).reply).error).toBeUndefined();
		await app.awaitNotification(
			'window/logMessage',
			({ type, message }: { type: number; message: string }) => {
				const text = 'context/stats: ignoring unknown parameters params.colour, params.request.mood';
				return type === 2 && message === text;
			},
		);
	});

	it('a warning about unknown members lists at most the first of them', async () => {
		const many = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`odd${index}xx`, 1]));
		expect((await app.start('session/list', many).reply).error).toBeUndefined();
		await app.awaitNotification('window/logMessage', ({ message }: { message: string }) =>
			message.endsWith('params.odd0xx, params.odd1xx, params.odd2xx, and 97 more'),
		);
	});

	it('unknown members of messages, metadata, arguments, errors and usage are accepted silently', async () => {
		const met = await startTestApp();
		const odd = { Content: 1, tool_calls: [], contents: '' };
		await begin(met, 'odd', [
			userSays('hi', { ...odd, metadata: { is_summary: true } }),
			assistantSays('', {
				toolCalls: [{ id: 'c', name: 'run', args: { session_id: 1 } }],
				usage: { input: 1, output: 1, ...{ outputs: 3, cache_read: 1 } },
			}),
		]);
		for (const [method, params] of [
			['context/classifyError', { error: { Error: 1, errors: [] } }],
			[
				'session/reportUsage',
				{ sessionId: 'odd', messageId: 'm', usage: { input: 1, output: 1, outputs: 2 } },
			],
			['context/count', { messages: [{ role: 'user', content: 'x', contents: 1 }] }],
			['context/count', { request: { toolDefinitions: [{ tool_definitions: 1 }] } }],
			['context/stats', { sessionId: 'odd', workDoneToken: 'w', partialResultToken: 'p' }],
		] as const) {
			const { error } = await met.start(method, params).reply;
			expect([method, error?.code === -32602 ? error.message : undefined]).toEqual([method, undefined]);
		}
		expect((await met.ask(contextHistory, { sessionId: 'odd' })).messages[0]).toMatchObject(odd);
		expect(met.errors()).not.toMatch(/no such member|is unknown/);
		await met.stop();
	});
});
