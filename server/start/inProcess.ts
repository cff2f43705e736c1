/** Serves a client in this process, with its own services. */

import { FolderOwner } from '../node/folderOwner.ts';
import type { Server } from '../rpc/serve.ts';
import { ClientConversation, type ClientConversationOptions } from '../wiring/conversation.ts';
import { Services, type ServicesOptions } from '../wiring/services.ts';

export type InProcessOptions = Omit<ServicesOptions, 'log' | 'findOtherOwner'> &
	Omit<ClientConversationOptions, 'onShutdown'>;

/**
 * Serves one client over a pair of streams. When the client disconnects, everything is flushed and closed. Sessions
 * are read-only while another process owns the state folder.
 */
export function serveInProcess(options: InProcessOptions): Server {
	const folder = new FolderOwner();
	const services = new Services({ ...options, findOtherOwner: folder.findOtherOwner });
	const onShutdown = async (): Promise<void> => {
		await services.close();
		await folder.release();
	};
	return new ClientConversation(services, { ...options, onShutdown }).server;
}
