import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { formatNames } from '../../server/core/format/names.ts';
import { contextCompact } from '../../server/protocol/compact.ts';
import { contextHistory, contextOriginal } from '../../server/protocol/history.ts';
import { sessionAppend, sessionOpen, sessionUpdate } from '../../server/protocol/session.ts';
import { contextStats } from '../../server/protocol/stats.ts';
import { freshFolder, startingApps } from '../support/app.ts';
import { assistantSays, userSays } from '../support/messages.ts';
import { begin } from '../support/talk.ts';

const apps = startingApps();
let home: string;

const start = () => apps.start({ home });

const call = { id: 'c1', name: 'Read', args: { file_path: '/w/secret-of-the-call.ts' } };
const messages = [
	userSays('the first request', { id: 'first' }),
	assistantSays('an answer that calls', { id: 'caller', toolCalls: [call] }),
	{ role: 'tool', id: 'result', toolCallId: 'c1', toolName: 'Read', content: 'what the tool found' },
	...Array.from({ length: 20 }, (_, index) =>
		index % 2
			? userSays(`question ${index} ${'words '.repeat(60)}`)
			: assistantSays(`answer ${index} ${'words '.repeat(60)}`),
	),
	userSays('the last request', { id: 'last' }),
];

/** Flips one bit of the first occurrence of a text in the journal. */
async function flip(text: string): Promise<void> {
	const path = join(home, 'sessions', 's.jsonl');
	const bytes = await readFile(path);
	const index = bytes.indexOf(text);
	expect(index).toBeGreaterThan(0);
	bytes.writeUInt8(bytes.readUInt8(index) ^ 1, index);
	await writeFile(path, bytes);
}

beforeEach(async () => {
	home = freshFolder();
	const app = await start();
	await begin(app, 's', messages);
	// Opening a session checks its last record, so the damaged messages must come before that.
	await app.ask(sessionAppend, { sessionId: 's', messages: [assistantSays('the end')] });
	await apps.stop();
});

const noted = (messageId: string) =>
	expect.stringMatching(new RegExp(`^\\[Message ${messageId} is damaged on disk: \\d+ bytes at byte \\d+ `));

describe('messages that are damaged on disk', () => {
	it('a damaged message is replaced by a placeholder with a warning, and all others are unchanged', async () => {
		await flip('an answer that calls');
		const app = await start();
		expect(await app.ask(sessionOpen, { sessionId: 's' })).toMatchObject({ messageCount: 25 });
		const { messages: history, warnings } = await app.ask(contextHistory, { sessionId: 's' });
		const found = history as typeof messages;
		expect(found).toHaveLength(25);
		expect(found[1]).toMatchObject({
			id: 'caller',
			role: 'assistant',
			content: noted('caller'),
			toolCalls: [{ id: 'c1', name: 'Read', args: {} }],
			metadata: { truncated: true, damaged: true },
		});
		expect(found.toSpliced(1, 1)).toEqual([...messages, assistantSays('the end')].toSpliced(1, 1));
		expect(warnings).toEqual([
			expect.stringMatching(/^message "caller" is damaged on disk \(\d+ bytes at byte \d+/),
		]);
	});

	it.each(formatNames)(
		'a damaged message leaves a history that is valid in the format %s',
		async (format) => {
			await flip('what the tool found');
			const app = await start();
			const { warnings } = await app.ask(contextHistory, { sessionId: 's', format });
			expect(warnings).toContainEqual(expect.stringContaining('message "result" is damaged'));
			const { reply } = app.start('context/validate', { sessionId: 's', format });
			expect((await reply).result).toMatchObject({ valid: true });
		},
	);

	it.each(['the first request', 'an answer that calls', 'what the tool found', 'the last request'])(
		'a damaged message fails no call on the session: %s',
		async (text) => {
			await flip(text);
			const app = await start();
			const error = 'prompt is too long: 250000 tokens > 200000 maximum';
			for (const [method, params] of [
				['context/history', { includeHidden: true }],
				['context/prepare', {}],
				['context/export', { format: 'claude-code' }],
				['context/stats', { model: 'gpt-4o', provider: 'openai' }],
				['context/original', { messageId: 'first' }],
				['context/compact', { targetTokens: 300 }],
				['context/history', { includeHidden: true }],
				['context/recover', { error }],
				['context/undo', {}],
				['session/rewind', { messageId: 'first' }],
			] as const) {
				const { error: refusal } = await app.start(method, { sessionId: 's', ...params }).reply;
				expect([method, refusal]).toEqual([method, undefined]);
			}
		},
	);

	it('a damaged message is reported in the full history too, and when its original is requested', async () => {
		await flip('answer 4 words');
		const app = await start();
		const compaction = await app.ask(contextCompact, { sessionId: 's', targetTokens: 300 });
		expect(compaction).toMatchObject({ compacted: true });
		const { warnings } = await app.ask(contextHistory, { sessionId: 's', includeHidden: true });
		expect(warnings).toHaveLength(1);
		const { content } = await app.ask(contextOriginal, { sessionId: 's', messageId: 'm7' });
		expect(content).toEqual(noted('m7'));
	});

	it('a damaged message keeps its token count when the session is recounted', async () => {
		await flip('answer 4 words');
		const app = await start();
		const before = await app.ask(contextStats, { sessionId: 's' });
		await app.ask(sessionUpdate, { sessionId: 's', provider: 'openai', model: 'gpt-4o' });
		await app.ask(sessionUpdate, { sessionId: 's', provider: 'anthropic', model: 'claude-sonnet-4' });
		const after = await app.ask(contextStats, { sessionId: 's' });
		expect(after?.estimatedInputTokens).toBe(before?.estimatedInputTokens);
	});
});
