/** A conversation of a plugin that was installed into an agent in Node or Bun. */

import { createConversation } from '../conversation.ts';
import type { Conversation, ConversationOptions } from '../shapes.ts';
import type { PluginGround } from './start.ts';

/** Returns the conversation of a session, over the daemon and the views of its plugin. */
export function createPluginConversation<Native>(
	{ daemon, store, resultTokens }: PluginGround,
	session: Pick<ConversationOptions<Native>, 'sessionId' | 'dialect' | 'onAside'>,
): Conversation<Native> {
	return createConversation<Native>({
		...session,
		ask: daemon.ask,
		clock: { now: () => Date.now() },
		store,
		rules: { tokens: resultTokens },
		undoCommand: '/contextd-undo',
		onCommand: '/contextd on',
	});
}
