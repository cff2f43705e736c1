/** Computes the contents of a card, which shows one compaction, as plain data. */

import { formatTokens } from '../../../server/core/figures.ts';
import type { CompactResult } from '../../../server/protocol/compact.ts';
import type { CacheCost, PolicyDecision, RemovedMessage } from '../../../server/protocol/compaction.ts';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import type { ContextStats } from '../../../server/protocol/stats.ts';
import { type CallNames, collectCallNames, getCallTitle, getFirstWords } from '../text/callNames.ts';
import { formatMessageBody } from '../text/historyText.ts';
import { t } from '../text/language.ts';
import { describeReason } from '../text/receiptText.ts';
import { canContinue, findMissingPlugin, isWritable, type ShownSession } from '../usage/usage.ts';
import { computeWindowChange, formatWindowChange, type WindowChange } from '../usage/windowChange.ts';
import { parseSummaryBlocks, type SummaryBlock } from './summaryBlocks.ts';

/** What a compaction does to a message. */
export type RowKind = 'kept' | 'shortened' | 'summarized' | 'cleared';

/** The kinds of rows in the card's order. */
export const rowKinds: readonly RowKind[] = ['kept', 'shortened', 'summarized', 'cleared'];

/** One message of the history before the compaction. */
export interface CardRow {
	messageId: string;
	/** The message's number in the session, as in `#12`; null if it replaces several messages. */
	number: number | null;
	kind: RowKind;
	name: string;
	/** The first words of the message. */
	firstWords: string;
	/** Tokens that the change of this message saves. */
	savedTokens: number;
}

/** A segment of the bar for the window before or after the compaction. */
export interface BarPart {
	kind: 'stays' | 'summary' | Exclude<RowKind, 'kept'>;
	tokens: number;
}

export type CardCommand =
	| 'compact'
	| 'continueInAgent'
	| 'takeAlong'
	| 'installPlugin'
	| 'undo'
	| 'compare'
	/** Plans the compaction again, because the session changed. */
	| 'planAgain';

export interface CardAction {
	command: CardCommand;
	text: string;
}

export interface CardModel {
	/** Identifies the compaction, so that the page forgets its state when it shows another compaction. */
	key: string;
	title: string;
	/** States whether the compaction is planned, made or undone. */
	status: string;
	/** Time of the compaction, in milliseconds since the epoch; absent for a plan. */
	at?: number;
	/** Sentence about the provider's costs of the compaction; empty if unknown. */
	cost: string;
	/** Notes for the user about the compaction. */
	notes: string[];
	/** The window before and after, and its limit in tokens. */
	bars: { before: BarPart[]; after: BarPart[]; limit: number };
	actions: CardAction[];
	rows: CardRow[];
	/** The summary that replaces messages; empty if there is none. */
	summary: SummaryBlock[];
	/** Tokens of the summary. */
	summaryTokens: number;
	/** Ids of the messages that the summary refers to, by number. */
	referencedIds: Record<number, string>;
}

/** A chat message that the user opened in a card. */
export interface OpenedMessage {
	messageId: string;
	/** The original text of the message. */
	text: string;
	/** Whether the text is only the beginning of the message; the editor can show all of it. */
	hasMore: boolean;
	/** The text after the compaction, if it differs; null if the compaction removes the message. */
	textAfter?: string | null;
}

/** A message from the extension to the page. */
export type CardInput =
	| { type: 'translations'; translations: Readonly<Record<string, string>> }
	| { type: 'show'; model: CardModel }
	| { type: 'opened'; message: OpenedMessage };

/** A message from the page to the extension. */
export type CardOutput =
	| { type: 'ready' }
	| { type: 'open'; messageId: string }
	| { type: 'openInEditor'; messageId: string }
	| { type: 'command'; command: CardCommand };

/** The members of a planned or past compaction that a card shows. */
export type CardCompaction = Pick<CompactResult, 'tokensBefore' | 'tokensAfter' | 'removed'> &
	Partial<Pick<CompactResult, 'cache' | 'reason' | 'reasonCode' | 'warnings'>> & {
		/** Why the compaction was due, if contextd compacted automatically. */
		decision?: PolicyDecision;
		/** The entry in the timeline of compactions; absent for a plan. */
		entry?: {
			compactionId: string;
			at: number;
			/** Name of the agent that compacted; absent if contextd did. */
			agent?: string;
			isUndone: boolean;
		};
		/** Whether the caller chose what to compact. */
		hasCustomParams?: boolean;
	};

