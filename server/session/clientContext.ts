/** One client of the daemon, for everything that works on its behalf. */

import type { Settings } from '../protocol/settings.ts';
import type { AskModel, Logger } from './ports.ts';

export interface ClientContext {
	/** Differs between the clients of a process. */
	readonly id: string;
	/** The client's settings, as they are now. */
	settings(): Settings;
	/** Asks a model under the client's keys, or the client's own; absent if none may be asked. */
	askModel?: AskModel;
	/** Whether the client offers its user's model. */
	offersModel(): boolean;
	/** The client's workspace folders, as paths. */
	folders(): readonly string[];
	/** What concerns this client alone. */
	log: Logger;
}
