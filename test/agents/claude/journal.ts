/** Reads contextd's journal of a session as another daemon would. */

import { join } from 'node:path';
import type { LoggedCompaction } from '../../../server/protocol/compaction.ts';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import { contextHistory } from '../../../server/protocol/history.ts';
import { sessionList, sessionOpen } from '../../../server/protocol/session.ts';
import { type ContextStats, contextStats, contextTimeline } from '../../../server/protocol/stats.ts';
import { startDaemon } from '../../support/daemon.ts';
import type { ClaudeSession } from './session.ts';

/** A session as its journal contains it. */
export interface Journalled {
	/** All compactions, also undone ones, oldest first. */
	compactions: LoggedCompaction[];
	/** The session's stats; null if the journal is empty, because its few requests were sent without the daemon. */
	stats: ContextStats | null;
}

const stateOf = ({ home }: ClaudeSession): string => join(home, '.local/state/contextd');

/** Reads a session that no process has open: the main one by default. */
export async function journalOf(
	claude: ClaudeSession,
	sessionId = `claude:${claude.sessionId}`,
): Promise<Journalled> {
	const daemon = await startDaemon({ home: stateOf(claude) });
	try {
		await daemon.ask(sessionOpen, { sessionId });
		const { compactions } = await daemon.ask(contextTimeline, { sessionId });
		const stats = await daemon.ask(contextStats, { sessionId });
		return { compactions, stats };
	} finally {
		await daemon.quit();
	}
}

/** Returns the ids of all sessions with a journal. */
export async function journalled(claude: ClaudeSession): Promise<string[]> {
	const daemon = await startDaemon({ home: stateOf(claude) });
	try {
		const { sessions } = await daemon.ask(sessionList, {});
		return sessions.map(({ sessionId }) => sessionId);
	} finally {
		await daemon.quit();
	}
}

/** Returns contextd's view of the main conversation. */
export async function viewOf(claude: ClaudeSession): Promise<ChatMessage[]> {
	const daemon = await startDaemon({ home: stateOf(claude) });
	try {
		const sessionId = `claude:${claude.sessionId}`;
		await daemon.ask(sessionOpen, { sessionId });
		const { messages } = await daemon.ask(contextHistory, { sessionId });
		return messages as ChatMessage[];
	} finally {
		await daemon.quit();
	}
}
