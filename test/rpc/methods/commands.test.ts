import { beforeAll, describe, expect, it } from 'vitest';
import { sharedApp, startTestApp } from '../../support/app.ts';
import { begin, conversation, historyIn, statsIn } from '../../support/talk.ts';

const app = sharedApp();
let capabilities: {
	executeCommandProvider: { commands: string[] };
	experimental: { contextd: Record<string, unknown> };
};

beforeAll(async () => {
	await begin(app, 's', conversation(10, 100));
	const { reply } = app.start('initialize', {});
	expect((await reply).error?.code).toBe(-32600);
	const own = await startTestApp();
	capabilities = own.initialized.capabilities as never;
	await own.stop();
});

const experimental = () => capabilities.experimental.contextd;

const commands = () => capabilities.executeCommandProvider.commands;

const execute = (command: string, argument?: unknown) =>
	app.start('workspace/executeCommand', { command, ...(argument !== undefined && { arguments: [argument] }) })
		.reply;

describe('capabilities of the daemon', () => {
	it('capabilities list formats, estimators, framings and transcripts', () => {
		expect(capabilities).toMatchObject({
			workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
		});
		expect(experimental()).toMatchObject({
			version: 1,
			formats: [
				'contextd',
				'anthropic',
				'openai',
				'openai-responses',
				'gemini',
				'neurolink',
				'bedrock',
				'ai-sdk',
			],
			estimators: ['heuristic', 'exact', 'calibrated'],
			framings: ['content-length', 'ndjson'],
			transcripts: expect.any(Array),
		});
	});

	it('capabilities list a command for every method under context/, and no method that is not served', async () => {
		const methods = experimental().methods as string[];
		for (const method of methods) {
			if (method.startsWith('context/'))
				expect(commands()).toContain(`contextd.${method.replaceAll('/', '.')}`);
			const { error } = await app.start(method, ['x']).reply;
			expect([method, error?.code]).toEqual([method, -32602]);
		}
	});
});

describe('commands of workspace/executeCommand', () => {
	it.each([
		['context.stats', {}],
		['context.count', { text: 'some words' }],
		['context.timeline', {}],
		['context.history', {}],
		['context.history', { includeHidden: true }],
		['context.checkpoints', {}],
		['context.original', { messageId: 'm3' }],
		['context.classifyError', { error: 'prompt is too long: 5 tokens > 4 maximum' }],
		['context.truncateToolOutput', { output: 'a\nb\nc', maxLines: 1 }],
		['context.compact', { dryRun: true, includeMessages: false, targetTokens: 300 }],
		['context.prepare', {}],
	])('contextd.%s answers like the request', async (name, more) => {
		const params = { sessionId: 's', ...more };
		const method = name.replace('.', '/');
		const [byCommand, byRequest] = [
			await execute(`contextd.${name}`, params),
			await app.start(method, params).reply,
		];
		expect(byCommand.error).toBeUndefined();
		expect(byCommand.result).toEqual(byRequest.result);
	});

	it('contextd.context.compact changes sessions like the request', async () => {
		const { result } = await execute('contextd.context.compact', { sessionId: 's', includeMessages: false });
		expect(result).toMatchObject({ outcome: 'compacted' });
		const compacted = await statsIn(app, 's');
		expect(compacted.lastCompaction).toMatchObject({ undone: false });
		expect(compacted.undoable).toEqual(compacted.lastCompaction);
		await execute('contextd.context.undo', { sessionId: 's' });
		const undone = await statsIn(app, 's');
		expect(undone.lastCompaction).toMatchObject({ undone: true });
		expect(undone.undoable).toBeUndefined();
		expect(await historyIn(app, 's')).toEqual(conversation(10, 100));
	});
});

describe('cancelled requests', () => {
	it.each(['context/compact', 'context/prepare', 'context/recover'])(
		'a cancelled %s leaves the session unchanged',
		async (method) => {
			const id = `cancel-${method}`;
			await begin(app, id, conversation(800, 60), { contextWindow: 30_000 });
			const before = await statsIn(app, id);
			const call = app.start(method, {
				sessionId: id,
				error: 'prompt is too long',
				workDoneToken: id,
			});
			await app.awaitNotification('$/progress', ({ token }: { token: string }) => token === id);
			app.cancel(call.id);
			expect((await call.reply).error?.code).toBe(-32800);
			const { sessionId: _, ...after } = await statsIn(app, id);
			expect({ sessionId: id, ...after }).toEqual(before);
			expect(
				(await app.start('context/compact', { sessionId: id, includeMessages: false }).reply).result,
			).toMatchObject({ outcome: 'compacted' });
		},
	);
});
