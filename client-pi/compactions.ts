/** Handles the event that pi sends before it compacts a session. */

import type { Conversation, RequestContext } from '../kit/conversationTypes.ts';
import type { PiBeforeCompact, PiCompaction, PiContext, PiEntry, PiMessage } from './host.ts';

/** A message with the id of the session entry from which it comes. */
interface SourcedMessage {
	id: string;
	message: PiMessage;
}

/**
 * Summary of a compaction that removes no message. pi retries a refused request only after a compaction, so contextd lets pi
 * record this one; the shorter view makes the request fit. This summary is never sent to the model.
 */
const keepAllSummary =
	'No message was removed: contextd sends the model a shorter view of them. /contextd-undo restores the full view.';

/** Whether an entry is a compaction that keeps every message. */
function keepsAllMessages({ details }: PiEntry): boolean {
	return details?.keepsAll === true;
}

/** Returns pi's messages without the summary of a compaction that keeps every message. */
export function removeKeepAllSummary(messages: readonly PiMessage[], context: PiContext): PiMessage[] {
	const [first] = context.sessionManager.buildSessionProjection().entries;
	if (first === undefined || !keepsAllMessages(first.sourceEntry)) return [...messages];
	return messages.filter(({ role }) => role !== 'compactionSummary');
}

/** Returns the messages that pi is about to send, with their entries. */
export function listSentMessages({ sessionManager }: PiContext): SourcedMessage[] {
	return sessionManager
		.buildSessionProjection()
		.entries.filter(({ sourceEntry }) => !keepsAllMessages(sourceEntry))
		.flatMap(({ sourceEntry: { id }, messages }) => messages.map((message) => ({ id, message })))
		.filter(({ message }) => message.role !== 'system');
}

/** Returns the original messages of the session with their entries: summaries are replaced with the messages before them. */
function listOriginalMessages(context: PiContext): SourcedMessage[] {
	const sent = listSentMessages(context);
	const originals = sent.filter(({ message }) => message.role !== 'compactionSummary');
	if (originals.length === sent.length) return sent;
	const branch = context.sessionManager.getBranch();
	const firstIndex = branch.findIndex(({ id }) => id === originals[0]?.id);
	const before = branch
		.slice(0, firstIndex < 0 ? branch.length : firstIndex)
		.flatMap(({ id, message }) =>
			message === undefined || message.role === 'system' ? [] : [{ id, message }],
		);
	return [...before, ...originals];
}

/** Returns the error with which the newest answer ended; undefined if it ended without error. */
function findRefusal({ sessionManager }: PiContext): string | undefined {
	const answer = sessionManager.getBranch().findLast(({ message }) => message?.role === 'assistant')?.message;
	return answer?.stopReason === 'error' ? answer.errorMessage : undefined;
}

/** Creates a compaction that keeps all messages that pi is about to send. */
function createKeepAllCompaction(context: PiContext, tokensBefore: number): PiCompaction | undefined {
	const sent = listSentMessages(context);
	const summary = sent.find(({ message }) => message.role === 'compactionSummary')?.message.summary;
	const first = sent.find(({ message }) => message.role !== 'compactionSummary');
	if (first === undefined) return undefined;
	return {
		summary: summary ?? keepAllSummary,
		firstKeptEntryId: first.id,
		tokensBefore,
		details: { by: 'contextd', ...(summary === undefined && { keepsAll: true }) },
	};
}

/** Makes the view smaller after a refusal or a truncated answer, so that pi can retry with all messages. Returns whether it did. */
async function shrinkView(
	conversation: Conversation<PiMessage>,
	context: PiContext,
	requestContext: RequestContext,
): Promise<boolean> {
	const hostMessages = listSentMessages(context).map(({ message }) => message);
	const error = findRefusal(context);
	if (error !== undefined)
		return (await conversation.recover(error, hostMessages, requestContext)) !== undefined;
	return (await conversation.compact(hostMessages)).done;
}

/** Creates a compaction with contextd's summary, followed by the messages that pi or contextd keeps. */
async function summarize(
	conversation: Conversation<PiMessage>,
	{ preparation, customInstructions }: PiBeforeCompact,
	context: PiContext,
): Promise<PiCompaction | undefined> {
	const entries = listOriginalMessages(context);
	const messages = entries.map(({ message }) => message);
	const summary = await conversation.summarize(messages, customInstructions);
	if (summary === undefined) return undefined;
	const firstKeptIndexOfPi = entries.findIndex(({ id }) => id === preparation.firstKeptEntryId);
	const keepsMoreInPi = firstKeptIndexOfPi >= 0 && firstKeptIndexOfPi < summary.tailStart;
	const firstKeptId = entries[summary.tailStart]?.id;
	return {
		summary: firstKeptId === undefined && !keepsMoreInPi ? summary.fullText : summary.text,
		firstKeptEntryId: keepsMoreInPi || firstKeptId === undefined ? preparation.firstKeptEntryId : firstKeptId,
		tokensBefore: preparation.tokensBefore,
		details: { by: 'contextd' },
	};
}

/**
 * Answers `session_before_compact`. Cancels pi's automatic compaction if the next view fits. After a refusal, makes the view smaller
 * and lets pi keep every message. Answers `/compact` with a summary that needs no call of a model. Returns undefined if contextd has
 * no answer, so that pi compacts by itself.
 */
export async function answerCompaction(
	conversation: Conversation<PiMessage>,
	event: PiBeforeCompact,
	context: PiContext,
	requestContext: RequestContext,
): Promise<{ cancel: true } | { compaction: PiCompaction } | undefined> {
	if (event.reason !== 'manual' && !event.willRetry) {
		// This event arrives before the next request, so the view of that request must be computed here.
		const hostMessages = listSentMessages(context).map(({ message }) => message);
		const { stats } = await conversation.view(hostMessages, requestContext);
		if (stats !== undefined && stats.usageRatio < 1) return { cancel: true };
	}
	const isRetry = event.reason === 'overflow' && event.willRetry;
	if (isRetry && (await shrinkView(conversation, context, requestContext))) {
		const compaction = createKeepAllCompaction(context, event.preparation.tokensBefore);
		if (compaction !== undefined) return { compaction };
	}
	const compaction = await summarize(conversation, event, context);
	return compaction && { compaction };
}
