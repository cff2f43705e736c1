/** Sessions that fill their window to a given share. */

import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import { appendMessages } from '../../../server/session/append.ts';
import { prepareHistory } from '../../../server/session/compaction/prepare.ts';
import { answer, prose, user } from '../../support/messages.ts';
import { previewNow, sessionWith, testWorld, unwatched } from '../../support/world.ts';

/** Returns a session whose history takes this share of the available tokens. */
export async function filled(
	messages: readonly ChatMessage[],
	share: number,
	over: Parameters<typeof testWorld>[0] = {},
) {
	const world = testWorld(over);
	const session = await sessionWith(world, messages);
	const { tokensBefore } = await previewNow(session);
	session.state.info.contextWindow = Math.round(tokensBefore / share / 0.65);
	return {
		world,
		session,
		append: (more: ChatMessage[]) => appendMessages(session, more, 'contextd', { client: session.client }),
		prepared: () => prepareHistory(session, { format: 'contextd' }, unwatched(session)),
	};
}

/** Returns a conversation with this number of turns, without tools. */
export const chat = (turns: number): ChatMessage[] => [
	user('u', 'the task'),
	...Array.from({ length: turns }, (_, index) => [
		answer(`a${index}`, prose(60, index)),
		user(`q${index}`, prose(30, index)),
	]).flat(),
];
