/** Sessions that fill their window to a wanted share. */

import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import { appendMessages } from '../../../server/session/append.ts';
import { prepare } from '../../../server/session/compaction/prepare.ts';
import { answer, prose, user } from '../../support/messages.ts';
import { previewNow, sessionWith, testWorld, unwatched } from '../../support/world.ts';

/** A session whose history takes this share of what is available. */
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
		prepared: () => prepare(session, { format: 'contextd' }, unwatched(session)),
	};
}

/** A conversation of so many turns without tools. */
export const chat = (turns: number): ChatMessage[] => [
	user('u', 'the task'),
	...Array.from({ length: turns }, (_, index) => [
		answer(`a${index}`, prose(60, index)),
		user(`q${index}`, prose(30, index)),
	]).flat(),
];
