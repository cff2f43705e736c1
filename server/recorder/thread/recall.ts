/** Answers searches of recorded sessions. */

import { Failure } from '../../core/failure.ts';
import { findPassageExcerpt } from '../../core/recall/rankPassages.ts';
import { pickDefined } from '../../core/shape.ts';
import type { Role } from '../../protocol/conversation.ts';
import type { RecallMatch, RecallResult } from '../../protocol/history.ts';
import type { RecordedMessage, RecorderMessagesParams } from '../../protocol/recorder.ts';
import type { Archive } from '../archive/archive.ts';
import type { SearchScope } from '../index/scope.ts';
import type { SearchIndex } from '../index/searchIndex.ts';

export interface RecordingSearch extends SearchScope {
	query: string;
	limit?: number;
	maxExcerpt?: number;
}

const defaultLimit = 10;
/** UTF-16 units of an excerpt if the caller sets no limit. */
const defaultExcerptUnits = 300;
/** UTF-16 units of a message if the caller sets no limit. */
const defaultTextUnits = 50_000;

/**
 * Searches the index, and describes the session of each match.
 * @param unread transcripts that are not completely in the archive: ids of their recordings, or their paths
 */
export function recallRecorded(
	archive: Archive,
	index: SearchIndex,
	unread: readonly string[],
	{ limit = defaultLimit, maxExcerpt = defaultExcerptUnits, ...request }: RecordingSearch,
): RecallResult {
	const { messages, words, rankedCount, searchedCount } = index.search({
		...request,
		limit,
		now: Date.now(),
	});
	const matches = messages.flatMap((match): RecallMatch[] => {
		const recording = archive.findRecording(match.recordingId);
		if (recording === undefined) return [];
		const { recordingId, agent, label, title, folder, path: transcript } = recording;
		const { messageId, seq, toolName, path } = match;
		return [
			{
				messageId,
				role: match.role as Role,
				...pickDefined({ toolName, path, at: match.at || undefined }),
				excerpt: findPassageExcerpt(match.passage, words, maxExcerpt),
				visible: false,
				recordingId,
				agent,
				label,
				...pickDefined({ title: title || undefined, folder }),
				transcript,
				seq,
			},
		];
	});
	const pending = new Set([...index.pendingRecordings, ...unread]).size;
	return { matches, total: rankedCount, searched: searchedCount, ...(pending > 0 && { pending }) };
}

/** Reads a message and its neighbours. Throws `MessageNotFound` if the message is not in the index. */
export function readMessages(
	index: SearchIndex,
	{
		recordingId,
		messageId,
		before = 0,
		after = 0,
		offset = 0,
		limit = defaultTextUnits,
	}: RecorderMessagesParams,
): RecordedMessage[] {
	const messages = index.read({ recordingId, messageId, before, after });
	if (messages.length === 0) {
		throw new Failure('MessageNotFound', `no message "${messageId}" in recording ${recordingId}`, {
			messageId,
		});
	}
	return messages.map(({ at, text, role, ...message }) => ({
		...message,
		role: role as Role,
		...(at > 0 && { at }),
		text: text.slice(offset, offset + limit).toWellFormed(),
		totalChars: text.length,
	}));
}
