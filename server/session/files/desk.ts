/** What reading files for sessions needs. */

import type { Session } from '../session.ts';
import type { FileReader } from './reader.ts';
import type { FileTracker } from './tracker.ts';

/** What reading for sessions needs. */
export interface FileDesk {
	reader: FileReader;
	tracker: FileTracker;
	/** The folders that a session may read in, as paths. */
	folders(session: Session): readonly string[];
}
