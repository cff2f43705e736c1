/** Options, methods and results of a conversation. */

import type { ModelRequest, Usage } from '../server/protocol/conversation.ts';
import type { SessionChange } from '../server/protocol/session.ts';
import type { ContextStats } from '../server/protocol/stats.ts';
import type { Dialect } from './dialects/dialect.ts';
import type { ListChange } from './heldView.ts';
import type { Ask, Clock, ViewStore } from './ports.ts';
import type { ArrivedResult, ResultRules, ShortenedResult } from './results.ts';
import type { HostSummary } from './summary.ts';

/** Options of a conversation. */
export interface ConversationOptions<HostMessage> {
	/** Id of the conversation's session in the daemon, for example `opencode:ses_1`. */
	sessionId: string;
	dialect: Dialect<HostMessage>;
	ask: Ask;
	clock: Clock;
	store: ViewStore;
	rules: ResultRules;
	/** The host's command that undoes a decision, such as `/contextd-undo`; absent if there is none. */
	undoCommand?: string;
	/** The host's command that turns contextd on again, such as `/contextd on`; absent if there is none. */
	onCommand?: string;
	/** Called with a line that says why the daemon could not be asked or made no decision. */
	onWarning?(why: string): void;
	/** Called with a line about a decision that the user should read; by default `onWarning` is called. */
	onNotice?(line: string): void;
}

/** The context of a list of messages: model, window, and the other parts of the request. */
export interface RequestContext extends SessionChange {
	/** URI of the folder in which the agent works. */
	workspace?: string;
	/** System prompt, tools, and other parts of the request besides the messages. */
	request?: ModelRequest;
}

/** What a decision changed, in tokens of the whole request: messages, system prompt, tools and all other parts. */
export interface DecisionReport {
	compactionId: string;
	tokensBefore: number;
	tokensAfter: number;
}

/** Messages to send to the model instead of the host's list, and how they were chosen. */
export interface View<HostMessage> {
	messages: HostMessage[];
	change: ListChange;
	/** The decision made for this request; absent if there was none. */
	decision?: DecisionReport;
	/** How full the window is; absent if the daemon could not be asked. */
	stats?: ContextStats;
	/** The messages without the compaction that is on trial, to be sent first; absent if no compaction is on trial. */
	fullMessages?: HostMessage[];
}

/** The outcome of a user's command: a text for the user, and the decision if the command led to one. */
export interface CommandOutcome {
	/** Whether the command had an effect. */
	done: boolean;
	text: string;
	decision?: DecisionReport;
}

/** One conversation. Calls of its methods run one after the other. */
export interface Conversation<HostMessage> {
	/** The host's command that undoes a decision; absent if there is none. */
	readonly undoCommand?: string;
	/** The host's command that turns contextd on again; absent if there is none. */
	readonly onCommand?: string;
	/** Returns what to send instead of the host's list. Never rejects: the held view is sent if the daemon cannot be asked. */
	view(hostMessages: readonly HostMessage[], context?: RequestContext): Promise<View<HostMessage>>;
	/** Makes a list the current one without sending it to the model, so that later commands apply to it. */
	adoptList(hostMessages: readonly HostMessage[], context?: RequestContext): Promise<void>;
	/** Reports the provider's usage for the answer to the current list, for hosts whose messages do not contain it. */
	reportUsage(usage: Usage): void;
	/** Compacts a list now, by default the current one. */
	compact(hostMessages?: readonly HostMessage[], instructions?: string): Promise<CommandOutcome>;
	/** Undoes the newest decisions, by default one. */
	undo(count?: number): Promise<CommandOutcome>;
	/**
	 * Turns contextd off or on for this session, in later processes too. While it is off, `view` returns the host's list, no
	 * result is shortened, and nothing is compacted. Once it is on again, the held view applies if it still fits the list.
	 */
	switchTo(state: 'on' | 'off'): Promise<CommandOutcome>;
	/** Whether contextd is off for this session. */
	isOff(): Promise<boolean>;
	/** Returns true once after each decision or undo, across processes: for messages that are shown once. */
	isFirstSinceDecision(): Promise<boolean>;
	/**
	 * Compacts after a provider refused a list. Returns what to send instead; undefined if the error was not an overflow.
	 * @param isTrial whether the provider's error text is unknown: the compaction is then on trial until `endTrial`
	 */
	recover(
		error: unknown,
		hostMessages: readonly HostMessage[],
		context?: RequestContext,
		isTrial?: boolean,
	): Promise<HostMessage[] | undefined>;
	/**
	 * Ends the trial of a compaction: keeps the compaction if the full list was refused again, else undoes it. Returns its id;
	 * undefined if none is on trial. Rejects if the daemon cannot be asked: the trial then continues.
	 */
	endTrial(isRefusedAgain: boolean): Promise<string | undefined>;
	/**
	 * Returns a summary that replaces a list, for hosts that store a summary as text. Undefined if the daemon could not be
	 * asked, or if the text would be too long.
	 */
	summarize(hostMessages: readonly HostMessage[], instructions?: string): Promise<HostSummary | undefined>;
	/**
	 * Shortens a result on arrival, for hosts that store it then; undefined if the result stays unchanged.
	 * @param contextWindow size of the window in tokens; by default that of the current list
	 */
	shortenResult(result: ArrivedResult, contextWindow?: number): ShortenedResult | undefined;
	/** Sends the daemon the messages of the current list that it lacks. Rejects if the daemon cannot be reached. */
	sync(): Promise<void>;
	/** Converts the id of a call to the daemon's id of its result; returns the id unchanged if no call has it. */
	toDaemonId(id: string): string;
}
