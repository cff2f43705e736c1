/** A client that is served in this process, with services of its own. */

import { type Conversation, type ConversationOptions, serveConversation } from './conversation.ts';
import { createServices, type ServicesOptions } from './services.ts';

export type InProcessOptions = Omit<ServicesOptions, 'log'> & Omit<ConversationOptions, 'onShutdown'>;

export interface InProcess extends Conversation {
	/** The state folder; the client's settings decide about it in `initialize`. */
	stateFolder(): string;
}

/** Serves one client over a pair of streams. When it leaves, everything is flushed and closed. */
export function serveInProcess(options: InProcessOptions): InProcess {
	const services = createServices(options);
	const conversation = serveConversation(services, { ...options, onShutdown: services.close });
	return { ...conversation, stateFolder: services.stateFolder };
}
