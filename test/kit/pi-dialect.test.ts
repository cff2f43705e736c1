import { describe, expect, it } from 'vitest';
import { piDialect as dialect } from '../../client-pi/dialect.ts';
import type { PiMessage } from '../../client-pi/host.ts';

const said = (text: string) => [{ type: 'text', text }];
const usage = { input: 5, output: 2, cacheRead: 90, cacheWrite: 3 };
const answer: PiMessage = {
	role: 'assistant',
	content: [
		{ type: 'thinking', thinking: 'Hm.', thinkingSignature: 'sig' },
		...said('Looking.'),
		{ type: 'toolCall', id: 'c1', name: 'read', arguments: { path: 'a' } },
	],
	usage,
	stopReason: 'toolUse',
	timestamp: 1,
};
const result: PiMessage = {
	role: 'toolResult',
	toolCallId: 'c1',
	toolName: 'read',
	content: said('lines'),
	isError: false,
	timestamp: 2,
};

describe("pi's messages", () => {
	it('pi messages become neutral messages with usage', () => {
		expect(dialect.toNeutral(answer)).toEqual([
			{
				role: 'assistant',
				content: [
					{ type: 'reasoning', text: 'Hm.', signature: 'sig' },
					{ type: 'text', text: 'Looking.' },
				],
				toolCalls: [{ id: 'c1', name: 'read', args: { path: 'a' } }],
				usage,
			},
		]);
		expect(dialect.toNeutral(result)).toEqual([
			{ role: 'tool', content: 'lines', toolCallId: 'c1', toolName: 'read' },
		]);
		expect(dialect.toNeutral({ role: 'compactionSummary', summary: 'Before.' })).toEqual([
			{ role: 'user', content: 'Before.', metadata: { injected: true, isSummary: true } },
		]);
	});

	it('messages that pi does not send become no messages', () => {
		expect(dialect.toNeutral({ ...answer, stopReason: 'error' })).toEqual([]);
		expect(
			dialect.toNeutral({ role: 'bashExecution', command: 'ls', output: 'a', excludeFromContext: true }),
		).toEqual([]);
	});

	it('a shortened pi result gives the daemon its whole text, with the tokens of the short one', () => {
		const whole = 'line of words\n'.repeat(200);
		const cut = { ...result, details: { contextd: { whole } } };
		expect(dialect.toNeutral(cut)[0]).toMatchObject({ content: whole, tokens: 1, hasEstimatedTokens: true });
		expect(dialect.listResults(cut)).toEqual([{ callId: 'c1', text: 'lines', isShortened: true }]);
		expect(dialect.withoutUnsent?.(cut)).toEqual(result);
	});

	it('timestamps and the text of a result do not change the essence of a pi message', () => {
		const essence = (message: PiMessage) => JSON.stringify(dialect.getEssence(message));
		expect(essence({ ...result, content: said(''), timestamp: 9 })).toBe(essence(result));
		expect(essence({ role: 'user', content: 'a' })).toBe(
			essence({ role: 'user', content: said('a'), timestamp: 3 }),
		);
		expect(essence({ role: 'user', content: 'a' })).not.toBe(essence({ role: 'user', content: 'b' }));
	});

	it('a decision rewrites pi messages', () => {
		const truncated = { metadata: { truncated: true } };
		const short = {
			role: 'assistant' as const,
			content: 'Short.',
			toolCalls: [{ id: 'c1', name: 'read', args: {} }],
		};
		expect(dialect.rewrite(answer, [{ ...short, ...truncated }])?.content).toEqual([
			...said('Short.'),
			{ type: 'toolCall', id: 'c1', name: 'read', arguments: {} },
		]);
		expect(dialect.rewrite(answer, [short])).toBe(answer);
		expect(dialect.rewrite(answer, [undefined])).toBeUndefined();
	});
});
