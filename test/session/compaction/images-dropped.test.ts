import { describe, expect, it } from 'vitest';
import { formatNames } from '../../../server/core/format/names.ts';
import type { ChatMessage, ContentPart } from '../../../server/protocol/conversation.ts';
import { renderHistory } from '../../../server/session/history.ts';
import { undoStep } from '../../../server/session/steps.ts';
import { answer, call, prose, result, user } from '../../support/messages.ts';
import { validate } from '../../support/validate.ts';
import { compactNow, historyOf, sessionWith, testWorld } from '../../support/world.ts';

const picture = (name: string): ContentPart => ({
	type: 'image',
	mediaType: 'image/png',
	data: Buffer.from(name.repeat(40)).toString('base64'),
	width: 1200,
	height: 800,
});
const said = (text: string): ContentPart => ({ type: 'text', text });

const messages: ChatMessage[] = [
	user('u0', [said('Make the desk look like this.'), picture('sketch')]),
	call('c0', ['1'], 'screenshot', {}, { content: [{ type: 'reasoning', text: prose(60) }, said('I look.')] }),
	result('r0', '1', [said('the page'), picture('before')]),
	user('u1', [said('The corner is wrong, see here.'), picture('corner')]),
	answer('a1', 'I see it.'),
	user('u2', 'Go on.'),
	call('c2', ['2'], 'screenshot'),
	result('r2', '2', [picture('after')]),
];

const contentOf = (history: readonly ChatMessage[], id: string) =>
	history.find((one) => one.id === id)?.content;

describe('compaction with dropImages alone', () => {
	it('dropImages replaces each image that was answered by a note, and changes nothing else', async () => {
		const session = await sessionWith(testWorld(), messages);
		const done = await compactNow(session, { config: { dropImages: true } });
		expect(done).toMatchObject({ outcome: 'compacted', stagesUsed: ['prune'] });
		const history = await historyOf(session);
		expect(contentOf(history, 'r0')).toEqual([said('the page'), said('[Image cleared; original r0]')]);
		expect(contentOf(history, 'u1')).toEqual([
			said('The corner is wrong, see here.'),
			said('[Image cleared; original u1]'),
		]);
		const others = messages.filter(({ id }) => id !== 'r0' && id !== 'u1');
		for (const message of others) expect(history).toContainEqual(message);
	});

	it('dropImages and dropReasoning work together', async () => {
		const session = await sessionWith(testWorld(), messages);
		await compactNow(session, { config: { dropImages: true, dropReasoning: true } });
		const history = await historyOf(session);
		expect(contentOf(history, 'c0')).toEqual([said('I look.')]);
		expect(JSON.stringify(contentOf(history, 'r0'))).not.toContain('"image"');
	});

	it.each(formatNames)('dropImages leaves a history that is valid in the format %s', async (format) => {
		const session = await sessionWith(testWorld(), messages);
		await compactNow(session, { config: { dropImages: true } });
		const rendered = await renderHistory(session, format);
		expect(validate(rendered.messages, format).problems).toEqual([]);
	});

	it('undo restores the images that dropImages removed', async () => {
		const session = await sessionWith(testWorld(), messages);
		await compactNow(session, { config: { dropImages: true } });
		await undoStep(session, session.client);
		expect(await historyOf(session)).toEqual(messages);
	});

	it('dropImages gives a reason if no answered image is left', async () => {
		const session = await sessionWith(testWorld(), [user('u', 'Hello.'), answer('a', 'Hello.')]);
		const done = await compactNow(session, { config: { dropImages: true } });
		expect(done.reason).toBe('no image is left that the model has answered');
	});
});
