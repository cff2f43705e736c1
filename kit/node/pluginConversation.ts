/** The conversation of an installed plugin in Node or Bun. */

import { createConversation } from '../conversation.ts';
import type { Conversation, ConversationOptions } from '../conversationTypes.ts';
import type { PluginServices } from './start.ts';

/** Returns the conversation of a session, with the daemon and the store of its plugin. */
export function createPluginConversation<HostMessage>(
	{ daemon, store, resultTokens }: PluginServices,
	session: Pick<ConversationOptions<HostMessage>, 'sessionId' | 'dialect' | 'onWarning'>,
): Conversation<HostMessage> {
	return createConversation<HostMessage>({
		...session,
		ask: daemon.ask,
		clock: { now: () => Date.now() },
		store,
		rules: { tokens: resultTokens },
		undoCommand: '/contextd-undo',
		onCommand: '/contextd on',
	});
}
