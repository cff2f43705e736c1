import { expect, it } from 'vitest';
import type { ChatMessage } from '../../server/protocol/conversation.ts';
import { renderFullHistory } from '../../server/session/history.ts';
import { undoStep } from '../../server/session/steps.ts';
import { toolSession, user } from '../support/messages.ts';
import { compactNow, historyOf, sessionWith, testWorld } from '../support/world.ts';

type Tags = Pick<
	ChatMessage,
	'condenseId' | 'condenseParent' | 'truncationId' | 'truncationParent' | 'isTruncationMarker'
>;

/** Messages with tags that hide them behind a missing message, behind each other, or behind themselves. */
function tagged(): ChatMessage[] {
	const messages = toolSession(30).map(
		(message, index): ChatMessage => ({ ...message, condenseParent: index % 3 === 0 ? 'gone' : 'one' }),
	);
	messages.splice(
		4,
		0,
		user('first', 'Summary one.', { condenseId: 'one', condenseParent: 'two' }),
		user('second', 'Summary two.', { condenseId: 'two', condenseParent: 'one' }),
		user('third', 'Left out.', { isTruncationMarker: true, truncationId: 'self', truncationParent: 'self' }),
	);
	return messages;
}

const tagsOf = (message: ChatMessage | undefined): Tags => {
	const { condenseId, condenseParent, truncationId, truncationParent, isTruncationMarker } = message ?? {};
	return JSON.parse(
		JSON.stringify({ condenseId, condenseParent, truncationId, truncationParent, isTruncationMarker }),
	);
};

async function given() {
	const session = await sessionWith(testWorld(), tagged());
	const full = async () => (await renderFullHistory(session)).messages as ChatMessage[];
	return { session, full };
}

it('tags of appended messages hide nothing: every message is visible and unchanged', async () => {
	const { session } = await given();
	expect(await historyOf(session)).toEqual(tagged());
});

it('tags of appended messages are left out of the full history', async () => {
	const { full } = await given();
	const all = await full();
	expect(all.map(({ id }) => id)).toEqual(tagged().map(({ id }) => id));
	expect(all.every((message) => Object.keys(tagsOf(message)).length === 0)).toBe(true);
});

it('tags of a compaction replace those of appended messages, and lead to a visible message', async () => {
	const { session, full } = await given();
	const { compactionId } = await compactNow(session, { targetTokens: 3000 });
	const byId = new Map((await full()).map((message) => [message.id, message]));
	expect(tagsOf(byId.get('first'))).toEqual({ condenseParent: compactionId });
	expect(tagsOf(byId.get('third'))).toEqual({ condenseParent: compactionId });
	expect(tagsOf(byId.get('un'))).toEqual({});
	expect(tagsOf(byId.get(`summary-${compactionId}`))).toEqual({ condenseId: compactionId });
});

it('tags of appended messages do not affect undo', async () => {
	const { session } = await given();
	await compactNow(session, { targetTokens: 3000 });
	await undoStep(session, session.client);
	expect(await historyOf(session)).toEqual(tagged());
});
