/** One conversation of a host: what its model is sent, request by request. */

import { errorText } from '../server/core/failure.ts';
import { toWholeRequest } from '../server/core/meter/wholeRequest.ts';
import { estimateTokens } from '../server/core/output/truncateToTokens.ts';
import type { ChatMessage } from '../server/protocol/conversation.ts';
import { arrive } from './arrivals.ts';
import { decided } from './decide.ts';
import { createFedSession, type HostList } from './fedSession.ts';
import { toldIdOf } from './feed.ts';
import { commonBeginning, createChain } from './fingerprint.ts';
import { decisionFor, lay, lifted, sentResults } from './frozenView.ts';
import { createKeeper } from './keeper.ts';
import { noted } from './notes.ts';
import { deadlines, expectedRatio, isDecisionNear, patienceFor, requireDaemon } from './patience.ts';
import { freezeResults, type ResultRules, rulesIn } from './results.ts';
import type {
	Conversation,
	ConversationOptions,
	DecisionTold,
	Outcome,
	Surroundings,
	View,
} from './shapes.ts';
import { type Summary, summaryIn } from './summary.ts';
import {
	decidedText,
	decisionIn,
	offText,
	onText,
	stepOf,
	tooLargeText,
	tooLargeUndoText,
	undoneText,
} from './words.ts';

/** Tokens that a history comes down to where a host keeps a text in its place. */
const summaryTokens = 3000;
/** Tokens beyond which such a text is none: the host then goes its own way. */
const mostOfSummary = 4 * summaryTokens;

