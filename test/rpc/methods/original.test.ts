import { describe, expect, it } from 'vitest';
import { contextOriginal } from '../../../server/protocol/history.ts';
import { sharedApp } from '../../support/app.ts';
import { userSays } from '../../support/messages.ts';
import { sessionMaker } from '../../support/talk.ts';
import { compactIn, work } from './work.ts';

const app = sharedApp();

const withMessages = sessionMaker(app, 'original');

describe('context/original', () => {
	it('context/original returns what a placeholder or a summary replaced, in portions and by search', async () => {
		const id = await withMessages(work(30));
		const { removed } = await compactIn(app, id);
		const gone = removed.find(({ messageId }) => messageId.startsWith('r'));
		const original = work(30).find((message) => message.id === gone?.messageId)?.content as string;
		const whole = await app.ask(contextOriginal, { sessionId: id, messageId: gone?.messageId ?? '' });
		expect(whole).toEqual({ content: original, totalChars: original.length, hasMore: false });
		const part = await app.ask(contextOriginal, {
			sessionId: id,
			messageId: gone?.messageId ?? '',
			offset: 10,
			limit: 20,
		});
		expect(part).toEqual({ content: original.slice(10, 30), totalChars: original.length, hasMore: true });
		const found = await app.ask(contextOriginal, {
			sessionId: id,
			messageId: gone?.messageId ?? '',
			search: 'export const',
			limit: 0,
		});
		expect(found.matches?.[1]).toMatchObject({ line: 2, text: original.split('\n')[1] });
	});

	it('context/original returns nothing beyond the end', async () => {
		const id = await withMessages([userSays('short', { id: 'x' })]);
		expect(await app.ask(contextOriginal, { sessionId: id, messageId: 'x', offset: 1e9 })).toEqual({
			content: '',
			totalChars: 5,
			hasMore: false,
		});
	});
});
