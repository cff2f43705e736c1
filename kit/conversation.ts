/** One conversation of a host: what its model is sent, request by request. */

import { errorText } from '../server/core/failure.ts';
import type { ChatMessage, Usage } from '../server/protocol/conversation.ts';
import type { SessionChange } from '../server/protocol/session.ts';
import { arrive } from './arrivals.ts';
import { decided } from './decide.ts';
import { feedFor, toldIdOf } from './feed.ts';
import { chainIds, commonBeginning, fingerprint } from './fingerprint.ts';
import { decisionFor, lay, lifted, sentResults } from './frozenView.ts';
import { placeOf } from './messageIds.ts';
import { noted } from './notes.ts';
import { paceAfter, targetFor } from './pace.ts';
import { deadlines, expectedRatio, patienceFor } from './patience.ts';
import { decisionIn, stepOf } from './receipts.ts';
import { regained } from './regained.ts';
import { countTokens, freezeResults, type ResultRules, rulesIn } from './results.ts';
import type {
	Conversation,
	ConversationOptions,
	DecisionTold,
	Outcome,
	Surroundings,
	View,
} from './shapes.ts';
import { nothingStored, readStored, type Stored, storedText } from './stored.ts';
import { type Summary, summaryIn } from './summary.ts';
import { decidedText, tooLargeText, undoneText } from './words.ts';

/** Tokens that a history comes down to where a host keeps a text in its place. */
const summaryTokens = 3000;
/** Tokens beyond which such a text is none: the host then goes its own way. */
const mostOfSummary = 4 * summaryTokens;

/** The host's list that was laid last. */
interface Laid<Native> {
	raw: readonly Native[];
	ids: readonly string[];
	around: Surroundings;
}

/** Figures of an answer that the host will show with its next list. */
interface Pending {
	/** The chain id of the message before the answer. */
	after: string;
	usage: Usage;
}

