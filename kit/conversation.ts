/** One conversation of a host: decides which messages each request sends to the model. */

import { estimateTokens } from '../server/core/measure/text/textCounter.ts';
import { toWholeRequest } from '../server/core/meter/reading.ts';
import { pickDefined } from '../server/core/shape.ts';
import type { ChatMessage, Usage } from '../server/protocol/conversation.ts';
import type { ContextStats } from '../server/protocol/stats.ts';
import type {
	CommandOutcome,
	Conversation,
	ConversationOptions,
	RequestContext,
	View,
} from './conversationTypes.ts';
import { CurrentView } from './currentView.ts';
import { findDaemonId, type HostList } from './daemonSession.ts';
import { countCommonItems } from './fingerprint.ts';
import { collectSentResults, findDecision, withoutDecisions } from './heldView.ts';
import { type ArrivedResult, type ShortenedResult, shortenArrivedResult } from './results.ts';
import { type HostSummary, summarizeView } from './summary.ts';
import {
	describeNewestStep,
	describeReduction,
	describeRefusedUndo,
	describeTooLarge,
	describeTurnedOff,
	describeUnreachable,
	receiptToDecision,
	turnedOnText,
	undoneText,
	withUsageLevelLine,
} from './texts.ts';
import { chooseTimeoutMs, estimateRatio, isDecisionNear, requireDaemon, timeouts } from './timeouts.ts';

/** Tokens that a summary should have if the host stores it as a text. */
const summaryTargetTokens = 3000;
/** Maximum tokens of a summary that the host stores. If the summary is longer, the host compacts by itself. */
const maxSummaryTokens = 4 * summaryTargetTokens;

/** Creates a conversation. It reads its stored state at the first call. */
export function createConversation<HostMessage>(
	options: ConversationOptions<HostMessage>,
): Conversation<HostMessage> {
	return new HostConversation(options);
}

class HostConversation<HostMessage> implements Conversation<HostMessage> {
	readonly undoCommand?: string;
	readonly onCommand?: string;
	readonly #options: ConversationOptions<HostMessage>;
	readonly #currentView: CurrentView<HostMessage>;
	/** The list that the host sent last. */
	#lastList: HostList<HostMessage> | undefined;
	/** Time of the newest request of this process, in milliseconds by the port's clock. */
	#sentAt: number | undefined;
	#queue: Promise<unknown> = Promise.resolve();

	constructor(options: ConversationOptions<HostMessage>) {
		this.#options = options;
		this.#currentView = new CurrentView(options);
		if (options.undoCommand !== undefined) this.undoCommand = options.undoCommand;
		if (options.onCommand !== undefined) this.onCommand = options.onCommand;
	}

