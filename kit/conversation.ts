/** One conversation of a host: what its model is sent, request by request. */

import { estimateTokens } from '../server/core/measure/text/textCounter.ts';
import { toWholeRequest } from '../server/core/meter/wholeRequest.ts';
import { withoutUndefined } from '../server/core/shape.ts';
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
import { daemonIdOf, type HostList } from './daemonSession.ts';
import { commonBeginningLength } from './fingerprint.ts';
import { decisionFor, sentResults, withoutDecisions } from './heldView.ts';
import { type ArrivedResult, type ShortenedResult, shortenArrival } from './results.ts';
import { type HostSummary, summaryOf } from './summary.ts';
import { expectedRatio, isDecisionNear, requestTimeouts, requireDaemon, timeoutFor } from './timeouts.ts';
import {
	compactedText,
	decisionOf,
	describeNewestStep,
	tooLargeText,
	tooLargeUndoText,
	turnedOffText,
	turnedOnText,
	undoneText,
	unreachableText,
	withUsageLevelLine,
} from './words.ts';

/** Target of a summary that the host will keep as a text, in tokens. */
const summaryTargetTokens = 3000;
/** A longer text is no summary: the host then compacts by itself. Tokens. */
const maxSummaryTokens = 4 * summaryTargetTokens;

/** Returns a conversation that has read nothing yet. */
export function createConversation<HostMessage>(
	options: ConversationOptions<HostMessage>,
): Conversation<HostMessage> {
	return new HostConversation(options);
}

class HostConversation<HostMessage> implements Conversation<HostMessage> {
	readonly undoCommand?: string;
	readonly onCommand?: string;
	readonly #options: ConversationOptions<HostMessage>;
	readonly #current: CurrentView<HostMessage>;
	/** The list that the host sent last. */
	#last: HostList<HostMessage> | undefined;
	/** When the newest request of this process was sent, by the port's clock. */
	#sentAt: number | undefined;
	#queue: Promise<unknown> = Promise.resolve();

	constructor(options: ConversationOptions<HostMessage>) {
		this.#options = options;
		this.#current = new CurrentView(options);
		if (options.undoCommand !== undefined) this.undoCommand = options.undoCommand;
		if (options.onCommand !== undefined) this.onCommand = options.onCommand;
	}