/** Holds one conversation. */
export function createConversation<Native>(options: ConversationOptions<Native>): Conversation<Native> {
	const { sessionId, dialect, ask, clock, store, rules } = options;
	let stored: Stored<Native> = nothingStored();
	let saved = '';
	let isLoaded = false;
	/** What was said of the session when it was opened; empty while it is not. */
	let opened = '';
	/** Stands for what goes along with the messages, as the daemon was told it last. */
	let besideTold = '';
	/** What is set for plugins, once the daemon has told it. */
	let resultTokens = rules.tokens;
	/** Requests in a row that the daemon did not answer. */
	let misses = 0;
	let last: Laid<Native> | undefined;
	let pending: Pending | undefined;
	let queue: Promise<unknown> = Promise.resolve();

	function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
		const run = queue.then(work, work);
		queue = run;
		return run;
	}

	/** Does what needs the disk; what goes wrong with it is told, and costs what is kept alone. */
	async function onDisk(what: string, work: () => Promise<void>): Promise<void> {
		try {
			await work();
		} catch (error) {
			options.onAside?.(`what is held of ${sessionId} cannot be ${what}: ${errorText(error)}`);
		}
	}

	async function load(raw: readonly Native[] = []): Promise<void> {
		if (isLoaded) return;
		isLoaded = true;
		await onDisk('read', async () => {
			saved = (await store.load(sessionId)) ?? '';
			stored = readStored(saved);
			if (!rules.isClearedByHost) return;
			stored = { ...stored, held: await regained(stored, raw, dialect, options) };
		});
	}

	async function save(): Promise<void> {
		const text = storedText(stored);
		if (text === saved) return;
		await onDisk('kept', async () => {
			await store.save(sessionId, text);
			saved = text;
		});
	}

	function resultRules(contextWindow: number | undefined): ResultRules {
		return rulesIn({ ...rules, tokens: resultTokens }, contextWindow);
	}

	async function received(raw: readonly Native[], around: Surroundings): Promise<Laid<Native>> {
		await load(raw);
		const ids = chainIds(dialect, raw);
		const held = freezeResults(stored.held, raw, ids, dialect, resultRules(around.contextWindow));
		stored = { ...stored, held };
		return { raw, ids, around };
	}

	async function open({ around }: Laid<Native>, timeoutMs: number): Promise<void> {
		const { request, ...session } = around;
		await openAs(session, timeoutMs);
		const beside = request === undefined ? '' : fingerprint(request);
		if (beside === besideTold) return;
		await ask('session/update', { sessionId, request }, { timeoutMs });
		besideTold = beside;
	}

	async function openAs(session: SessionChange, timeoutMs: number): Promise<void> {
		const said = JSON.stringify(session);
		if (said === opened) return;
		besideTold = '';
		const { created, messageCount, agents } = await ask(
			'session/open',
			{ sessionId, ...session },
			{ timeoutMs },
		);
		const isForgotten = created && stored.feed.told.length > 0;
		const isUnknown = !created && stored.feed.told.length === 0 && messageCount > 0;
		if (isForgotten || isUnknown) await meetAgain(isUnknown, timeoutMs);
		resultTokens = agents?.toolResultTokens ?? resultTokens;
		opened = said;
	}

	/**
	 * Takes up what a daemon knows that forgot what it was told, or that was told more than is known here, as by an append
	 * whose answer came too late. What is told from now on bears ids that were never used.
	 */
	async function meetAgain(knowsMore: boolean, timeoutMs: number): Promise<void> {
		const known = knowsMore ? (await ask('session/messageIds', { sessionId }, { timeoutMs })).messageIds : [];
		const told = known.filter((id) => placeOf(id)?.part === 0);
		const isUnsure = told.length === 0 && knowsMore;
		const epoch = Math.max(stored.feed.epoch + 1, Math.round(clock.now()));
		stored = { ...stored, feed: { epoch, told, ...(isUnsure && { isUnsure: true as const }) } };
	}

	/** A message as it is told: a result in full, with the tokens of what the model is shown of it. */
	function told(message: ChatMessage, before: string): ChatMessage {
		const { text, units = 0 } = stored.held.results[message.toolCallId ?? ''] ?? {};
		if (message.role === 'tool' && text !== undefined && text.length < units) {
			return { ...message, tokens: countTokens(text) };
		}
		if (message.role !== 'assistant') return message;
		const { usage: own, ...answer } = message;
		const isOfView = stored.sent?.after === before && stored.sent.step === stored.step;
		const usage = own ?? (pending?.after === before ? pending.usage : undefined);
		// Figures of an answer to another view measure nothing that is shown now.
		return isOfView && usage !== undefined ? { ...answer, usage } : answer;
	}

	/** Remembers a list as what the model is sent now. */
	function sending({ ids }: Laid<Native>): void {
		const { step, held } = stored;
		stored = { ...stored, sent: { after: ids.at(-1) ?? '', step }, held: { ...held, known: ids } };
	}

	async function feed({ raw, ids }: Laid<Native>, timeoutMs: number): Promise<void> {
		const { rewindTo, append, next } = feedFor(stored.feed, raw, ids, dialect);
		if (rewindTo !== undefined) {
			await ask('session/rewind', { sessionId, messageId: rewindTo }, { timeoutMs });
		}
		if (append.length > 0) {
			const before = new Map(next.told.map((base, index) => [base, ids[index - 1] ?? '']));
			const messages = append.map((message) => told(message, before.get(message.id ?? '') ?? ''));
			await ask('session/append', { sessionId, messages }, { timeoutMs });
		}
		stored = { ...stored, feed: next };
	}

	function adopt(
		laid: Laid<Native>,
		messages: readonly unknown[],
		decision: DecisionTold,
		step: string,
	): void {
		const view = {
			compactionId: decision.compactionId,
			tokensSaved: decision.tokensBefore - decision.tokensAfter,
			messages: messages as ChatMessage[],
		};
		stored = { ...stored, step, held: decided(stored.held, view, laid.raw, laid.ids, dialect) };
	}

	/** Has the daemon decide where that is due, and takes over what was decided elsewhere. */
	async function consult(
		laid: Laid<Native>,
		timeoutMs: number,
	): Promise<Pick<View<Native>, 'decision' | 'stats'>> {
		const begun = clock.now();
		const left = (of: number) => ({ timeoutMs: Math.max(1, of - (clock.now() - begun)) });
		await open(laid, left(timeoutMs).timeoutMs);
		await feed(laid, left(timeoutMs).timeoutMs);
		const stats = await ask('context/stats', { sessionId }, left(timeoutMs));
		if (stats === null) return {};
		const { lastCompaction: newest, shouldCompact } = stats;
		const isKnown = stepOf(stats) === stored.step;
		if (!shouldCompact && isKnown) return { stats };
		if (!shouldCompact && newest?.undone) {
			stored = { ...stored, held: lifted(stored.held, [newest.compactionId]), step: stepOf(stats) };
			return { stats };
		}
		const targetTokens = targetFor(stored.pace, stats);
		const answer = await ask('context/prepare', { sessionId, targetTokens }, left(deadlines.decision));
		for (const warning of answer.warnings) options.onAside?.(warning);
		const after = answer.stats ?? stats;
		const decision = decisionIn(answer.compaction) ?? (isKnown ? undefined : after.lastCompaction);
		if (decision === undefined) return { stats: after };
		const { compactionId, tokensBefore, tokensAfter } = decision;
		const told = { compactionId, tokensBefore, tokensAfter };
		adopt(laid, answer.messages, told, stepOf(after));
		return { decision: told, stats: after };
	}

	/** Share of the limit that a list may come to. */
	function expected({ raw, ids, around }: Laid<Native>): number {
		const { ratio, held } = stored;
		const common = ratio === undefined ? 0 : commonBeginning(held.known, ids);
		const units = JSON.stringify(raw.slice(common)).length;
		return expectedRatio({ ratio, units, contextWindow: around.contextWindow });
	}

	async function orAside<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
		try {
			const result = await work();
			misses = 0;
			return result;
		} catch (error) {
			misses++;
			opened = '';
			options.onAside?.(errorText(error));
			return undefined;
		}
	}

	async function view(raw: readonly Native[], around: Surroundings): Promise<View<Native>> {
		const laid = await received(raw, around);
		const { matched, messages } = lay(stored.held, raw, dialect, laid.ids);
		// A beginning of what is known: a request beside the conversation, or one whose next list will tell more.
		if (matched === 'rewound') return { messages, matched };
		last = laid;
		const share = expected(laid);
		const consulted = await orAside(() => consult(laid, patienceFor(share, misses)));
		const ratio = consulted?.stats?.usageRatio ?? share;
		stored = { ...stored, ratio, pace: paceAfter(stored.pace, consulted ?? {}) };
		const stats = options.tellsLevels === false ? undefined : consulted?.stats;
		if (stats) stored = noted(stored, raw, laid.ids, dialect, stats.usageRatio);
		const shown = lay(stored.held, raw, dialect, laid.ids).messages;
		sending(laid);
		await save();
		return { messages: shown, matched, ...consulted };
	}

	async function compact(raw: readonly Native[] | undefined, instructions?: string): Promise<Outcome> {
		const laid = raw === undefined ? last : await received(raw, last?.around ?? {});
		if (laid === undefined) return { done: false, text: 'Nothing was sent in this session yet.' };
		const timeoutMs = deadlines.decision;
		await open(laid, timeoutMs);
		await feed(laid, timeoutMs);
		const result = await ask('context/compact', { sessionId, instructions }, { timeoutMs });
		const decision = decisionIn(result);
		if (decision === undefined || !result?.messages) {
			return { done: false, text: `Nothing was compacted: ${result?.reason ?? 'there is nothing yet'}.` };
		}
		adopt(laid, result.messages, decision, result.compactionId ?? '');
		last = laid;
		stored = { ...stored, held: { ...stored.held, known: laid.ids } };
		await save();
		return { done: true, text: decidedText(decision), decision };
	}

	async function undo(count: number): Promise<Outcome> {
		await load();
		const { decisions } = stored.held;
		const shown = last === undefined ? decisions.at(-1) : decisionFor(stored.held, last.ids);
		const end = shown === undefined ? 0 : decisions.indexOf(shown) + 1;
		const taken = decisions.slice(Math.max(0, end - count), end);
		const [oldest] = taken;
		if (oldest === undefined) return { done: false, text: 'There is nothing to undo.' };
		const timeoutMs = deadlines.decision;
		const stats = await ask('context/stats', { sessionId }, { timeoutMs });
		const tokens = (stats?.estimatedInputTokens ?? 0) + taken.reduce((sum, one) => sum + one.tokensSaved, 0);
		if (stats !== null && tokens > stats.availableInputTokens) {
			return { done: false, text: tooLargeText(tokens, stats) };
		}
		const undone = new Set(taken.map(({ compactionId }) => compactionId));
		let step = stored.step;
		for (const { compactionId } of taken.toReversed()) {
			const result = await ask('context/undo', { sessionId, compactionId }, { timeoutMs });
			for (const id of result.undone) undone.add(id);
			step = stepOf(result.stats);
		}
		const { saidAt: _, ...others } = stored;
		stored = { ...others, step, held: lifted(stored.held, [...undone]) };
		await save();
		return { done: true, text: undoneText };
	}

	async function isFirstSince(): Promise<boolean> {
		await load();
		if (stored.saidAt === stored.step) return false;
		stored = { ...stored, saidAt: stored.step };
		await save();
		return true;
	}

	async function recover(
		error: unknown,
		raw: readonly Native[],
		around: Surroundings,
	): Promise<Native[] | undefined> {
		const laid = await received(raw, around);
		const timeoutMs = deadlines.decision;
		const result = await orAside(async () => {
			await open(laid, timeoutMs);
			await feed(laid, timeoutMs);
			return ask('context/recover', { sessionId, error }, { timeoutMs });
		});
		const decision = decisionIn(result?.compaction ?? null);
		if (decision === undefined || !result?.messages) return undefined;
		adopt(laid, result.messages, decision, result.compaction?.compactionId ?? '');
		last = laid;
		sending(laid);
		await save();
		return lay(stored.held, raw, dialect, laid.ids).messages;
	}

	async function summarize(raw: readonly Native[], instructions?: string): Promise<Summary | undefined> {
		const laid = await received(raw, last?.around ?? {});
		const timeoutMs = deadlines.decision;
		const messages = await orAside(async () => {
			await open(laid, timeoutMs);
			await feed(laid, timeoutMs);
			const wish = { sessionId, instructions, targetTokens: summaryTokens };
			const result = await ask('context/compact', wish, { timeoutMs });
			return result?.messages ?? (await ask('context/prepare', { sessionId }, { timeoutMs })).messages;
		});
		await save();
		const sent = sentResults(stored.held, raw, dialect, laid.ids);
		const summary = messages && summaryIn(messages as ChatMessage[], laid.ids, sent);
		return summary && countTokens(summary.whole) <= mostOfSummary ? summary : undefined;
	}

	/** A wish of a person's is refused in words, not by an error. */
	async function wish(work: () => Promise<Outcome>): Promise<Outcome> {
		try {
			return await work();
		} catch (error) {
			opened = '';
			return { done: false, text: `contextd could not be asked: ${errorText(error)}` };
		}
	}

	return {
		view: (raw, around = {}) => inTurn(() => view(raw, around)),
		at: (raw, around = {}) =>
			inTurn(async () => {
				last = await received(raw, around);
			}),
		reported(usage) {
			const after = last?.ids.at(-1);
			pending = after === undefined ? undefined : { after, usage };
		},
		compact: (raw, instructions) => inTurn(() => wish(() => compact(raw, instructions))),
		undo: (count = 1) => inTurn(() => wish(() => undo(count))),
		isFirstSince: () => inTurn(isFirstSince),
		recover: (error, raw, around = {}) => inTurn(() => recover(error, raw, around)),
		summarize: (raw, instructions) => inTurn(() => summarize(raw, instructions)),
		cut(call, whole, isError, contextWindow = last?.around.contextWindow) {
			const { held, cut } = arrive(stored.held, call, whole, isError, resultRules(contextWindow));
			stored = { ...stored, held };
			return cut;
		},
		tell: () =>
			inTurn(async () => {
				if (last === undefined) return;
				await open(last, deadlines.decision);
				await feed(last, deadlines.decision);
			}),
		daemonId: (id) => toldIdOf(id, stored.feed.told, last?.raw ?? [], dialect),
	};
}
