/** Results that are shortened on arrival, in a host that stores the shortened result. */

import { describe, expect, it } from 'vitest';
import { openCodeDialect as dialect } from '../../client-opencode/dialect.ts';
import type { OpenCodeMessage, OpenCodeResult } from '../../client-opencode/host.ts';
import { getOutputText, hasToolFailed, replaceOutput } from '../../client-opencode/plugin.ts';
import { createConversation } from '../../kit/conversation.ts';
import type { Conversation } from '../../kit/conversationTypes.ts';
import { createRecallText } from '../../kit/lookups.ts';
import type { Ask, ViewStore } from '../../kit/ports.ts';
import { estimateTokens } from '../../server/core/measure/text/textCounter.ts';
import { type App, freshFolder, startingApps } from '../support/app.ts';
import { memoryStore } from './host.ts';

const { start } = startingApps();
const window = { provider: 'mock', model: 'mock-1', contextWindow: 32_000, maxOutputTokens: 8000 };
/** Maximum tokens of a result in that window. */
const maxTokens = 2000;

const log = (lines: number) =>
	Array.from({ length: lines }, (_, no) => `${no}: module ${(no * 31) % 97} was built in ${no} ms`).join(
		'\n',
	);
const long = log(400);

interface Opened {
	conversation: Conversation<OpenCodeMessage>;
	asked: { sessionId: string; ask: Ask; conversation: Conversation<OpenCodeMessage> };
	isGone: boolean;
}

function opened(app: App, store: ViewStore = memoryStore(), sessionId = 'opencode:one'): Opened {
	const ask = (async (method: never, params: never) => {
		if (one.isGone) throw new Error('the daemon is gone');
		return app.ask({ kind: 'request', method } as never, params);
	}) as unknown as Ask;
	const clock = { now: () => performance.now() };
	const rules = { tokens: 4000 };
	const conversation = createConversation({ sessionId, dialect, ask, clock, store, rules });
	const one: Opened = { conversation, asked: { sessionId, ask, conversation }, isGone: false };
	return one;
}

interface Call {
	id: string;
	tool: string;
	args: object;
}

const info = (role: 'user' | 'assistant') => ({ id: `msg_${role}`, sessionID: 'ses_1', role });
const prompt: OpenCodeMessage = { info: info('user'), parts: [{ id: 'p', type: 'text', text: 'Go on.' }] };
const bash = (id: string): Call => ({ id, tool: 'bash', args: { command: 'make' } });
const read = (id: string, args: object = {}): Call => ({
	id,
	tool: 'read',
	args: { filePath: '/a.ts', ...args },
});

/** Returns the message that OpenCode stores for calls whose outputs passed through the plugin. */
function stored(
	{ conversation }: Opened,
	...calls: readonly [Call, OpenCodeResult | string][]
): OpenCodeMessage {
	const parts = calls.map(([{ id, tool, args }, given]) => {
		const output: OpenCodeResult = typeof given === 'string' ? { output: given, metadata: {} } : { ...given };
		const whole = getOutputText(output);
		const cut =
			whole === undefined
				? undefined
				: conversation.shortenResult({
						call: { id, name: tool, args },
						text: whole,
						isError: hasToolFailed(output),
					});
		if (cut) replaceOutput(output, cut);
		const text = output.output ?? output.content?.map((one) => one.text).join('\n\n');
		const state = {
			status: 'completed' as const,
			input: args,
			output: text,
			metadata: output.metadata,
		};
		return { id: `prt_${id}`, type: 'tool', callID: id, tool, state };
	});
	return { info: info('assistant'), parts };
}

const outputsOf = (messages: readonly OpenCodeMessage[]) =>
	messages.flatMap(({ parts }) => parts.flatMap(({ state }) => state?.output ?? []));

/** Sends a list like a new process of the host, without shared objects. Returns the outputs that the model gets. */
async function sent({ conversation }: Opened, raw: readonly OpenCodeMessage[]) {
	return outputsOf((await conversation.view(structuredClone([...raw]), window)).messages);
}

