import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { getFormatAdapter } from '../../../server/core/format/formats.ts';
import { formatNames } from '../../../server/core/format/names.ts';
import {
	contextCompact,
	contextPrepare,
	contextRecover,
	contextUndo,
} from '../../../server/protocol/compact.ts';
import type { FormatName } from '../../../server/protocol/conversation.ts';
import { contextHistory } from '../../../server/protocol/history.ts';
import { sessionAppend, sessionOpen } from '../../../server/protocol/session.ts';
import { contextStats } from '../../../server/protocol/stats.ts';
import { contextValidate } from '../../../server/protocol/validate.ts';
import { histories } from '../../core/format/histories.ts';
import { appendedEntries } from '../../core/format/history.ts';
import { sharedApp } from '../../support/app.ts';
import { rendered } from '../../support/rendered.ts';
import { soakFactor } from '../../support/soak.ts';
import { conversations, outsideMessages } from '../formatFixtures.ts';

const app = sharedApp();
let sessions = 0;

async function sessionOf(format: FormatName, messages = conversations[format]): Promise<string> {
	const sessionId = `trip-${++sessions}`;
	await app.ask(sessionOpen, { sessionId, provider: 'anthropic', model: 'claude-sonnet-4-5' });
	await app.ask(sessionAppend, { sessionId, format, messages: [...messages] });
	return sessionId;
}

/** Returns the messages, except those that the format stores outside the list of messages. */
function inside(format: FormatName): unknown[] {
	return outsideMessages[format] === undefined ? [...conversations[format]] : conversations[format].slice(1);
}

async function expectValid(sessionId: string): Promise<void> {
	for (const format of formatNames) {
		const { messages } = await app.ask(contextHistory, { sessionId, format });
		for (const order of [{ sessionId }, { messages }]) {
			const { problems } = await app.ask(contextValidate, { ...order, format });
			expect([format, problems]).toEqual([format, []]);
		}
	}
}

describe.each(formatNames)('sessions in the format %s', (format) => {
	it('messages come back deep-equal in their own format, with system text outside if the format has it there', async () => {
		const sessionId = await sessionOf(format);
		const { messages, system, warnings } = await app.ask(contextHistory, { sessionId, format });
		expect(messages).toEqual(inside(format));
		expect(system).toEqual(outsideMessages[format]);
		expect(warnings).toBeUndefined();
	});

	it('messages can be read in every other format', async () => {
		await expectValid(await sessionOf(format));
	});

	it('prepare, recover and compact return the same messages and system text as history', async () => {
		const sessionId = await sessionOf(format);
		const { messages, system } = await app.ask(contextHistory, { sessionId, format });
		expect(await app.ask(contextPrepare, { sessionId, format })).toMatchObject(
			system === undefined ? { messages } : { messages, system },
		);
		const compacted = await app.ask(contextCompact, { sessionId, format, targetTokens: 400 });
		expect(compacted?.compacted).toBe(true);
		expect(compacted?.system).toEqual(system);
		const after = await app.ask(contextHistory, { sessionId, format });
		expect(compacted?.messages).toEqual(after.messages);
		await app.ask(contextUndo, { sessionId });
		const error = { code: 'context_length_exceeded' };
		const recovered = await app.ask(contextRecover, { sessionId, format, error });
		expect(recovered.retryable).toBe(true);
		expect(recovered.system).toEqual(system);
	});

	it('messages stay valid in every format over a compaction, and undo restores them', async () => {
		const sessionId = await sessionOf(format);
		const before = await app.ask(contextHistory, { sessionId, format });
		for (const targetTokens of [1_500, 600, 100]) {
			await app.ask(contextCompact, { sessionId, targetTokens, includeMessages: false });
			await expectValid(sessionId);
			const { messages } = await app.ask(contextHistory, { sessionId, format });
			// An untouched message is deep-equal to the appended one.
			expect(messages).toContainEqual(inside(format).at(-1));
		}
		const undoAll = async (): Promise<void> => {
			const { error } = await app.start(contextUndo.method, { sessionId }).reply;
			if (!error) await undoAll();
		};
		await undoAll();
		const { messages } = await app.ask(contextHistory, { sessionId, format });
		expect(messages).toEqual(before.messages);
	});

	it('random messages come back as they were appended', async () => {
		await fc.assert(
			fc.asyncProperty(histories, async (history) => {
				const adapter = getFormatAdapter(format);
				const provider = 'anthropic';
				const { messages } = rendered(adapter, appendedEntries('contextd', history), { provider });
				const sessionId = await sessionOf(format, messages);
				const back = await app.ask(contextHistory, { sessionId, format });
				expect(back.messages).toEqual(messages);
			}),
			{ numRuns: 10 * soakFactor },
		);
	});
});

describe('usage in messages of providers', () => {
	it.each(['contextd', 'anthropic', 'openai'] as const)('usage is read from %s', async (format) => {
		const index = conversations[format].findIndex((message) => 'usage' in (message as object));
		const sessionId = await sessionOf(format, conversations[format].slice(0, index + 1));
		const stats = await app.ask(contextStats, { sessionId });
		expect(stats?.source).toBe('reported');
		expect(stats?.estimatedInputTokens).toBe(2_040 + 60);
	});

	it('usage is read from openai-responses', async () => {
		const sessionId = await sessionOf('openai-responses', conversations['openai-responses'].slice(0, -1));
		const stats = await app.ask(contextStats, { sessionId });
		expect(stats).toMatchObject({ source: 'reported', estimatedInputTokens: 2_100 });
	});
});

describe('parts that a format cannot carry', () => {
	it('a warning names the message whose parts a format cannot carry', async () => {
		const sessionId = await sessionOf('anthropic');
		const { warnings } = await app.ask(contextHistory, { sessionId, format: 'openai' });
		expect(warnings?.every((warning) => warning.includes('msg_1'))).toBe(true);
		expect(warnings?.join()).toContain('redacted_thinking');
		expect(warnings?.join()).toContain('reasoning');
	});

	it('a warning names the message whose thinking another provider signed', async () => {
		const sessionId = await sessionOf('openai-responses');
		const { messages, warnings } = await app.ask(contextHistory, { sessionId, format: 'anthropic' });
		expect(JSON.stringify(messages)).not.toContain('b3BhcXVl');
		expect(warnings?.join()).toContain('rs_1');
	});
});

describe('ids of providers', () => {
	it("a provider's id is the message's own, and appending it again adds nothing", async () => {
		const sessionId = await sessionOf('anthropic');
		const all = conversations.anthropic;
		const again = await app.ask(sessionAppend, { sessionId, format: 'anthropic', messages: [all[2]] });
		expect(again.messageIds).toEqual(['msg_1']);
		const { messages } = await app.ask(contextHistory, { sessionId, format: 'anthropic' });
		expect(messages).toEqual(inside('anthropic'));
	});
});
