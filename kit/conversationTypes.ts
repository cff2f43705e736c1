/** Options, methods and results of a conversation. */

import type { ModelRequest, Usage } from '../server/protocol/conversation.ts';
import type { SessionChange } from '../server/protocol/session.ts';
import type { ContextStats } from '../server/protocol/stats.ts';
import type { Dialect } from './dialects/dialect.ts';
import type { ListChange } from './heldView.ts';
import type { Ask, Clock, ViewStore } from './ports.ts';
import type { ArrivedResult, ResultRules, ShortenedResult } from './results.ts';
import type { HostSummary } from './summary.ts';

/** What a conversation needs. */
export interface ConversationOptions<HostMessage> {
	/** For example `opencode:ses_1`. */
	sessionId: string;
	dialect: Dialect<HostMessage>;
	ask: Ask;
	clock: Clock;
	store: ViewStore;
	rules: ResultRules;
	/** The command by which a user of the host undoes a decision, such as `/contextd-undo`; absent if there is none. */
	undoCommand?: string;
	/** The command by which a user of the host turns contextd on again, such as `/contextd on`; absent if there is none. */
	onCommand?: string;
	/** Whether the model gets lines that state how full its window is; by default true. */
	announcesLevels?: boolean;
	/** Called with one line about why the daemon was not asked or did not decide. */
	onWarning?(why: string): void;
	/** Called with one line that the user should read about a decision; by default `onWarning` is called. */
	onNotice?(line: string): void;
}

/** The context of a list of messages: model, window, and what else is part of the request. */
export interface RequestContext extends SessionChange {
	/** A folder, as a URI. */
	workspace?: string;
	/** System prompt, tools, and other parts of the request besides the messages. */
	request?: ModelRequest;
}

/** A decision in tokens of the whole request: messages, system prompt, tools and all other parts. */
export interface DecisionReport {
	compactionId: string;
	tokensBefore: number;
	tokensAfter: number;
}

/** What to send to the model. */
export interface View<HostMessage> {
	messages: HostMessage[];
	change: ListChange;
	/** The decision made for this request; absent if there was none. */
	decision?: DecisionReport;
	/** How full the window is; absent if the daemon could not be asked. */
	stats?: ContextStats;
	/** The list without the compaction that is on trial, to send first; absent if none is on trial. */
	whole?: HostMessage[];
}

/** The outcome of a user's command: a line for the user, and the decision if one was made. */
export interface CommandOutcome {
	/** Whether something was changed. */
	done: boolean;
	text: string;
	decision?: DecisionReport;
}

/** One conversation. Its calls run one after the other. */
export interface Conversation<HostMessage> {
	/** See the options. */
	readonly undoCommand?: string;
	/** See the options. */
	readonly onCommand?: string;
	/** Returns what to send instead of the host's list. Never rejects: the held view is sent if the daemon cannot be asked. */
	view(raw: readonly HostMessage[], around?: RequestContext): Promise<View<HostMessage>>;
	/** Makes a list the current one without sending it: later commands apply to it. */
	adoptList(raw: readonly HostMessage[], around?: RequestContext): Promise<void>;
	/** Takes the usage that a provider reported for the answer to the current list, if the answer does not contain it. */
	reportUsage(usage: Usage): void;
	/** Compacts now: the given list, by default the current one. */
	compact(raw?: readonly HostMessage[], instructions?: string): Promise<CommandOutcome>;
	/** Undoes the newest decisions, by default one. */
	undo(count?: number): Promise<CommandOutcome>;
	/**
	 * Turns contextd off or on for this session, in later processes too. While it is off, `view` returns the host's list,
	 * no result is cut, and nothing is compacted. Once it is on, the held view applies again if it still fits the list.
	 */
	turn(state: 'on' | 'off'): Promise<CommandOutcome>;
	/** Whether contextd is off for this session. */
	isOff(): Promise<boolean>;
	/** Returns true once after each decision or undo, across processes: for messages that are shown once. */
	isFirstSinceDecision(): Promise<boolean>;
	/**
	 * Compacts after a provider refused a list. Returns what to send instead; undefined if the error was no overflow.
	 * @param isTrial whether the provider's text is unknown: the compaction is then on trial until `endTrial`
	 */
	recover(
		error: unknown,
		raw: readonly HostMessage[],
		around?: RequestContext,
		isTrial?: boolean,
	): Promise<HostMessage[] | undefined>;
	/**
	 * Ends the trial of a compaction: keeps it if the full list was refused again, else restores the history. Returns the
	 * compaction; undefined if none is on trial. Rejects if the daemon cannot be asked: the trial then continues.
	 */
	endTrial(isRefusedAgain: boolean): Promise<string | undefined>;
	/**
	 * Returns a text that replaces a list, for hosts that store such a text. Undefined if the daemon could not be asked, or if
	 * the text would be too long.
	 */
	summarize(raw: readonly HostMessage[], instructions?: string): Promise<HostSummary | undefined>;
	/**
	 * Shortens a result when its call has ended, for hosts that store results on arrival; undefined if it stays
	 * unchanged.
	 * @param contextWindow tokens; by default that of the current list
	 */
	shortenResult(result: ArrivedResult, contextWindow?: number): ShortenedResult | undefined;
	/** Sends the daemon the missing messages of the current list, so that it can be asked about them. Rejects if it cannot be reached. */
	sync(): Promise<void>;
	/** Returns the daemon's id of the result of a call; the id itself if no call has it. */
	daemonId(id: string): string;
}