describe('results that are shortened on arrival', () => {
	it('a result that is shortened on arrival is stored and sent short, with the whole text in its metadata', async () => {
		const host = opened(await start({ home: freshFolder() }));
		await sent(host, [prompt]);
		const metadata = { exit: 0, description: 'Builds' };
		const answer = stored(host, [bash('c1'), { output: `${long}\nerror: no disk\n${long}`, metadata }]);
		const [output = ''] = outputsOf([answer]);
		expect(estimateTokens(output)).toBeLessThanOrEqual(maxTokens);
		expect(output).toContain(log(1));
		expect(output).toContain('error: no disk');
		expect(output).toContain('contextd_recall with "c1" gives the whole output');
		expect(answer.parts[0]?.state?.metadata).toEqual({
			...metadata,
			contextd: { whole: `${long}\nerror: no disk\n${long}` },
		});
		expect(await sent(host, [prompt, answer])).toEqual([output]);
	});

	it('a result of the Model Context Protocol is shortened on arrival, with its texts joined', async () => {
		const host = opened(await start({ home: freshFolder() }));
		await sent(host, [prompt]);
		const content = [long, 'end'].map((text) => ({ type: 'text', text }));
		const output: OpenCodeResult = { content };
		const cut = host.conversation.shortenResult({
			call: { id: 'c1', name: 'rows_all', args: {} },
			text: getOutputText(output) ?? '',
			isError: false,
		});
		if (cut) replaceOutput(output, cut);
		expect(output).toEqual({
			content: [{ type: 'text', text: cut?.text }],
			metadata: { contextd: { whole: `${long}\n\nend` } },
		});
		expect(cut?.text).toContain('gives the whole output');
	});

	it('recall finds the whole of a shortened result by its call, in the same process, a new one and a fork', async () => {
		const app = await start({ home: freshFolder() });
		const store = memoryStore();
		const host = opened(app, store);
		await sent(host, [prompt]);
		const raw = [prompt, stored(host, [bash('c1'), long])];
		const shown = await sent(host, raw);
		expect(await createRecallText(host.asked, 'c1')).toContain(long);
		const restarted = opened(app, store);
		expect(await sent(restarted, raw)).toEqual(shown);
		expect(await createRecallText(restarted.asked, 'c1')).toContain(long);
		const fork = opened(app, store, 'opencode:fork');
		expect(await sent(fork, raw)).toEqual(shown);
		expect(await createRecallText(fork.asked, 'c1')).toContain(long);
	});

	it('the daemon gets the whole of a shortened result once, although it was gone on arrival', async () => {
		const app = await start({ home: freshFolder() });
		const host = opened(app);
		await sent(host, [prompt]);
		host.isGone = true;
		const raw = [prompt, stored(host, [bash('c1'), long])];
		const shown = await sent(host, raw);
		expect(estimateTokens(shown[0] ?? '')).toBeLessThanOrEqual(maxTokens);
		host.isGone = false;
		expect(await sent(host, raw)).toEqual(shown);
		expect(await createRecallText(host.asked, 'c1')).toContain(long);
		const { stats } = await host.conversation.view(structuredClone(raw), window);
		expect(stats?.breakdown.conversationHistory).toBeLessThan(maxTokens + 200);
	});

	it('a result is shortened once, whatever the limit is later', async () => {
		const app = await start({ home: freshFolder() });
		const store = memoryStore();
		const host = opened(app, store);
		await sent(host, [prompt]);
		const raw = [prompt, stored(host, [bash('c1'), long])];
		const small = { ...window, contextWindow: 20_000, maxOutputTokens: 1000 };
		const { messages } = await opened(app, memoryStore()).conversation.view(structuredClone(raw), small);
		expect(outputsOf(messages)).toEqual(outputsOf(raw));
	});

	it('the stored view does not contain the whole of a shortened result', async () => {
		const app = await start({ home: freshFolder() });
		const store = memoryStore();
		const host = opened(app, store);
		const raw: OpenCodeMessage[] = [prompt];
		for (let no = 0; no < 8; no++) {
			await sent(host, raw);
			raw.push(stored(host, [bash(`c${no}`), long]), prompt);
		}
		await sent(host, raw);
		expect((await host.conversation.compact()).done).toBe(true);
		const kept = store.texts.get('opencode:one') ?? '';
		expect(kept).toContain('gives the whole output');
		expect(kept).not.toContain('module 0 was built in 194 ms');
	});
});

describe('results that stay whole on arrival', () => {
	/** Returns the stored outputs of these calls, in order. */
	async function outputs(...calls: readonly [Call, OpenCodeResult | string][]) {
		const host = opened(await start({ home: freshFolder() }));
		await sent(host, [prompt]);
		const answer = stored(host, ...calls);
		expect(await sent(host, [prompt, answer])).toEqual(outputsOf([answer]));
		return outputsOf([answer]);
	}

	it('a short result, a read with named lines, and a result of contextd stay whole on arrival', async () => {
		const recall = { id: 'c3', tool: 'contextd_recall', args: { query: 'c1' } };
		const given: [Call, string][] = [
			[bash('c1'), log(20)],
			[read('c2', { offset: 1, limit: 400 }), long],
			[recall, long],
		];
		expect(await outputs(...given)).toEqual([log(20), long, long]);
	});

	it('a failed result below 8,000 tokens stays whole on arrival', async () => {
		const huge = log(1200);
		expect(estimateTokens(huge)).toBeGreaterThan(8000);
		const failed = (output: string) => ({ output, metadata: { exit: 2 } });
		const [first, second] = await outputs([bash('c1'), failed(long)], [bash('c2'), failed(huge)]);
		expect(first).toBe(long);
		expect(second).not.toBe(huge);
	});

	it('a file that is read again after it was shortened stays whole, in any answer or process', async () => {
		const [first, second] = await outputs([read('c1'), long], [read('c2'), long]);
		expect(first).not.toBe(long);
		expect(second).toBe(long);
		const app = await start({ home: freshFolder() });
		const host = opened(app);
		await sent(host, [prompt]);
		const raw = [prompt, stored(host, [read('c1'), long])];
		const forgotten = opened(app, memoryStore(), 'opencode:two');
		await sent(forgotten, raw);
		const again = stored(forgotten, [read('c2'), long]);
		expect(outputsOf([again])).toEqual([long]);
		expect(await sent(forgotten, [...raw, again])).toEqual([...outputsOf(raw), long]);
	});

	it('results with images, giant results and missing ones stay whole on arrival', () => {
		expect(getOutputText(undefined)).toBeUndefined();
		expect(getOutputText({ output: long, attachments: [{}] })).toBeUndefined();
		expect(getOutputText({ content: [{ type: 'text', text: long }, { type: 'image' }] })).toBeUndefined();
		expect(getOutputText({ output: 'a'.repeat(2 ** 20 + 1) })).toBeUndefined();
		expect(getOutputText({ output: long, attachments: [] })).toBe(long);
	});
});