	view(raw: readonly HostMessage[], context: RequestContext = {}): Promise<View<HostMessage>> {
		return this.#onCopy(raw, async (list) =>
			(await this.isOff()) ? this.#unchanged(list) : this.#view(list, context),
		);
	}

	adoptList(raw: readonly HostMessage[], context: RequestContext = {}): Promise<void> {
		return this.#onCopy(raw, async (list) => {
			this.#last = await this.#current.receive(list, context);
		});
	}

	reportUsage(usage: Usage): void {
		this.#current.session.setPendingUsage(this.#last?.ids.at(-1), usage);
	}

	compact(raw?: readonly HostMessage[], instructions?: string): Promise<CommandOutcome> {
		const list = raw && [...raw];
		return this.#inTurn(() => this.#runCommand(() => this.#compact(list, instructions)));
	}

	undo(count = 1): Promise<CommandOutcome> {
		return this.#inTurn(() => this.#runCommand(() => this.#undo(count)));
	}

	turn(state: 'on' | 'off'): Promise<CommandOutcome> {
		return this.#inTurn(async () => {
			const isChange = (await this.isOff()) !== (state === 'off');
			if (state === 'off') this.#current.store.update({ isOff: true });
			else this.#current.store.remove('isOff');
			await this.#current.store.save();
			return { done: isChange, text: state === 'off' ? turnedOffText(this.onCommand) : turnedOnText };
		});
	}

	async isOff(): Promise<boolean> {
		await this.#current.store.load();
		return this.#current.store.stored.isOff === true;
	}

	isFirstSinceDecision(): Promise<boolean> {
		return this.#inTurn(async () => {
			await this.#current.store.load();
			const { saidAt, step } = this.#current.store.stored;
			if (saidAt === step) return false;
			this.#current.store.update({ saidAt: step });
			await this.#current.store.save();
			return true;
		});
	}

	recover(
		error: unknown,
		raw: readonly HostMessage[],
		context: RequestContext = {},
		isTrial = false,
	): Promise<HostMessage[] | undefined> {
		return this.#onCopy(raw, async (list) =>
			(await this.isOff()) ? undefined : this.#recover(error, list, context, isTrial),
		);
	}

	endTrial(isRefusedAgain: boolean): Promise<string | undefined> {
		return this.#inTurn(() => this.#endTrial(isRefusedAgain));
	}

	summarize(raw: readonly HostMessage[], instructions?: string): Promise<HostSummary | undefined> {
		return this.#onCopy(raw, async (list) =>
			(await this.isOff()) ? undefined : this.#summarize(list, instructions),
		);
	}

	shortenResult(
		result: ArrivedResult,
		contextWindow = this.#last?.context.contextWindow,
	): ShortenedResult | undefined {
		const { isOff, held: before } = this.#current.store.stored;
		if (isOff) return undefined;
		const rules = this.#current.rulesFor(contextWindow);
		const { held, shortened } = shortenArrival(before, result, rules);
		this.#current.store.update({ held });
		return shortened;
	}

	sync(): Promise<void> {
		return this.#inTurn(async () => {
			await requireDaemon(this.#options.ask, this.#options.sessionId);
			if (this.#last === undefined) return;
			await this.#current.sync(this.#last, requestTimeouts.decision);
		});
	}

	daemonId(id: string): string {
		return daemonIdOf(id, this.#current.store.stored.feed.told, this.#last?.raw ?? [], this.#options.dialect);
	}

	#inTurn<Result>(task: () => Promise<Result>): Promise<Result> {
		const run = this.#queue.then(task, task);
		this.#queue = run;
		return run;
	}

	/** Runs a task on a copy of the host's list, in turn: hosts keep appending to the array that they passed. */
	#onCopy<Result>(
		raw: readonly HostMessage[],
		task: (raw: HostMessage[]) => Promise<Result>,
	): Promise<Result> {
		const copy = [...raw];
		return this.#inTurn(() => task(copy));
	}

	async #view(raw: readonly HostMessage[], context: RequestContext): Promise<View<HostMessage>> {
		const list = await this.#current.receive(raw, context);
		const { change, messages } = this.#current.apply(list);
		// The list is a beginning of the known one: a request besides the conversation, or the next list will show more.
		if (change === 'rewound') return { messages, change };
		this.#last = list;
		const expected = this.#expectedRatio(list);
		const isNear = this.#isDecisionNear(expected);
		const timeoutMs = timeoutFor(isNear, this.#current.misses);
		const answer = await this.#current.orWarn(() => this.#askForDecision(list, timeoutMs), isNear);
		const { decision, stats } = answer ?? {};
		this.#current.store.update(
			stats === undefined ? { ratio: expected } : { ratio: stats.usageRatio, due: stats.thresholds.compact },
		);
		const hasNewLine = stats !== undefined && this.#addLevelLine(list, stats);
		const shown = this.#current.apply(list).messages;
		const whole = this.#current.withoutTrial(list);
		this.#current.recordSent(list, stats?.revision);
		// Decisions and lines are saved before they are sent: if this process ends, the next one must send the same bytes, or
		// the provider's cache is lost. It can learn everything else from the daemon's session, so other requests do not wait.
		if (decision !== undefined || hasNewLine) await this.#current.store.save();
		else this.#current.store.saveSometimes();
		return { messages: shown, change, ...answer, ...(whole && { whole }) };
	}

	/** Share of the limit that a list may use. */
	#expectedRatio({ raw, ids, context }: HostList<HostMessage>): number {
		const { ratio, held } = this.#current.store.stored;
		const common = ratio === undefined ? 0 : commonBeginningLength(held.known, ids);
		const units = JSON.stringify(raw.slice(common)).length;
		return expectedRatio({ ratio, units, contextWindow: context.contextWindow });
	}

	/** Whether a compaction may be due at a request that uses this share of the limit. Remembers when it was sent. */
	#isDecisionNear(expected: number): boolean {
		const now = this.#options.clock.now();
		const pauseMs = this.#sentAt === undefined ? undefined : now - this.#sentAt;
		this.#sentAt = now;
		const { due } = this.#current.store.stored;
		return isDecisionNear({ expected, ...withoutUndefined({ due, pauseMs }) });
	}

	/** Adds a line about the window if the usage rose above a level, and returns whether it did. */
	#addLevelLine({ raw, ids }: HostList<HostMessage>, { usageRatio }: ContextStats): boolean {
		if (this.#options.announcesLevels === false) return false;
		const { stored } = this.#current.store;
		this.#current.store.update(withUsageLevelLine(stored, { raw, ids }, this.#options.dialect, usageRatio));
		return this.#current.store.stored.held !== stored.held;
	}

	/** Asks the daemon for a decision if one is due, and adopts decisions that were made elsewhere. */
	async #askForDecision(
		list: HostList<HostMessage>,
		timeoutMs: number,
	): Promise<Pick<View<HostMessage>, 'decision' | 'stats'>> {
		const { ask, sessionId, clock } = this.#options;
		const startedAt = clock.now();
		const remaining = (total: number): number => Math.max(1, total - (clock.now() - startedAt));
		await this.#current.session.open(list, remaining(timeoutMs));
		const synced = await this.#current.session.sync(list, remaining(timeoutMs));
		const stats = synced ?? (await ask('context/stats', { sessionId }, { timeoutMs: remaining(timeoutMs) }));
		if (stats === null) return {};
		const { lastCompaction: newest, shouldCompact } = stats;
		const isKnown = describeNewestStep(stats) === this.#current.store.stored.step;
		// Nothing else is decided until the trial of the last compaction has ended.
		if ((!shouldCompact || this.#current.store.stored.trial !== undefined) && isKnown) return { stats };
		if (!shouldCompact && newest?.undone) {
			const held = withoutDecisions(this.#current.store.stored.held, [newest.compactionId]);
			this.#current.store.update({ held, step: describeNewestStep(stats) });
			return { stats };
		}
		const prepared = await ask(
			'context/prepare',
			{ sessionId },
			{ timeoutMs: remaining(requestTimeouts.decision) },
		);
		this.#current.notify(prepared.warnings);
		const after = prepared.stats ?? stats;
		const made = decisionOf(prepared.compaction) ?? (isKnown ? undefined : after.lastCompaction);
		if (made === undefined) return { stats: after };
		const { compactionId, tokensBefore, tokensAfter } = made;
		const decision = toWholeRequest({ compactionId, tokensBefore, tokensAfter }, after);
		this.#current.adoptDecision(list, prepared.messages, decision, describeNewestStep(after));
		return { decision, stats: after };
	}

	/** Returns the host's list while contextd is off. Usage figures of its answer do not measure the held view. */
	#unchanged(raw: HostMessage[]): View<HostMessage> {
		this.#current.store.remove('sent');
		return { messages: raw, change: 'all' };
	}

	async #recover(
		error: unknown,
		raw: readonly HostMessage[],
		context: RequestContext,
		isTrial: boolean,
	): Promise<HostMessage[] | undefined> {
		const { ask, sessionId } = this.#options;
		const list = await this.#current.receive(raw, context);
		const timeoutMs = requestTimeouts.decision;
		const result = await this.#current.orWarn(async () => {
			await this.#current.sync(list, timeoutMs);
			return ask('context/recover', { sessionId, error }, { timeoutMs });
		});
		const decision = decisionOf(result?.compaction ?? null);
		if (decision === undefined || !result?.messages) return undefined;
		this.#current.adoptDecision(list, result.messages, decision, result.compaction?.compactionId ?? '');
		const { warnings = [] } = result;
		if (isTrial) this.#current.store.update({ trial: { compactionId: decision.compactionId, warnings } });
		else this.#current.notify(warnings);
		this.#last = list;
		this.#current.recordSent(list);
		await this.#current.store.save();
		return this.#current.apply(list).messages;
	}

	async #endTrial(isRefusedAgain: boolean): Promise<string | undefined> {
		await this.#current.store.load();
		const { trial, sent } = this.#current.store.stored;
		if (trial === undefined) return undefined;
		if (isRefusedAgain) this.#current.notify(trial.warnings);
		else {
			await this.#current.undoCompactions([trial.compactionId], { isRestore: true });
			// The answer belongs to the restored list.
			if (sent) this.#current.store.update({ sent: { ...sent, step: this.#current.store.stored.step } });
		}
		this.#current.store.remove('trial');
		await this.#current.store.save();
		return trial.compactionId;
	}

	/** Runs a command of the user's. A failure is described in the outcome; nothing rejects. */
	async #runCommand(command: () => Promise<CommandOutcome>): Promise<CommandOutcome> {
		try {
			if (await this.isOff()) return { done: false, text: turnedOffText(this.onCommand) };
			await requireDaemon(this.#options.ask, this.#options.sessionId);
			return await command();
		} catch (error) {
			this.#current.session.close();
			return { done: false, text: unreachableText(error) };
		}
	}

	async #compact(raw: readonly HostMessage[] | undefined, instructions?: string): Promise<CommandOutcome> {
		const { ask, sessionId } = this.#options;
		const list = raw === undefined ? this.#last : await this.#current.receive(raw, this.#last?.context ?? {});
		if (list === undefined) return { done: false, text: 'Nothing was sent in this session yet.' };
		const timeoutMs = requestTimeouts.decision;
		await this.#current.sync(list, timeoutMs);
		const result = await ask('context/compact', { sessionId, instructions }, { timeoutMs });
		const decision = decisionOf(result);
		if (decision === undefined || !result?.messages) {
			return { done: false, text: `Nothing was compacted: ${result?.reason ?? 'there is nothing yet'}.` };
		}
		this.#current.adoptDecision(list, result.messages, decision, result.compactionId ?? '');
		this.#current.store.remove('trial');
		this.#last = list;
		this.#current.store.update({ held: { ...this.#current.store.stored.held, known: list.ids } });
		await this.#current.store.save();
		const stats = await ask('context/stats', { sessionId }, { timeoutMs });
		const report = stats === null ? decision : toWholeRequest(decision, stats);
		return { done: true, text: compactedText(report, this.undoCommand), decision: report };
	}

	async #undo(count: number): Promise<CommandOutcome> {
		const { ask, sessionId } = this.#options;
		await this.#current.store.load();
		const { held } = this.#current.store.stored;
		const { decisions } = held;
		const shown = this.#last === undefined ? decisions.at(-1) : decisionFor(held, this.#last.ids);
		const end = shown === undefined ? 0 : decisions.indexOf(shown) + 1;
		const chosen = decisions.slice(Math.max(0, end - count), end);
		if (chosen.length === 0) return { done: false, text: 'There is nothing to undo.' };
		const stats = await ask('context/stats', { sessionId }, { timeoutMs: requestTimeouts.decision });
		const tokens = (stats?.estimatedInputTokens ?? 0) + chosen.reduce((sum, one) => sum + one.tokensSaved, 0);
		// The undo drops a learned limit: only the daemon knows the one before.
		if (stats !== null && !stats.isLimitLearned && tokens > stats.availableInputTokens) {
			return { done: false, text: tooLargeText(tokens, stats.availableInputTokens) };
		}
		try {
			await this.#current.undoCompactions(chosen.toReversed().map(({ compactionId }) => compactionId));
		} catch (error) {
			const refusal = tooLargeUndoText(error);
			if (refusal === undefined) throw error;
			const isPartial = this.#current.store.stored.held.decisions.length < decisions.length;
			return { done: isPartial, text: isPartial ? `${undoneText} ${refusal}` : refusal };
		} finally {
			this.#current.store.remove('trial', 'saidAt');
			await this.#current.store.save();
		}
		return { done: true, text: undoneText };
	}

	async #summarize(raw: readonly HostMessage[], instructions?: string): Promise<HostSummary | undefined> {
		const { ask, sessionId, dialect } = this.#options;
		const list = await this.#current.receive(raw, this.#last?.context ?? {});
		const timeoutMs = requestTimeouts.decision;
		const messages = await this.#current.orWarn(async () => {
			await this.#current.sync(list, timeoutMs);
			const params = { sessionId, instructions, targetTokens: summaryTargetTokens };
			const result = await ask('context/compact', params, { timeoutMs });
			return result?.messages ?? (await ask('context/prepare', { sessionId }, { timeoutMs })).messages;
		});
		await this.#current.store.save();
		const sent = sentResults(this.#current.store.stored.held, raw, dialect, list.ids);
		const summary = messages && summaryOf(messages as ChatMessage[], list.ids, sent);
		return summary && estimateTokens(summary.whole) <= maxSummaryTokens ? summary : undefined;
	}
}
