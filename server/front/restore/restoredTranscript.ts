import { formatNumber } from '../../core/figures.ts';
import type { RestoredSession } from '../../core/restore/restoredPage.ts';
import type { WholeEntry } from '../../core/restore/wholeHistory.ts';
import type { AgentSessionFormat } from '../../core/transcript/index.ts';
import type { ChatMessage } from '../../protocol/conversation.ts';
import { sessionAppend, sessionOpen } from '../../protocol/session.ts';
import { contextStats } from '../../protocol/stats.ts';
import { contextExport } from '../../protocol/transcript.ts';
import type { CommandDaemon } from '../console/daemon.ts';
import { createWorkFailure } from '../console/failure.ts';

/** A whole session, whose texts may be in a file until it is closed. */
export interface WholeSession extends RestoredSession {
	/** Removes the files of the session's texts. */
	close(): void;
}

/**
 * Reads a transcript or, through the daemon, a recording, from its start to its end.
 * @param onRead called with the number of bytes that were read so far
 */
export type OpenWholeSession = (
	path: string,
	daemon: CommandDaemon,
	onRead: (bytes: number) => void,
) => Promise<WholeSession>;

/** A transcript with all messages of a session, without its compactions. */
export interface RestoredTranscript {
	text: string;
	messageCount: number;
	/** The agent's id of the session in the transcript. */
	agentSessionId: string;
	/** The transcript's size in words, such as `120,000 tokens of a window of 200,000`. */
	sizeText: string;
	warnings: string[];
}

/** The agent that is to resume a session. */
export interface TranscriptTarget {
	format: AgentSessionFormat;
	/** The agent's working folder. */
	cwd: string;
	/** The provider in the agent's settings, if the agent records one with each session. */
	agentProvider?: string;
}

/** Maximum size in UTF-16 units of the messages in one request to the daemon. */
const maxBatchUnits = 4 << 20;

/**
 * Returns a transcript that the agent resumes in a folder, with all messages in their original order. Leaves out
 * messages that a rewind removed, and the agent's own summaries.
 */
export async function createRestoredTranscript(
	session: WholeSession,
	daemon: CommandDaemon,
	target: TranscriptTarget,
): Promise<RestoredTranscript> {
	const { model, provider } = session.history.info;
	const { sessionId } = await daemon.request(sessionOpen, { title: session.history.title, model, provider });
	for (const messages of createBatches(session.history.listEntries()))
		await daemon.request(sessionAppend, { sessionId, messages });
	const exported = await daemon.request(contextExport, { sessionId, compact: false, ...target });
	const { text, messageCount, agentSessionId, warnings = [] } = exported;
	if (agentSessionId === undefined) throw createWorkFailure('the daemon returned no id for the session');
	const stats = await daemon.request(contextStats, { sessionId });
	if (stats === null) throw createWorkFailure('no message of the session was sent to a model');
	const { estimatedInputTokens: tokens, contextWindow } = stats;
	const isTooLarge = tokens > contextWindow;
	return {
		text,
		messageCount,
		agentSessionId,
		sizeText: `${formatNumber(tokens)} tokens of a window of ${formatNumber(contextWindow)}`,
		warnings: isTooLarge ? [...warnings, tooLargeWarning] : warnings,
	};
}

const tooLargeWarning =
	'This is more than the window holds: the agent has to compact it first. contextd export writes a compacted session instead.';

/** Yields the messages of the conversation, in batches that fit into a request. */
function* createBatches(entries: Iterable<WholeEntry>): Generator<ChatMessage[]> {
	let batch: ChatMessage[] = [];
	let units = 0;
	for (const entry of entries) {
		if (entry.t !== 'message' || !entry.isCurrent) continue;
		const { usage: _, ...message } = entry.message;
		batch.push(message);
		units += JSON.stringify(message).length;
		if (units < maxBatchUnits) continue;
		yield batch;
		batch = [];
		units = 0;
	}
	if (batch.length > 0) yield batch;
}
