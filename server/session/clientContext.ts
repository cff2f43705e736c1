/** One client of the daemon, passed to everything that works on its behalf. */

import type { Settings } from '../protocol/settings.ts';
import type { AskModel, Logger } from './ports.ts';

export interface ClientContext {
	/** Unique among the clients of a process. */
	readonly id: string;
	/** The client's current settings. */
	getSettings(): Settings;
	/** Asks a model with the client's keys, or the client's own model; absent if no model may be asked. */
	askModel?: AskModel;
	/** Whether the client offers its user's model. */
	hasModel(): boolean;
	/** The client's workspace folders, as paths. */
	listFolders(): readonly string[];
	/** Log for messages that concern only this client. */
	log: Logger;
}
