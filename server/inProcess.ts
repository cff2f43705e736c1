/** A client that is served in this process, with services of its own. */

import { type Conversation, type ConversationOptions, serveConversation } from './conversation.ts';
import { FolderOwner } from './node/folderOwner.ts';
import { createServices, type ServicesOptions } from './services.ts';

export type InProcessOptions = Omit<ServicesOptions, 'log' | 'otherOwner'> &
	Omit<ConversationOptions, 'onShutdown'>;

export interface InProcess extends Conversation {
	/** The state folder; the client's settings decide about it in `initialize`. */
	stateFolder(): string;
}

/**
 * Serves one client over a pair of streams. When it leaves, everything is flushed and closed. Sessions can only be read
 * while another process has the state folder.
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
