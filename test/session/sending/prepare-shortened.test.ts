import { expect, it } from 'vitest';
import type { FormatName } from '../../../server/protocol/conversation.ts';
import { appendMessages } from '../../../server/session/append.ts';
import { renderHistory } from '../../../server/session/history.ts';
import { logLines, prose } from '../../support/messages.ts';
import { compactNow, sessionWith, testWorld } from '../../support/world.ts';

/** Shortens everything unprotected in a session of these messages. Returns a function that renders its history in a format. */
async function shortened(format: FormatName, messages: readonly unknown[], targetTokens: number) {
	const world = testWorld();
	const session = await sessionWith(world, [], { contextWindow: 200_000 });
	await appendMessages(session, messages, format, { client: session.client });
	const config = { enableSummarize: false, recentCount: 99 };
	await compactNow(session, { targetTokens, config });
	return (to: FormatName) => renderHistory(session, to);
}

it('a shortened result keeps the other members of its block', async () => {
	const result = {
		type: 'tool_result',
		tool_use_id: 'toolu_1',
		is_error: true,
		cache_control: { type: 'ephemeral' },
		content: logLines(400),
	};
	const history = await shortened(
		'anthropic',
		[
			{ role: 'user', content: 'Go.' },
			{ role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'run', input: {} }] },
			{ role: 'user', content: [result] },
			{ role: 'assistant', content: 'Done.' },
			{ role: 'user', content: 'Thanks.' },
		],
		1_000,
	);
	const { messages } = await history('anthropic');
	const [block] = (messages[2] as { content: (typeof result)[] }).content;
	expect(block).toMatchObject({ ...result, content: expect.any(String) });
	expect(block?.content.length).toBeLessThan(result.content.length / 2);
});

it('a shortened call keeps the id that its reasoning belongs to', async () => {
	const reasoning = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'c2VhbGVk' };
	const args = JSON.stringify({ path: 'a.ts', text: logLines(400) });
	const call = {
		type: 'function_call',
		id: 'fc_1',
		call_id: 'c1',
		name: 'write',
		arguments: args,
		status: 'completed',
	};
	const history = await shortened(
		'openai-responses',
		[
			{ type: 'message', role: 'user', content: 'Go.' },
			reasoning,
			call,
			{ type: 'function_call_output', call_id: 'c1', output: 'Written.' },
			{ type: 'message', role: 'user', content: 'Thanks.' },
		],
		600,
	);
	const { messages } = await history('openai-responses');
	expect(messages[1]).toEqual(reasoning);
	expect(messages[2]).toMatchObject({ ...call, arguments: expect.any(String) });
	const { arguments: kept } = messages[2] as typeof call;
	expect(kept.length).toBeLessThan(args.length / 2);
	expect(JSON.parse(kept)).toMatchObject({ path: 'a.ts' });
});

it('thinking that another provider signed is not sent as the reader’s own', async () => {
	const answer = {
		role: 'model',
		parts: [{ text: 'I must look.', thought: true, thoughtSignature: 'Z2VtaW5p' }, { text: prose(2_000) }],
	};
	const history = await shortened(
		'gemini',
		[{ role: 'user', parts: [{ text: 'Go.' }] }, answer, { role: 'user', parts: [{ text: 'Thanks.' }] }],
		500,
	);
	const { messages, warnings } = await history('anthropic');
	expect(JSON.stringify(messages)).not.toContain('thinking');
	expect(JSON.stringify(messages).length).toBeLessThan(8_000);
	expect(warnings.join()).toContain('reasoning');
	expect(JSON.stringify((await history('gemini')).messages)).toContain('Z2VtaW5p');
});
