import { describe, expect, it } from 'vitest';
import { getFormatAdapter } from '../../server/core/format/formats.ts';
import { formatNames } from '../../server/core/format/names.ts';
import type { IdentifiedMessage } from '../../server/protocol/conversation.ts';
import { appendMessages } from '../../server/session/append.ts';
import { encodeBody } from '../../server/session/body.ts';
import { commit } from '../../server/session/commit.ts';
import { renderFullHistory, renderHistory } from '../../server/session/history.ts';
import { listeningLogger } from '../support/logger.ts';
import { row } from '../support/rows.ts';
import { conversation } from '../support/talk.ts';
import { compactNow, sessionWith, testWorld } from '../support/world.ts';

/** Tool results and calls of each format, as clients send them. */
const messages: readonly Record<string, unknown>[] = [
	{ type: 'function_call_output', call_id: 'k', output: 'done' },
	{ type: 'custom_tool_call_output', call_id: 'k', output: 'done' },
	{ type: 'function_call', call_id: 'k', name: 'run', arguments: '{}' },
	{ type: 'local_shell_call', call_id: 'k', action: { command: ['ls'] } },
	{ type: 'reasoning', summary: [{ text: 'so' }], encrypted_content: 'e' },
	{ role: 'tool', tool_call_id: 'k', content: 'done' },
	{ role: 'tool', toolCallId: 'k', content: 'done', isError: true, tokens: 3 },
	{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'k', content: 'done' }] },
	{ role: 'user', content: [{ toolResult: { toolUseId: 'k', content: [{ json: { a: 1 } }] } }] },
	{ role: 'user', parts: [{ functionResponse: { name: 'run', response: { a: 1 } } }] },
	{
		role: 'tool',
		content: [{ type: 'tool-result', toolCallId: 'k', toolName: 'run', output: { type: 'json', value: 1 } }],
	},
	{ role: 'assistant', content: '', toolCalls: [{ id: 'k', name: 'run', args: { a: 1 } }] },
];

/** Yields copies of the value, each with another member replaced. */
function* spoiled(value: unknown, other: unknown): Generator<unknown> {
	yield other;
	if (typeof value !== 'object' || value === null) return;
	for (const [key, held] of Object.entries(value)) {
		for (const one of spoiled(held, other))
			yield Array.isArray(value) ? value.with(Number(key), one) : { ...value, [key]: one };
	}
}

function isTaken(format: (typeof formatNames)[number], message: unknown): boolean {
	try {
		getFormatAdapter(format).parse(message);
		return true;
	} catch {
		return false;
	}
}

describe('messages that were accepted', () => {
	it('an accepted message can be read again as it is stored, even with numbers that JSON cannot hold', () => {
		let taken = 0;
		for (const format of formatNames) {
			for (const message of messages) {
				for (const other of [
					Number.POSITIVE_INFINITY,
					Number.NEGATIVE_INFINITY,
					[Number.POSITIVE_INFINITY],
					null,
				]) {
					for (const one of spoiled(message, other)) {
						if (!isTaken(format, one)) continue;
						taken++;
						const stored = JSON.parse(JSON.stringify(one));
						expect([format, stored, isTaken(format, stored)]).toEqual([format, stored, true]);
					}
				}
			}
		}
		expect(taken).toBeGreaterThan(250);
	});

	it('a stored message of an unknown form is shown as damaged, without affecting other messages', async () => {
		const log = listeningLogger();
		const test = testWorld({ log });
		const session = await sessionWith(test, conversation(8, 120));
		const unknown = row('odd', { role: 'tool', answers: 'k' });
		const body = encodeBody('openai-responses', { type: 'function_call_output', call_id: 'k', output: null });
		await commit(session, { t: 'append', at: 1, rows: [unknown] }, [body]);
		await appendMessages(session, [{ role: 'user', content: 'behind' }], 'contextd', {
			client: session.client,
		});
		for (const again of [async () => test.store, test.restart]) {
			const store = await again();
			const { messages: found, warnings } = await store.run('s', test.client, (one) =>
				renderFullHistory(one),
			);
			const messages = found as IdentifiedMessage[];
			expect(messages.find(({ id }) => id === 'odd')).toMatchObject({ metadata: { damaged: true } });
			expect(messages.filter(({ metadata }) => metadata?.damaged)).toHaveLength(1);
			expect(warnings).toEqual([expect.stringContaining('"odd"')]);
			await store.run('s', test.client, (one) => renderHistory(one, 'anthropic'));
			await store.run('s', test.client, (one) => compactNow(one, { targetTokens: 300 }));
		}
		expect(log.lines.join('\n')).toContain('of its journal: output: expected a string');
	});
});
