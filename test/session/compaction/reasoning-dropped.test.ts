import { describe, expect, it } from 'vitest';
import { formatNames } from '../../../server/core/format/names.ts';
import type { ChatMessage, ContentPart } from '../../../server/protocol/conversation.ts';
import { renderHistory } from '../../../server/session/history.ts';
import { setPins, undoStep } from '../../../server/session/steps.ts';
import { answer, call, prose, result, user } from '../../support/messages.ts';
import { validate } from '../../support/validate.ts';
import { compactNow, historyOf, sessionWith, testWorld } from '../../support/world.ts';

const thought = (seed: number): ContentPart => ({
	type: 'reasoning',
	text: prose(120, seed),
	signature: `s${seed}`,
});
const said = (text: string): ContentPart => ({ type: 'text', text });
const secret: ContentPart = { type: 'opaque', value: { type: 'redacted_thinking', data: 'c2VjcmV0' } };

const messages: ChatMessage[] = [
	user('u0', 'Fix the parser.'),
	call('c0', ['1'], 'run', {}, { content: [thought(1), secret, said('I look.')] }),
	result('r0', '1', prose(80)),
	answer('a0', [thought(2), said('It is fixed.')]),
	answer('plain', 'And tested.'),
	user('u1', 'Now the lexer.'),
	call('c1', ['2'], 'run', {}, { content: [thought(3), said('I look again.')] }),
	result('r1', '2', prose(80)),
];

const dropped = { config: { dropReasoning: true } };

/** Returns a session of a model that sees the thinking of earlier turns again. */
const thinking = () => sessionWith(testWorld(), messages);

describe('compaction with dropReasoning alone', () => {
	it('dropReasoning removes reasoning from all turns but the running one, and nothing else', async () => {
		const session = await thinking();
		const answered = await compactNow(session, dropped);
		expect(answered).toMatchObject({ outcome: 'compacted', stagesUsed: ['prune'] });
		expect(answered.removed.map(({ messageId, change }) => [messageId, change])).toEqual([
			['c0', 'shortened'],
			['a0', 'shortened'],
		]);
		const history = await historyOf(session);
		expect(history.find(({ id }) => id === 'c0')?.content).toEqual([said('I look.')]);
		expect(history.find(({ id }) => id === 'a0')?.content).toEqual([said('It is fixed.')]);
		const others = messages.filter(({ id }) => id !== 'c0' && id !== 'a0');
		for (const message of others) expect(history).toContainEqual(message);
		expect(history.find(({ id }) => id === 'c0')?.toolCalls).toEqual(messages[1]?.toolCalls);
	});

	it.each(formatNames)('dropReasoning leaves a history that is valid in the format %s', async (format) => {
		const session = await thinking();
		await compactNow(session, dropped);
		const rendered = await renderHistory(session, format);
		expect(validate(rendered.messages, format).problems).toEqual([]);
		expect(JSON.stringify(rendered.messages)).not.toContain('"s1"');
	});

	it('undo restores the reasoning that dropReasoning removed', async () => {
		const session = await thinking();
		await compactNow(session, dropped);
		await undoStep(session, session.client);
		expect(await historyOf(session)).toEqual(messages);
	});

	it('dropReasoning works at every target, and finds nothing the second time', async () => {
		const session = await thinking();
		const { tokensAfter } = await compactNow(session, { ...dropped, targetTokens: 1_000_000 });
		const again = await compactNow(session, dropped);
		expect(again).toMatchObject({ compacted: false, tokensAfter });
		expect(again.reason).toContain('no reasoning');
	});

	it('dropReasoning leaves pinned messages unchanged', async () => {
		const session = await thinking();
		await setPins(session, { messageIds: ['a0'], pinned: true });
		await compactNow(session, dropped);
		expect(await historyOf(session)).toContainEqual(messages[3]);
	});

	it('dropReasoning gives a reason if there is no reasoning', async () => {
		const plain = [user('u', prose(90)), answer('a', prose(90)), user('v', 'go')];
		const session = await sessionWith(testWorld(), plain);
		const answered = await compactNow(session, dropped);
		expect(answered).toMatchObject({ outcome: 'nothing_to_compact', reasonCode: 'no_progress' });
		expect(answered.reason).toContain('no reasoning');
	});
});
