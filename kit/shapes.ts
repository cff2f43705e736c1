/** What a conversation is given, and what it gives. */

import type { ModelRequest, ToolCall, Usage } from '../server/protocol/conversation.ts';
import type { SessionChange } from '../server/protocol/session.ts';
import type { ContextStats } from '../server/protocol/stats.ts';
import type { Cut } from './arrivals.ts';
import type { Dialect } from './dialects/dialect.ts';
import type { Matched } from './frozenView.ts';
import type { Ask, Clock, ViewStore } from './ports.ts';
import type { ResultRules } from './results.ts';
import type { Summary } from './summary.ts';

/** How a conversation is held. */
export interface ConversationOptions<Native> {
	/** For example `opencode:ses_1`. */
	sessionId: string;
	dialect: Dialect<Native>;
	ask: Ask;
	clock: Clock;
	store: ViewStore;
	rules: ResultRules;
	/** The command by which a user of the host undoes a decision, such as `/contextd-undo`; absent if there is none. */
	undoCommand?: string;
	/** The command by which a user of the host turns contextd on again, such as `/contextd on`; absent if there is none. */
	onCommand?: string;
	/** Whether the model is told how full its window is; by default true. */
	tellsLevels?: boolean;
	/** Hears, in one line, why the daemon was not asked or did not decide. */
	onAside?(why: string): void;
	/** Hears, in one line, what the user should know of a decision; `onAside` hears it if absent. */
	onNotice?(line: string): void;
}

/** What surrounds a list of messages; a workspace is a folder, as a URI. */
export interface Surroundings extends SessionChange {
	workspace?: string;
	/** What goes along with the messages. */
	request?: ModelRequest;
}

/** A decision in tokens of the whole request: with the system prompt, the tools, and what else goes with the messages. */
export interface DecisionTold {
	compactionId: string;
	tokensBefore: number;
	tokensAfter: number;
}

/** What a model is to be sent. */
export interface View<Native> {
	messages: Native[];
	matched: Matched;
	/** What was decided for this request; absent where it only goes on. */
	decision?: DecisionTold;
	/** How full the window is; absent where the daemon could not be asked. */
	stats?: ContextStats;
	/** The list without the compaction that is on trial, to be sent first; absent if none is on trial. */
	whole?: Native[];
}

/** What became of a wish: a line for a person, and what was decided where something was. */
export interface Outcome {
	/** Something was changed. */
	done: boolean;
	text: string;
	decision?: DecisionTold;
}

/** One conversation; its calls run one after the other. */
export interface Conversation<Native> {
	/** As in the options. */
	readonly undoCommand?: string;
	/** As in the options. */
	readonly onCommand?: string;
	/** What to send in place of the host's list. Never rejects: where the daemon is away, what is held is sent. */
	view(raw: readonly Native[], around?: Surroundings): Promise<View<Native>>;
	/** Takes up the list that the host is at now, without sending it: what is asked of the conversation next is about it. */
	at(raw: readonly Native[], around?: Surroundings): Promise<void>;
	/** What a provider reported for the answer to the list that was laid last, where the answer does not say it itself. */
	reported(usage: Usage): void;
	/** Makes room now, in the host's list where that is given, else in the one that was laid last. */
	compact(raw?: readonly Native[], instructions?: string): Promise<Outcome>;
	/** Takes the newest decisions back; by default one. */
	undo(count?: number): Promise<Outcome>;
	/**
	 * Turns contextd off or on for this session, in later processes too. While it is off, `view` returns the host's list,
	 * no result is cut, and nothing is compacted. Once it is on, the held view applies again if it still fits the list.
	 */
	turn(state: 'on' | 'off'): Promise<Outcome>;
	/** Whether contextd is off for this session. */
	isOff(): Promise<boolean>;
	/** Whether it was not asked since the last decision or undo, in earlier processes neither: for what is to be said once of each. */
	isFirstSince(): Promise<boolean>;
	/**
	 * Makes room after a provider refused a list: what to send instead, or nothing where that was no overflow.
	 * @param isTrial whether the provider's words are unknown: the compaction is then on trial until `settle`
	 */
	recover(
		error: unknown,
		raw: readonly Native[],
		around?: Surroundings,
		isTrial?: boolean,
	): Promise<Native[] | undefined>;
	/**
	 * Ends the trial of a compaction: keeps it if the full list was refused again, else restores the history. Returns the
	 * compaction; undefined if none is on trial. Rejects if the daemon cannot be asked: the trial then continues.
	 */
	settle(isRefusedAgain: boolean): Promise<string | undefined>;
	/**
	 * A text to stand in the place of a list, for a host that will keep it there: of all of it but the newest messages.
	 * Nothing where the daemon could not be asked.
	 */
	summarize(raw: readonly Native[], instructions?: string): Promise<Summary | undefined>;
	/**
	 * Cuts a result when its call has ended, for a host that stores what it is handed then; nothing where it stays as it
	 * is. The rules are those of the view, in a window of so many tokens: by default in that of the newest list.
	 */
	cut(call: ToolCall, whole: string, isError: boolean, contextWindow?: number): Cut | undefined;
	/** Tells the daemon what it has missed of the list that was laid last, before it is asked about the session. Rejects where it is away. */
	tell(): Promise<void>;
	/** The id by which the daemon knows the result of a call; the id itself where it is no call's. */
	daemonId(id: string): string;
}
