/** Serves a client in this process, with its own services. */

import { type Conversation, type ConversationOptions, serveConversation } from './conversation.ts';
import { FolderOwner } from './node/folderOwner.ts';
import { createServices, type ServicesOptions } from './services.ts';

export type InProcessOptions = Omit<ServicesOptions, 'log' | 'otherOwner'> &
	Omit<ConversationOptions, 'onShutdown'>;

export interface InProcess extends Conversation {
	/** The state folder, which depends on the client's settings in `initialize`. */
	stateFolder(): string;
}

/**
 * Serves one client over a pair of streams. When it disconnects, everything is flushed and closed.
 * Sessions are read-only while another process owns the state folder.
 */
export function serveInProcess(options: InProcessOptions): InProcess {
	const folder = new FolderOwner();
	const services = createServices({ ...options, otherOwner: folder.otherOwner });
	const onShutdown = async (): Promise<void> => {
		await services.close();
		await folder.release();
	};
	const conversation = serveConversation(services, { ...options, onShutdown });
	return { ...conversation, stateFolder: services.stateFolder };
}
