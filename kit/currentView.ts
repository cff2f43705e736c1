/**
 * The view that the model gets now. It is computed from the stored view and the daemon's session. Also contains the operations
 * that requests and commands share.
 */

import { errorText } from '../server/core/failure.ts';
import type { ChatMessage } from '../server/protocol/conversation.ts';
import { ConversationStore } from './conversationStore.ts';
import type { ConversationOptions, DecisionReport, RequestContext } from './conversationTypes.ts';
import { DaemonSession, type HostList } from './daemonSession.ts';
import { createChainIdCache } from './fingerprint.ts';
import { type AppliedView, applyView, withDecision, withoutDecisions } from './heldView.ts';
import { decideResults, hasNewlyShortened, limitRulesToWindow, type ResultRules } from './results.ts';
import { describeNewestStep } from './texts.ts';
import { timeouts } from './timeouts.ts';

/** The current view of one conversation. */
export class CurrentView<HostMessage> {
	readonly store: ConversationStore<HostMessage>;
	readonly session: DaemonSession<HostMessage>;
	/** Number of decisions in a row that the daemon did not make in time. */
	misses = 0;
	readonly #options: ConversationOptions<HostMessage>;
	readonly #createIds: (hostMessages: readonly HostMessage[]) => string[];

	constructor(options: ConversationOptions<HostMessage>) {
		this.#options = options;
		this.store = new ConversationStore(options);
		this.session = new DaemonSession(options, this.store);
		this.#createIds = createChainIdCache(options.dialect);
	}

	/** Returns the rules for results in a window of `contextWindow` tokens. */
	getRules(contextWindow: number | undefined): ResultRules {
		return limitRulesToWindow({ ...this.#options.rules, tokens: this.session.resultTokens }, contextWindow);
	}

	/**
	 * Loads the stored state and decides which of the new results in a list are shortened. A shortened result is saved
	 * before it is sent: only the plugin knows its text, and another text would cost the provider's cache.
	 */
	async receive(
		hostMessages: readonly HostMessage[],
		context: RequestContext,
	): Promise<HostList<HostMessage>> {
		const ids = this.#createIds(hostMessages);
		await this.store.load({ hostMessages, ids, context });
		const rules = this.getRules(context.contextWindow);
		const before = this.store.stored.held;
		const heldView = decideResults(before, { hostMessages, ids }, this.#options.dialect, rules);
		this.store.update({ held: heldView });
		if (hasNewlyShortened(before, heldView)) await this.store.save();
		return { hostMessages, ids, context };
	}

	/** Records that a list is sent to the model now. */
	recordSent({ ids }: HostList<HostMessage>, revision?: number): void {
		const { step, held } = this.store.stored;
		this.store.update({
			sent: { after: ids.at(-1) ?? '', step, ...(revision !== undefined && { revision }) },
			held: { ...held, known: ids },
		});
	}

	/** Adds a decision of the daemon to the view; `step` is the daemon's newest step in the form of `describeNewestStep`. */
	adoptDecision(
		list: HostList<HostMessage>,
		messages: readonly unknown[],
		decision: DecisionReport,
		step: string,
	): void {
		const view = {
			compactionId: decision.compactionId,
			tokensSaved: decision.tokensBefore - decision.tokensAfter,
			messages: messages as ChatMessage[],
		};
		const { held } = this.store.stored;
		this.store.update({ step, held: withDecision(held, view, list, this.#options.dialect) });
	}

	/** Applies a held view, by default the current one, to a list. */
	apply(list: HostList<HostMessage>, heldView = this.store.stored.held): AppliedView<HostMessage> {
		return applyView(heldView, list.hostMessages, this.#options.dialect, list.ids);
	}

	/** Returns the result of a task; undefined if it failed. Warns about the failure if `isDecisionMissed` is set. */
	async warnOnFailure<T>(task: () => Promise<T>, isDecisionMissed = true): Promise<T | undefined> {
		try {
			const result = await task();
			this.misses = 0;
			return result;
		} catch (error) {
			this.session.close();
			if (!isDecisionMissed) return undefined;
			this.misses++;
			this.#options.onWarning?.(errorText(error));
			return undefined;
		}
	}

	/** Reports lines that the user should read. */
	notify(lines: readonly string[]): void {
		const { onNotice, onWarning } = this.#options;
		for (const line of lines) (onNotice ?? onWarning)?.(line);
	}

	/** Returns the messages of a list without the compaction that is on trial; undefined if no compaction is on trial. */
	withoutTrial(list: HostList<HostMessage>): HostMessage[] | undefined {
		const { held, trial } = this.store.stored;
		return trial && this.apply(list, withoutDecisions(held, [trial.compactionId])).messages;
	}

	/** Undoes compactions in the daemon and in the held view, in the given order. Rejects at the first refusal. */
	async undoCompactions(ids: readonly string[], options: { isRestore?: boolean } = {}): Promise<void> {
		const { ask, sessionId } = this.#options;
		for (const compactionId of ids) {
			const params = { sessionId, compactionId, ...options };
			const { undone, stats } = await ask('context/undo', params, { timeoutMs: timeouts.decision });
			const heldView = withoutDecisions(this.store.stored.held, [compactionId, ...undone]);
			this.store.update({ held: heldView, step: describeNewestStep(stats) });
		}
	}

	/** Opens the daemon's session and sends the messages of a list that it lacks. Waits at most `timeoutMs` for each answer. */
	async sync(list: HostList<HostMessage>, timeoutMs: number): Promise<void> {
		await this.session.open(list, timeoutMs);
		await this.session.sync(list, timeoutMs);
	}
}