export interface CardSources {
	session: ShownSession;
	stats: ContextStats;
	compaction: CardCompaction;
	/** Every message of the session; hidden messages are marked. */
	fullHistory: readonly ChatMessage[];
	/** The visible history before the compaction. */
	before: readonly ChatMessage[];
	/** The visible history after the compaction. */
	after: readonly ChatMessage[];
	/** Whether the session changed since the plan was made. */
	isOutdated: boolean;
}

/** Matches the text that replaces a completely removed result. */
const clearedPattern = /^\[(?:Tool result|Image) cleared\b/;

function toRowKind({ stage, change }: RemovedMessage, messageAfter: ChatMessage | undefined): RowKind {
	if (stage === 'summarize') return 'summarized';
	if (change !== 'shortened') return 'cleared';
	return messageAfter && clearedPattern.test(formatMessageBody(messageAfter)) ? 'cleared' : 'shortened';
}

interface RowLabels {
	calls: CallNames;
	numbers: ReadonlyMap<string, number>;
}

function createRows({ before, after, compaction }: CardSources, { calls, numbers }: RowLabels): CardRow[] {
	const changes = new Map(compaction.removed.map((removal) => [removal.messageId, removal]));
	const messagesAfter = new Map(after.map((message) => [message.id, message]));
	return before.map((message) => {
		const { id = '' } = message;
		const change = changes.get(id);
		return {
			messageId: id,
			number: numbers.get(id) ?? null,
			kind: change ? toRowKind(change, messagesAfter.get(id)) : 'kept',
			name: getCallTitle(message, calls),
			firstWords: getFirstWords(message, calls),
			savedTokens: change?.tokens ?? 0,
		};
	});
}

/** Returns the text of the messages that the compaction created. */
function joinCreatedText({ before, after }: CardSources): string {
	const idsBefore = new Set(before.map(({ id }) => id));
	const createdMessages = after.filter(({ id }) => id === undefined || !idsBefore.has(id));
	return createdMessages.map(formatMessageBody).join('\n\n');
}

/** Returns a sentence about the cost of rewriting the provider's cache; an empty text if that costs nothing extra. */
export function formatCacheCost(cache: CacheCost | undefined): string {
	if (cache === undefined || cache.costTokens <= 0) return '';
	const { rewrittenTokens, costTokens, paysBackAfterCalls: calls } = cache;
	const paybackText = calls === 1 ? t('pays back after 1 request') : t('pays back after {0} requests', calls);
	return t(
		'Cache: {0} tokens are written again, for the price of {1} input tokens; {2}.',
		formatTokens(rewrittenTokens),
		formatTokens(costTokens),
		paybackText,
	);
}

function createBars(
	{ before, limit }: WindowChange,
	rows: readonly CardRow[],
	summaryTokens: number,
): CardModel['bars'] {
	const sumSavedTokens = (kind: RowKind): number =>
		rows.reduce((sum, row) => sum + (row.kind === kind ? row.savedTokens : 0), 0);
	const changedParts = (['shortened', 'cleared', 'summarized'] as const).map((kind) => ({
		kind,
		tokens: sumSavedTokens(kind),
	}));
	const total = changedParts.reduce((sum, { tokens }) => sum + tokens, 0);
	const unchangedPart: BarPart = { kind: 'stays', tokens: Math.max(0, before - total) };
	const hasTokens = ({ tokens }: BarPart): boolean => tokens > 0;
	return {
		before: [unchangedPart, ...changedParts].filter(hasTokens),
		after: [unchangedPart, { kind: 'summary' as const, tokens: summaryTokens }].filter(hasTokens),
		limit,
	};
}

function describeStatus({ compaction: { entry, decision }, isOutdated }: CardSources): string {
	if (!entry) {
		return isOutdated
			? t('Preview: the session has changed since it was planned.')
			: t('Preview: nothing is changed yet.');
	}
	if (entry.isUndone) return t('Undone: all messages are restored.');
	return entry.agent === undefined ? describeCompaction(decision) : t('Compacted by {0} itself', entry.agent);
}

/** Describes a compaction by contextd, with the reason unless it was a full window or the user's request. */
function describeCompaction(decision: PolicyDecision | undefined): string {
	switch (decision?.reason) {
		case 'cold':
			return t('Compacted, because the provider’s cache had expired');
		case 'cost':
			return t('Compacted, because a smaller context is cheaper');
		case 'budget':
			return t('Compacted, because the request would have cost more than your limit');
		default:
			return t('Compacted');
	}
}

function listCardActions({ session, compaction, isOutdated }: CardSources): CardAction[] {
	const { entry, hasCustomParams } = compaction;
	const { followed } = session;
	const compareAction: CardAction = { command: 'compare', text: t('Compare as Text') };
	if (entry) {
		const canUndo = isWritable(session) && !entry.isUndone && entry.agent === undefined;
		return [...(canUndo ? [{ command: 'undo' as const, text: t('Undo') }] : []), compareAction];
	}
	const replanActions: CardAction[] = isOutdated ? [{ command: 'planAgain', text: t('Plan Again') }] : [];
	if (isWritable(session))
		return [{ command: 'compact', text: t('Compact Now') }, ...replanActions, compareAction];
	if (!followed) return [...replanActions, compareAction];
	const continueActions: CardAction[] = canContinue(session)
		? [{ command: 'continueInAgent', text: t('Continue in {0}, Compacted', followed.label) }]
		: [];
	if (!hasCustomParams) {
		const exportAction: CardAction = { command: 'takeAlong', text: t('Export Compacted History…') };
		return [...continueActions, exportAction, ...replanActions, compareAction];
	}
	const installActions: CardAction[] =
		findMissingPlugin(session) === undefined
			? []
			: [{ command: 'installPlugin', text: t('Install the Plugin for {0}…', followed.label) }];
	return [...continueActions, ...installActions, ...replanActions, compareAction];
}

/** Returns notes on why a followed session cannot be compacted, and which plugin would make that possible. */
function createAgentContextNotes(session: ShownSession, agent: string): string[] {
	const pluginNote = t(
		'With its plugin, contextd can compact running sessions of {0}, and undo that. This applies to sessions that start after the installation.',
		agent,
	);
	return [
		t('{0} manages its own context.', agent),
		...(findMissingPlugin(session) === undefined ? [] : [pluginNote]),
	];
}

function listNotes({ session, compaction }: CardSources): string[] {
	const { followed } = session;
	const { entry, reason, warnings = [], hasCustomParams } = compaction;
	return [
		...(reason === undefined
			? []
			: [t('The target was missed: {0}.', describeReason(compaction).replace(/\.$/, ''))]),
		...(followed && !entry && hasCustomParams ? createAgentContextNotes(session, followed.label) : []),
		...warnings,
	];
}

function collectReferences(
	blocks: readonly SummaryBlock[],
	numberedMessages: readonly ChatMessage[],
): Record<number, string> {
	const numbers = blocks.flatMap((block) => [
		...(block.kind === 'entry' ? [block.number] : []),
		...('parts' in block
			? block.parts.flatMap((part) => (part.kind === 'message' ? [part.number] : []))
			: []),
	]);
	const idEntries = numbers.flatMap((number) => {
		const id = numberedMessages[number]?.id;
		return id === undefined ? [] : [[number, id] as const];
	});
	return Object.fromEntries(idEntries);
}

/** Returns everything that a card shows. Takes O(messages). */
export function createCardModel(sources: CardSources): CardModel {
	const { session, stats, compaction, fullHistory } = sources;
	const { tokensBefore, tokensAfter, removed, entry } = compaction;
	// The numbers in summaries count all appended messages, and skip messages that a compaction created.
	const numberedMessages = fullHistory.filter(
		({ condenseId, truncationId }) => (condenseId ?? truncationId) === undefined,
	);
	const numbers = new Map(numberedMessages.map(({ id = '' }, number) => [id, number]));
	const rows = createRows(sources, { calls: collectCallNames(fullHistory), numbers });
	const summary = parseSummaryBlocks(joinCreatedText(sources));
	const savedTokens = removed.reduce((sum, { tokens }) => sum + tokens, 0);
	const summaryTokens = summary.length === 0 ? 0 : Math.max(0, tokensAfter - tokensBefore + savedTokens);
	const change = computeWindowChange(stats, compaction);
	return {
		key: `${session.sessionId} ${entry?.compactionId ?? 'preview'}`,
		title: formatWindowChange(change),
		status: describeStatus(sources),
		...(entry && { at: entry.at }),
		cost: formatCacheCost(compaction.cache),
		notes: listNotes(sources),
		bars: createBars(change, rows, summaryTokens),
		actions: listCardActions(sources),
		rows,
		summary,
		summaryTokens,
		referencedIds: collectReferences(summary, numberedMessages),
	};
}