/** Holds one conversation. */
export function createConversation<Native>(options: ConversationOptions<Native>): Conversation<Native> {
	const { sessionId, dialect, ask, clock, rules } = options;
	const kept = createKeeper(options);
	const session = createFedSession(options, kept);
	const chainOf = createChain(dialect);
	/** Decisions in a row that the daemon did not make in time. */
	let misses = 0;
	let last: HostList<Native> | undefined;
	let queue: Promise<unknown> = Promise.resolve();

	function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
		const run = queue.then(work, work);
		queue = run;
		return run;
	}

	/** Runs work on a copy of the host's list in turn: hosts keep appending to the array that they passed. */
	function onCopy<Result>(raw: readonly Native[], work: (raw: Native[]) => Promise<Result>): Promise<Result> {
		const copy = [...raw];
		return inTurn(() => work(copy));
	}

	function resultRules(contextWindow: number | undefined): ResultRules {
		return rulesIn({ ...rules, tokens: session.resultTokens() }, contextWindow);
	}

	async function received(raw: readonly Native[], around: Surroundings): Promise<HostList<Native>> {
		const ids = chainOf(raw);
		await kept.load({ raw, ids, around });
		const held = freezeResults(kept.stored.held, raw, ids, dialect, resultRules(around.contextWindow));
		kept.stored = { ...kept.stored, held };
		return { raw, ids, around };
	}

	/** Remembers a list as what the model is sent now. */
	function sending({ ids }: HostList<Native>, revision?: number): void {
		const { step, held } = kept.stored;
		kept.stored = {
			...kept.stored,
			sent: { after: ids.at(-1) ?? '', step, ...(revision !== undefined && { revision }) },
			held: { ...held, known: ids },
		};
	}

	function adopt(
		laid: HostList<Native>,
		messages: readonly unknown[],
		decision: DecisionTold,
		step: string,
	): void {
		const view = {
			compactionId: decision.compactionId,
			tokensSaved: decision.tokensBefore - decision.tokensAfter,
			messages: messages as ChatMessage[],
		};
		kept.stored = {
			...kept.stored,
			step,
			held: decided(kept.stored.held, view, laid.raw, laid.ids, dialect),
		};
	}

	/** Has the daemon decide where that is due, and takes over what was decided elsewhere. */
	async function consult(
		laid: HostList<Native>,
		timeoutMs: number,
	): Promise<Pick<View<Native>, 'decision' | 'stats'>> {
		const begun = clock.now();
		const left = (of: number) => ({ timeoutMs: Math.max(1, of - (clock.now() - begun)) });
		await session.open(laid, left(timeoutMs).timeoutMs);
		const fed = await session.feed(laid, left(timeoutMs).timeoutMs);
		const stats = fed ?? (await ask('context/stats', { sessionId }, left(timeoutMs)));
		if (stats === null) return {};
		const { lastCompaction: newest, shouldCompact } = stats;
		const isKnown = stepOf(stats) === kept.stored.step;
		// Nothing else is decided until the trial of the last compaction has ended.
		if ((!shouldCompact || kept.stored.trial !== undefined) && isKnown) return { stats };
		if (!shouldCompact && newest?.undone) {
			kept.stored = {
				...kept.stored,
				held: lifted(kept.stored.held, [newest.compactionId]),
				step: stepOf(stats),
			};
			return { stats };
		}
		const answer = await ask('context/prepare', { sessionId }, left(deadlines.decision));
		for (const warning of answer.warnings) notice(warning);
		const after = answer.stats ?? stats;
		const decision = decisionIn(answer.compaction) ?? (isKnown ? undefined : after.lastCompaction);
		if (decision === undefined) return { stats: after };
		const { compactionId, tokensBefore, tokensAfter } = decision;
		const told = toWholeRequest({ compactionId, tokensBefore, tokensAfter }, after);
		adopt(laid, answer.messages, told, stepOf(after));
		return { decision: told, stats: after };
	}

	/** Share of the limit that a list may come to. */
	function expected({ raw, ids, around }: HostList<Native>): number {
		const { ratio, held } = kept.stored;
		const common = ratio === undefined ? 0 : commonBeginning(held.known, ids);
		const units = JSON.stringify(raw.slice(common)).length;
		return expectedRatio({ ratio, units, contextWindow: around.contextWindow });
	}

	async function orAside<Result>(
		work: () => Promise<Result>,
		isDecisionMissed = true,
	): Promise<Result | undefined> {
		try {
			const result = await work();
			misses = 0;
			return result;
		} catch (error) {
			session.close();
			if (isDecisionMissed) {
				misses++;
				options.onAside?.(errorText(error));
			}
			return undefined;
		}
	}

	async function view(raw: readonly Native[], around: Surroundings): Promise<View<Native>> {
		const laid = await received(raw, around);
		const { matched, messages } = lay(kept.stored.held, raw, dialect, laid.ids);
		// A beginning of what is known: a request beside the conversation, or one whose next list will tell more.
		if (matched === 'rewound') return { messages, matched };
		last = laid;
		const share = expected(laid);
		const consulted = await orAside(() => consult(laid, patienceFor(share, misses)), isDecisionNear(share));
		const ratio = consulted?.stats?.usageRatio ?? share;
		kept.stored = { ...kept.stored, ratio };
		const stats = options.tellsLevels === false ? undefined : consulted?.stats;
		const { held } = kept.stored;
		if (stats) kept.stored = noted(kept.stored, raw, laid.ids, dialect, stats.usageRatio);
		const isNoted = kept.stored.held !== held;
		const shown = lay(kept.stored.held, raw, dialect, laid.ids).messages;
		const whole = wholeOf(laid);
		sending(laid, consulted?.stats?.revision);
		const saved = kept.save();
		// Decisions and lines are saved before they are sent: if this process ends, the next one must send the same bytes, or
		// the provider's cache is lost. It can learn everything else from the daemon's session, so other requests do not wait.
		if (consulted?.decision !== undefined || isNoted) await saved;
		return { messages: shown, matched, ...consulted, ...(whole && { whole }) };
	}

	/** Returns a list without the compaction that is on trial; undefined if none is. */
	function wholeOf({ raw, ids }: HostList<Native>): Native[] | undefined {
		const { held, trial } = kept.stored;
		return trial && lay(lifted(held, [trial.compactionId]), raw, dialect, ids).messages;
	}

	function endTrial(): void {
		const { trial: _, ...others } = kept.stored;
		kept.stored = others;
	}

	async function settle(isRefusedAgain: boolean): Promise<string | undefined> {
		await kept.load();
		const { trial, sent } = kept.stored;
		if (trial === undefined) return undefined;
		if (isRefusedAgain) for (const line of trial.warnings) notice(line);
		else {
			await takeBack([trial.compactionId], true);
			// The answer belongs to the restored list.
			if (sent) kept.stored = { ...kept.stored, sent: { ...sent, step: kept.stored.step } };
		}
		endTrial();
		await kept.save();
		return trial.compactionId;
	}

	/** Has the daemon undo compactions, newest first, and lifts those that it has undone. Rejects at the first refusal. */
	async function takeBack(compactionIds: readonly string[], isRestore = false): Promise<void> {
		for (const compactionId of compactionIds) {
			const wish = { sessionId, compactionId, ...(isRestore && { isRestore }) };
			const { undone, stats } = await ask('context/undo', wish, { timeoutMs: deadlines.decision });
			const held = lifted(kept.stored.held, [compactionId, ...undone]);
			kept.stored = { ...kept.stored, held, step: stepOf(stats) };
		}
	}

	function notice(line: string): void {
		(options.onNotice ?? options.onAside)?.(line);
	}

	async function compact(raw: readonly Native[] | undefined, instructions?: string): Promise<Outcome> {
		const laid = raw === undefined ? last : await received(raw, last?.around ?? {});
		if (laid === undefined) return { done: false, text: 'Nothing was sent in this session yet.' };
		const timeoutMs = deadlines.decision;
		await session.open(laid, timeoutMs);
		await session.feed(laid, timeoutMs);
		const result = await ask('context/compact', { sessionId, instructions }, { timeoutMs });
		const decision = decisionIn(result);
		if (decision === undefined || !result?.messages) {
			return { done: false, text: `Nothing was compacted: ${result?.reason ?? 'there is nothing yet'}.` };
		}
		adopt(laid, result.messages, decision, result.compactionId ?? '');
		endTrial();
		last = laid;
		kept.stored = { ...kept.stored, held: { ...kept.stored.held, known: laid.ids } };
		await kept.save();
		const stats = await ask('context/stats', { sessionId }, { timeoutMs });
		const told = stats === null ? decision : toWholeRequest(decision, stats);
		return { done: true, text: decidedText(told, options.undoCommand), decision: told };
	}

	async function undo(count: number): Promise<Outcome> {
		await kept.load();
		const { decisions } = kept.stored.held;
		const shown = last === undefined ? decisions.at(-1) : decisionFor(kept.stored.held, last.ids);
		const end = shown === undefined ? 0 : decisions.indexOf(shown) + 1;
		const taken = decisions.slice(Math.max(0, end - count), end);
		const [oldest] = taken;
		if (oldest === undefined) return { done: false, text: 'There is nothing to undo.' };
		const stats = await ask('context/stats', { sessionId }, { timeoutMs: deadlines.decision });
		const tokens = (stats?.estimatedInputTokens ?? 0) + taken.reduce((sum, one) => sum + one.tokensSaved, 0);
		// The undo drops a learned limit: only the daemon knows the one before.
		if (stats !== null && !stats.isLimitLearned && tokens > stats.availableInputTokens) {
			return { done: false, text: tooLargeText(tokens, stats.availableInputTokens) };
		}
		try {
			await takeBack(taken.toReversed().map(({ compactionId }) => compactionId));
		} catch (error) {
			const refused = tooLargeUndoText(error);
			if (refused === undefined) throw error;
			const isPartial = kept.stored.held.decisions.length < decisions.length;
			return { done: isPartial, text: isPartial ? `${undoneText} ${refused}` : refused };
		} finally {
			endTrial();
			const { saidAt: _, ...others } = kept.stored;
			kept.stored = others;
			await kept.save();
		}
		return { done: true, text: undoneText };
	}

	async function isOff(): Promise<boolean> {
		await kept.load();
		return kept.stored.isOff === true;
	}

	async function turn(state: 'on' | 'off'): Promise<Outcome> {
		const isChange = (await isOff()) !== (state === 'off');
		const { isOff: _, ...others } = kept.stored;
		kept.stored = state === 'off' ? { ...others, isOff: true } : others;
		await kept.save();
		return { done: isChange, text: state === 'off' ? offText(options.onCommand) : onText };
	}

	/** Returns the host's list while contextd is off. What is answered to it does not measure the held view. */
	function passOn(raw: Native[]): View<Native> {
		const { sent: _, ...others } = kept.stored;
		kept.stored = others;
		return { messages: raw, matched: 'all' };
	}

	async function isFirstSince(): Promise<boolean> {
		await kept.load();
		if (kept.stored.saidAt === kept.stored.step) return false;
		kept.stored = { ...kept.stored, saidAt: kept.stored.step };
		await kept.save();
		return true;
	}

	async function recover(
		error: unknown,
		raw: readonly Native[],
		around: Surroundings,
		isTrial: boolean,
	): Promise<Native[] | undefined> {
		const laid = await received(raw, around);
		const timeoutMs = deadlines.decision;
		const result = await orAside(async () => {
			await session.open(laid, timeoutMs);
			await session.feed(laid, timeoutMs);
			return ask('context/recover', { sessionId, error }, { timeoutMs });
		});
		const decision = decisionIn(result?.compaction ?? null);
		if (decision === undefined || !result?.messages) return undefined;
		adopt(laid, result.messages, decision, result.compaction?.compactionId ?? '');
		const { warnings = [] } = result;
		if (isTrial) kept.stored = { ...kept.stored, trial: { compactionId: decision.compactionId, warnings } };
		else for (const line of warnings) notice(line);
		last = laid;
		sending(laid);
		await kept.save();
		return lay(kept.stored.held, raw, dialect, laid.ids).messages;
	}

	async function summarize(raw: readonly Native[], instructions?: string): Promise<Summary | undefined> {
		const laid = await received(raw, last?.around ?? {});
		const timeoutMs = deadlines.decision;
		const messages = await orAside(async () => {
			await session.open(laid, timeoutMs);
			await session.feed(laid, timeoutMs);
			const wish = { sessionId, instructions, targetTokens: summaryTokens };
			const result = await ask('context/compact', wish, { timeoutMs });
			return result?.messages ?? (await ask('context/prepare', { sessionId }, { timeoutMs })).messages;
		});
		await kept.save();
		const sent = sentResults(kept.stored.held, raw, dialect, laid.ids);
		const summary = messages && summaryIn(messages as ChatMessage[], laid.ids, sent);
		return summary && estimateTokens(summary.whole) <= mostOfSummary ? summary : undefined;
	}

	/** A wish of a person's is refused in words, not by an error. */
	async function wish(work: () => Promise<Outcome>): Promise<Outcome> {
		try {
			if (await isOff()) return { done: false, text: offText(options.onCommand) };
			await requireDaemon(ask, sessionId);
			return await work();
		} catch (error) {
			session.close();
			return { done: false, text: `contextd could not be asked: ${errorText(error)}` };
		}
	}

	return {
		...(options.undoCommand !== undefined && { undoCommand: options.undoCommand }),
		...(options.onCommand !== undefined && { onCommand: options.onCommand }),
		view: (raw, around = {}) =>
			onCopy(raw, async (list) => ((await isOff()) ? passOn(list) : view(list, around))),
		at: (raw, around = {}) =>
			onCopy(raw, async (list) => {
				last = await received(list, around);
			}),
		reported(usage) {
			session.report(last?.ids.at(-1), usage);
		},
		compact(raw, instructions) {
			const list = raw && [...raw];
			return inTurn(() => wish(() => compact(list, instructions)));
		},
		undo: (count = 1) => inTurn(() => wish(() => undo(count))),
		turn: (state) => inTurn(() => turn(state)),
		isOff,
		isFirstSince: () => inTurn(isFirstSince),
		recover: (error, raw, around = {}, isTrial = false) =>
			onCopy(raw, async (list) => ((await isOff()) ? undefined : recover(error, list, around, isTrial))),
		settle: (isRefusedAgain) => inTurn(() => settle(isRefusedAgain)),
		summarize: (raw, instructions) =>
			onCopy(raw, async (list) => ((await isOff()) ? undefined : summarize(list, instructions))),
		cut(call, whole, isError, contextWindow = last?.around.contextWindow) {
			if (kept.stored.isOff) return undefined;
			const { held, cut } = arrive(kept.stored.held, call, whole, isError, resultRules(contextWindow));
			kept.stored = { ...kept.stored, held };
			return cut;
		},
		tell: () =>
			inTurn(async () => {
				await requireDaemon(ask, sessionId);
				if (last === undefined) return;
				await session.open(last, deadlines.decision);
				await session.feed(last, deadlines.decision);
			}),
		daemonId: (id) => toldIdOf(id, kept.stored.feed.told, last?.raw ?? [], dialect),
	};
}
