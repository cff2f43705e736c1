/** What reading files for sessions needs, and what is asked of it. */

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

export interface ReadOrder {
	uri: string;
	/** From 1. */
	startLine?: number;
	/** Included. */
	endLine?: number;
	/** The call whose result the content will be. */
	toolCallId?: string;
}
