/** Answers pi when it is about to compact a session. */

import type { Conversation, RequestContext } from '../kit/conversationTypes.ts';
import type { PiBeforeCompact, PiCompaction, PiContext, PiEntry, PiMessage } from './host.ts';

/** A message with the entry of the session that it comes from. */
interface SourcedMessage {
	id: string;
	message: PiMessage;
}

/**
 * Summary of a compaction that keeps every message. pi retries a refused request only after a compaction, so one is
 * recorded, while the view over the messages makes the request smaller. The model is never sent this text.
 */
const keptSummary =
	'No message was removed: contextd sends the model a shorter view of them. /contextd-undo restores the full view.';

/** Whether an entry is a compaction that keeps every message. */
function isKeepingAll({ details }: PiEntry): boolean {
	return details?.keepsAll === true;
}

/** Returns pi's messages without the summary of a compaction that keeps every message. */
export function withoutKeptSummary(messages: readonly PiMessage[], context: PiContext): PiMessage[] {
	const [first] = context.sessionManager.buildSessionProjection().entries;
	if (first === undefined || !isKeepingAll(first.sourceEntry)) return [...messages];
	return messages.filter(({ role }) => role !== 'compactionSummary');
}

/** Returns what pi is about to send, from its event `context`, with the entry of each message. */
export function sentMessages({ sessionManager }: PiContext): SourcedMessage[] {
	return sessionManager
		.buildSessionProjection()
		.entries.filter(({ sourceEntry }) => !isKeepingAll(sourceEntry))
		.flatMap(({ sourceEntry: { id }, messages }) => messages.map((message) => ({ id, message })))
		.filter(({ message }) => message.role !== 'system');
}

/** Returns the messages of the session, with their entries: for each summary the messages that it replaced. */
function originalMessages(context: PiContext): SourcedMessage[] {
	const sent = sentMessages(context);
	const kept = sent.filter(({ message }) => message.role !== 'compactionSummary');
	if (kept.length === sent.length) return sent;
	const branch = context.sessionManager.getBranch();
	const first = branch.findIndex(({ id }) => id === kept[0]?.id);
	const before = branch
		.slice(0, first < 0 ? branch.length : first)
		.flatMap(({ id, message }) =>
			message === undefined || message.role === 'system' ? [] : [{ id, message }],
		);
	return [...before, ...kept];
}

/** Returns the error of the request that the provider refused; undefined if the newest answer ended without one. */
function refusalIn({ sessionManager }: PiContext): string | undefined {
	const answer = sessionManager.getBranch().findLast(({ message }) => message?.role === 'assistant')?.message;
	return answer?.stopReason === 'error' ? answer.errorMessage : undefined;
}

/** Returns a compaction that changes nothing in what pi is about to send. */
function keepingAll(context: PiContext, tokensBefore: number): PiCompaction | undefined {
	const sent = sentMessages(context);
	const summary = sent.find(({ message }) => message.role === 'compactionSummary')?.message.summary;
	const first = sent.find(({ message }) => message.role !== 'compactionSummary');
	if (first === undefined) return undefined;
	return {
		summary: summary ?? keptSummary,
		firstKeptEntryId: first.id,
		tokensBefore,
		details: { by: 'contextd', ...(summary === undefined && { keepsAll: true }) },
	};
}

/** Makes the view smaller after a refusal or a cut answer, so that pi can retry with all of its messages. */
async function shrinkView(
	conversation: Conversation<PiMessage>,
	context: PiContext,
	requestContext: RequestContext,
): Promise<boolean> {
	const raw = sentMessages(context).map(({ message }) => message);
	const error = refusalIn(context);
	if (error !== undefined) return (await conversation.recover(error, raw, requestContext)) !== undefined;
	return (await conversation.compact(raw)).done;
}

/** Returns contextd's own record of the session as the summary. It precedes the messages that pi or contextd keeps. */
async function summarize(
	conversation: Conversation<PiMessage>,
	{ preparation, customInstructions }: PiBeforeCompact,
	context: PiContext,
): Promise<PiCompaction | undefined> {
	const entries = originalMessages(context);
	const messages = entries.map(({ message }) => message);
	const summary = await conversation.summarize(messages, customInstructions);
	if (summary === undefined) return undefined;
	const keptByPi = entries.findIndex(({ id }) => id === preparation.firstKeptEntryId);
	const isKeptByPi = keptByPi >= 0 && keptByPi < summary.keptFrom;
	const own = entries[summary.keptFrom]?.id;
	return {
		summary: own === undefined && !isKeptByPi ? summary.whole : summary.text,
		firstKeptEntryId: isKeptByPi || own === undefined ? preparation.firstKeptEntryId : own,
		tokensBefore: preparation.tokensBefore,
		details: { by: 'contextd' },
	};
}

/**
 * Answers `session_before_compact`. Before pi's threshold the next view fits, so pi's compaction is cancelled. After a
 * refusal the view becomes smaller and pi keeps every message. `/compact` gets a summary that needs no model call.
 * Returns undefined if contextd has no answer: pi then compacts by itself.
 */
export async function answerCompaction(
	conversation: Conversation<PiMessage>,
	event: PiBeforeCompact,
	context: PiContext,
	requestContext: RequestContext,
): Promise<{ cancel: true } | { compaction: PiCompaction } | undefined> {
	if (event.reason !== 'manual' && !event.willRetry) {
		// pi asks as soon as a result has arrived, so the view of the next request is made now.
		const raw = sentMessages(context).map(({ message }) => message);
		const { stats } = await conversation.view(raw, requestContext);
		if (stats !== undefined && stats.usageRatio < 1) return { cancel: true };
	}
	const isRetry = event.reason === 'overflow' && event.willRetry;
	if (isRetry && (await shrinkView(conversation, context, requestContext))) {
		const compaction = keepingAll(context, event.preparation.tokensBefore);
		if (compaction !== undefined) return { compaction };
	}
	const compaction = await summarize(conversation, event, context);
	return compaction && { compaction };
}