	view(hostMessages: readonly HostMessage[], context: RequestContext = {}): Promise<View<HostMessage>> {
		return this.#runOnCopy(hostMessages, async (list) =>
			(await this.isOff()) ? this.#createUnchangedView(list) : this.#view(list, context),
		);
	}

	adoptList(hostMessages: readonly HostMessage[], context: RequestContext = {}): Promise<void> {
		return this.#runOnCopy(hostMessages, async (list) => {
			this.#lastList = await this.#currentView.receive(list, context);
		});
	}

	reportUsage(usage: Usage): void {
		this.#currentView.session.setPendingUsage(this.#lastList?.ids.at(-1), usage);
	}

	compact(hostMessages?: readonly HostMessage[], instructions?: string): Promise<CommandOutcome> {
		const list = hostMessages && [...hostMessages];
		return this.#runInTurn(() => this.#runCommand(() => this.#compact(list, instructions)));
	}

	undo(count = 1): Promise<CommandOutcome> {
		return this.#runInTurn(() => this.#runCommand(() => this.#undo(count)));
	}

	switchTo(state: 'on' | 'off'): Promise<CommandOutcome> {
		return this.#runInTurn(async () => {
			const isChange = (await this.isOff()) !== (state === 'off');
			if (state === 'off') this.#store.update({ isOff: true });
			else this.#store.remove('isOff');
			await this.#store.save();
			return { done: isChange, text: state === 'off' ? describeTurnedOff(this.onCommand) : turnedOnText };
		});
	}

	async isOff(): Promise<boolean> {
		await this.#store.load();
		return this.#store.stored.isOff === true;
	}

	isFirstSinceDecision(): Promise<boolean> {
		return this.#runInTurn(async () => {
			await this.#store.load();
			const { saidAt, step } = this.#store.stored;
			if (saidAt === step) return false;
			this.#store.update({ saidAt: step });
			await this.#store.save();
			return true;
		});
	}

	recover(
		error: unknown,
		hostMessages: readonly HostMessage[],
		context: RequestContext = {},
		isTrial = false,
	): Promise<HostMessage[] | undefined> {
		return this.#runOnCopy(hostMessages, async (list) =>
			(await this.isOff()) ? undefined : this.#recover(error, list, context, isTrial),
		);
	}

	endTrial(isRefusedAgain: boolean): Promise<string | undefined> {
		return this.#runInTurn(() => this.#endTrial(isRefusedAgain));
	}

	summarize(hostMessages: readonly HostMessage[], instructions?: string): Promise<HostSummary | undefined> {
		return this.#runOnCopy(hostMessages, async (list) =>
			(await this.isOff()) ? undefined : this.#summarize(list, instructions),
		);
	}

	shortenResult(
		result: ArrivedResult,
		contextWindow = this.#lastList?.context.contextWindow,
	): ShortenedResult | undefined {
		const { isOff, held: before } = this.#store.stored;
		if (isOff) return undefined;
		const rules = this.#currentView.getRules(contextWindow);
		const { heldView, shortenedResult } = shortenArrivedResult(before, result, rules);
		this.#store.update({ held: heldView });
		return shortenedResult;
	}

	sync(): Promise<void> {
		return this.#runInTurn(async () => {
			await requireDaemon(this.#options.ask, this.#options.sessionId);
			if (this.#lastList === undefined) return;
			await this.#currentView.sync(this.#lastList, timeouts.decision);
		});
	}

	toDaemonId(id: string): string {
		const { hostMessages = [] } = this.#lastList ?? {};
		return findDaemonId(id, this.#store.stored.feed.told, hostMessages, this.#options.dialect);
	}

	get #store() {
		return this.#currentView.store;
	}

	#runInTurn<Result>(task: () => Promise<Result>): Promise<Result> {
		const run = this.#queue.then(task, task);
		this.#queue = run;
		return run;
	}

	/** Runs a task on a copy of the host's list, in turn: hosts keep appending to the array that they passed. */
	#runOnCopy<Result>(
		hostMessages: readonly HostMessage[],
		task: (hostMessages: HostMessage[]) => Promise<Result>,
	): Promise<Result> {
		const copy = [...hostMessages];
		return this.#runInTurn(() => task(copy));
	}

	async #view(hostMessages: readonly HostMessage[], context: RequestContext): Promise<View<HostMessage>> {
		const list = await this.#currentView.receive(hostMessages, context);
		const { change, messages } = this.#currentView.apply(list);
		// A shorter list may be a request outside the conversation. If it is a rewind, the next list confirms that.
		if (change === 'rewound') return { messages, change };
		this.#lastList = list;
		const ratio = this.#estimateRatio(list);
		const isNear = this.#recordRequestTime(ratio);
		const timeoutMs = chooseTimeoutMs(isNear, this.#currentView.misses);
		const answer = await this.#currentView.warnOnFailure(() => this.#askForDecision(list, timeoutMs), isNear);
		const { decision, stats } = answer ?? {};
		this.#store.update(
			stats === undefined ? { ratio } : { ratio: stats.usageRatio, due: stats.thresholds.compact },
		);
		const hasNewLine = stats !== undefined && this.#addLevelLine(list, stats);
		const sentMessages = this.#currentView.apply(list).messages;
		const fullMessages = this.#currentView.withoutTrial(list);
		this.#currentView.recordSent(list, stats?.revision);
		// Decisions and lines are saved before they are sent: if this process ends, the next process must send the same bytes,
		// or the provider's cache is lost. Everything else is in the daemon's session, so other requests do not wait for the disk.
		if (decision !== undefined || hasNewLine) await this.#store.save();
		else this.#store.saveSometimes();
		return { messages: sentMessages, change, ...answer, ...(fullMessages && { fullMessages }) };
	}

	/** Estimates which share of the limit a list uses. */
	#estimateRatio({ hostMessages, ids, context }: HostList<HostMessage>): number {
		const { ratio, held } = this.#store.stored;
		const common = ratio === undefined ? 0 : countCommonItems(held.known, ids);
		const units = JSON.stringify(hostMessages.slice(common)).length;
		return estimateRatio({ ratio, units, contextWindow: context.contextWindow });
	}

	/** Records the time of a request that uses `ratio` of the limit. Returns whether a compaction may then be due. */
	#recordRequestTime(ratio: number): boolean {
		const now = this.#options.clock.now();
		const pauseMs = this.#sentAt === undefined ? undefined : now - this.#sentAt;
		this.#sentAt = now;
		const { due: dueShare } = this.#store.stored;
		return isDecisionNear({ ratio, ...pickDefined({ dueShare, pauseMs }) });
	}

	/** Adds a line about the window if the usage rose above a level, and returns whether it did. */
	#addLevelLine({ hostMessages, ids }: HostList<HostMessage>, { usageRatio }: ContextStats): boolean {
		const { stored } = this.#store;
		this.#store.update(withUsageLevelLine(stored, { hostMessages, ids }, this.#options.dialect, usageRatio));
		return this.#store.stored.held !== stored.held;
	}

	/** Asks the daemon for a decision if one is due, and adopts decisions that other clients requested. */
	async #askForDecision(
		list: HostList<HostMessage>,
		timeoutMs: number,
	): Promise<Pick<View<HostMessage>, 'decision' | 'stats'>> {
		const { ask, sessionId, clock } = this.#options;
		const startedAt = clock.now();
		const getRemainingMs = (total: number): number => Math.max(1, total - (clock.now() - startedAt));
		await this.#currentView.session.open(list, getRemainingMs(timeoutMs));
		const answer = await this.#currentView.session.sync(list, getRemainingMs(timeoutMs));
		const stats =
			answer ?? (await ask('context/stats', { sessionId }, { timeoutMs: getRemainingMs(timeoutMs) }));
		if (stats === null) return {};
		const { lastCompaction: newestStep, shouldCompact } = stats;
		const isKnown = describeNewestStep(stats) === this.#store.stored.step;
		// While the last compaction is on trial, no other decision is made.
		if ((!shouldCompact || this.#store.stored.trial !== undefined) && isKnown) return { stats };
		if (!shouldCompact && newestStep?.undone) {
			const heldView = withoutDecisions(this.#store.stored.held, [newestStep.compactionId]);
			this.#store.update({ held: heldView, step: describeNewestStep(stats) });
			return { stats };
		}
		const result = await ask(
			'context/prepare',
			{ sessionId },
			{ timeoutMs: getRemainingMs(timeouts.decision) },
		);
		this.#currentView.notify(result.warnings);
		const after = result.stats ?? stats;
		const compaction = receiptToDecision(result.compaction) ?? (isKnown ? undefined : after.lastCompaction);
		if (compaction === undefined) return { stats: after };
		const { compactionId, tokensBefore, tokensAfter } = compaction;
		const decision = toWholeRequest({ compactionId, tokensBefore, tokensAfter }, after);
		this.#currentView.adoptDecision(list, result.messages, decision, describeNewestStep(after));
		return { decision, stats: after };
	}

	/** Returns the host's list while contextd is off. Forgets the last request: usage reported for this list does not measure the held view. */
	#createUnchangedView(hostMessages: HostMessage[]): View<HostMessage> {
		this.#store.remove('sent');
		return { messages: hostMessages, change: 'all' };
	}

	async #recover(
		error: unknown,
		hostMessages: readonly HostMessage[],
		context: RequestContext,
		isTrial: boolean,
	): Promise<HostMessage[] | undefined> {
		const { ask, sessionId } = this.#options;
		const list = await this.#currentView.receive(hostMessages, context);
		const timeoutMs = timeouts.decision;
		const result = await this.#currentView.warnOnFailure(async () => {
			await this.#currentView.sync(list, timeoutMs);
			return ask('context/recover', { sessionId, error }, { timeoutMs });
		});
		const decision = receiptToDecision(result?.compaction ?? null);
		if (decision === undefined || !result?.messages) return undefined;
		this.#currentView.adoptDecision(list, result.messages, decision, result.compaction?.compactionId ?? '');
		const { warnings = [] } = result;
		if (isTrial) this.#store.update({ trial: { compactionId: decision.compactionId, warnings } });
		else this.#currentView.notify(warnings);
		this.#lastList = list;
		this.#currentView.recordSent(list);
		await this.#store.save();
		return this.#currentView.apply(list).messages;
	}

	async #endTrial(isRefusedAgain: boolean): Promise<string | undefined> {
		await this.#store.load();
		const { trial, sent } = this.#store.stored;
		if (trial === undefined) return undefined;
		if (isRefusedAgain) this.#currentView.notify(trial.warnings);
		else {
			await this.#currentView.undoCompactions([trial.compactionId], { isRestore: true });
			// The model has answered the restored list, so the usage of its answer counts for the restored view.
			if (sent) this.#store.update({ sent: { ...sent, step: this.#store.stored.step } });
		}
		this.#store.remove('trial');
		await this.#store.save();
		return trial.compactionId;
	}

	/** Runs a command of the user. Never rejects: a failure is described in the outcome. */
	async #runCommand(command: () => Promise<CommandOutcome>): Promise<CommandOutcome> {
		try {
			if (await this.isOff()) return { done: false, text: describeTurnedOff(this.onCommand) };
			await requireDaemon(this.#options.ask, this.#options.sessionId);
			return await command();
		} catch (error) {
			this.#currentView.session.close();
			return { done: false, text: describeUnreachable(error) };
		}
	}

	async #compact(hostMessages?: readonly HostMessage[], instructions?: string): Promise<CommandOutcome> {
		const { ask, sessionId } = this.#options;
		const list =
			hostMessages === undefined
				? this.#lastList
				: await this.#currentView.receive(hostMessages, this.#lastList?.context ?? {});
		if (list === undefined) return { done: false, text: 'Nothing was sent in this session yet.' };
		const timeoutMs = timeouts.decision;
		await this.#currentView.sync(list, timeoutMs);
		const result = await ask('context/compact', { sessionId, instructions }, { timeoutMs });
		const decision = receiptToDecision(result);
		if (decision === undefined || !result?.messages)
			return { done: false, text: `Nothing was compacted: ${result?.reason ?? 'there is nothing yet'}.` };
		this.#currentView.adoptDecision(list, result.messages, decision, result.compactionId ?? '');
		this.#store.remove('trial');
		this.#lastList = list;
		this.#store.update({ held: { ...this.#store.stored.held, known: list.ids } });
		await this.#store.save();
		const stats = await ask('context/stats', { sessionId }, { timeoutMs });
		const report = stats === null ? decision : toWholeRequest(decision, stats);
		return { done: true, text: describeReduction(report, this.undoCommand), decision: report };
	}

	async #undo(count: number): Promise<CommandOutcome> {
		const { ask, sessionId } = this.#options;
		await this.#store.load();
		const { held } = this.#store.stored;
		const { decisions } = held;
		const shownDecision =
			this.#lastList === undefined ? decisions.at(-1) : findDecision(held, this.#lastList.ids);
		const end = shownDecision === undefined ? 0 : decisions.indexOf(shownDecision) + 1;
		const undone = decisions.slice(Math.max(0, end - count), end);
		if (undone.length === 0) return { done: false, text: 'There is nothing to undo.' };
		const stats = await ask('context/stats', { sessionId }, { timeoutMs: timeouts.decision });
		const tokens = (stats?.estimatedInputTokens ?? 0) + undone.reduce((sum, one) => sum + one.tokensSaved, 0);
		// An undo discards a limit that was learned from an overflow. Only the daemon knows the limit that then applies again.
		if (stats !== null && !stats.isLimitLearned && tokens > stats.availableInputTokens)
			return { done: false, text: describeTooLarge(tokens, stats.availableInputTokens) };
		try {
			await this.#currentView.undoCompactions(undone.toReversed().map(({ compactionId }) => compactionId));
		} catch (error) {
			const refusal = describeRefusedUndo(error);
			if (refusal === undefined) throw error;
			const isPartial = this.#store.stored.held.decisions.length < decisions.length;
			return { done: isPartial, text: isPartial ? `${undoneText} ${refusal}` : refusal };
		} finally {
			this.#store.remove('trial', 'saidAt');
			await this.#store.save();
		}
		return { done: true, text: undoneText };
	}

	async #summarize(list: readonly HostMessage[], instructions?: string): Promise<HostSummary | undefined> {
		const { ask, sessionId, dialect } = this.#options;
		const hostList = await this.#currentView.receive(list, this.#lastList?.context ?? {});
		const timeoutMs = timeouts.decision;
		const messages = await this.#currentView.warnOnFailure(async () => {
			await this.#currentView.sync(hostList, timeoutMs);
			const params = { sessionId, instructions, targetTokens: summaryTargetTokens };
			const result = await ask('context/compact', params, { timeoutMs });
			return result?.messages ?? (await ask('context/prepare', { sessionId }, { timeoutMs })).messages;
		});
		await this.#store.save();
		const sentTexts = collectSentResults(this.#store.stored.held, list, dialect, hostList.ids);
		const summary = messages && summarizeView(messages as ChatMessage[], hostList.ids, sentTexts);
		return summary && estimateTokens(summary.fullText) <= maxSummaryTokens ? summary : undefined;
	}
}
