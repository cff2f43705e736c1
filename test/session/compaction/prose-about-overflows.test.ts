import { expect, it } from 'vitest';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import { prepareHistory } from '../../../server/session/compaction/prepare.ts';
import { recoverFromError } from '../../../server/session/compaction/recover.ts';
import { answer, call, result, user } from '../../support/messages.ts';
import { historyOf, sessionWith, testWorld, unwatched } from '../../support/world.ts';

const words = [
	'The API said "prompt is too long: 210000 tokens > 200000 maximum", so the context overflowed.',
	'context_length_exceeded: This model’s maximum context length is 8192 tokens.',
	'{"error":{"code":"context_length_exceeded","message":"too long"}}',
];

const messages: ChatMessage[] = [
	user('u', `Why do I get this? ${words[0]}`),
	...words.map((text, index) => answer(`a${index}`, text)),
	call('c', ['k'], 'bash', { command: `grep -r "${words[1]}"` }),
	result('r', 'k', words.join('\n')),
	answer('end', words.join('\n')),
];

it('messages that talk about overflows come back unchanged and cause no compaction', async () => {
	const world = testWorld();
	const session = await sessionWith(world, messages);
	const prepared = await prepareHistory(session, { format: 'contextd' }, unwatched(session));
	expect(prepared).toMatchObject({ messages, compaction: null, warnings: [] });
	expect(world.compacted).toEqual([]);
});

it('a complete answer that talks about overflows is not an overflow', async () => {
	const world = testWorld();
	const session = await sessionWith(world, messages);
	const response = {
		id: 'msg_1',
		type: 'message',
		role: 'assistant',
		stop_reason: 'end_turn',
		content: [{ type: 'text', text: words[0] }],
		usage: { input_tokens: 300, output_tokens: 40 },
	};
	const answered = await recoverFromError(
		session,
		{ error: response, format: 'contextd' },
		unwatched(session),
	);
	expect(answered).toMatchObject({ isContextOverflow: false, reasonCode: 'no_overflow' });
	expect(await historyOf(session)).toEqual(messages);
});
