/** The conversations of one process of Claude Code: the main conversation and one for each subagent. */

import { createConversation } from '../../kit/conversation.ts';
import type { Conversation, RequestContext } from '../../kit/conversationTypes.ts';
import { anthropicDialect, type BlockMessage } from '../../kit/index.ts';
import type { Ask, ViewStore } from '../../kit/ports.ts';
import { defaultResultTokens } from '../../kit/results.ts';
import { timeouts } from '../../kit/timeouts.ts';
import { errorText } from '../../server/core/failure.ts';
import type { AgentsSettings } from '../../server/protocol/settingParts.ts';
import type { ContextStats } from '../../server/protocol/stats.ts';
import type { Host, StepResult } from './host.ts';
import type { ConversationRequest } from './modelRequest.ts';
import { describePause, turnOnCommand, undoCommand } from './texts.ts';

/** A conversation, and what this process knows about its requests. */
export interface ConversationState {
	/** The daemon's session id. */
	sessionId: string;
	conversation: Conversation<BlockMessage>;
	/** Asks the daemon about this session. */
	ask: Ask;
	/** Timeout of a lookup in milliseconds. Short, because requests to the model wait in the channel behind the lookup. */
	lookupTimeoutMs: number;
	/** Absolute path of the working folder; absent before the first request. */
	folder?: string;
	/** The user's settings for plugins; undefined until the daemon has reported them. */
	settings(): AgentsSettings | undefined;
	/** The conversation's messages in the newest request, with their context; absent before the first request. */
	lastRequest?: { hostMessages: readonly BlockMessage[]; context: RequestContext };
	/** The model of the last request. */
	model: string;
	/** Tokens of the largest prompt that the model has answered in this process. */
	answeredPromptTokens: number;
	/** Whether the newest request asked the provider to cache it for an hour. */
	isCachedForHour: boolean;
	/** The refusal, if the provider refused the newest request and its unchanged repetition. */
	refusal?: { status: number; body: unknown };
	/** Whether a refusal has led to a compaction in this turn. A turn has at most one such compaction. */
	isTurnCompacted: boolean;
	/** Whether the current request repeats a refused request with the shorter view. */
	isShortened: boolean;
	/** Whether the model has answered the shorter view on trial. If so, a refusal of the full view keeps the shorter view. */
	isTrialAnswered: boolean;
	/** Number of compactions in a row after which the request was still refused. */
	failedTrialCount: number;
	/** Whether the provider refused a request smaller than one that it had answered, so its size was not the reason. */
	isSmallerRefused: boolean;
	/** A compaction that the next request must make; absent if there is none. */
	dueCompaction?: { instructions?: string };
	/** Whether the user undid the newest decision. */
	isUndone: boolean;
	/** Id of the newest compaction that contextd undid because the request had not been too long. */
	restoredId?: string;
	/** The newest stats that the daemon reported. */
	stats?: ContextStats;
}

/** Access to the daemon and to stored views for one session. */
export interface SessionPorts {
	ask: Ask;
	store: ViewStore;
	/** The user's settings for plugins; undefined until the daemon has reported them. */
	settings(): AgentsSettings | undefined;
}

/** Timeout for the list of subagents, in milliseconds. */
const listTimeoutMs = 3000;

const clock = { now: () => Math.round(performance.now()) };

function createResultRules({ settings }: SessionPorts) {
	return {
		get tokens(): number {
			return settings()?.toolResultTokens ?? defaultResultTokens;
		},
		isClearedByHost: true,
	};
}

/** All conversations of the process. */
export class Conversations {
	/** Whether contextd's status line is installed, so that the plugin shows no second meter. */
	hasStatusLine?: boolean;
	/** Size of the model's window in tokens, once Claude Code has reported it. */
	window?: number;
	readonly #createPorts: (host: Host, sessionId: string) => SessionPorts;
	readonly #bySessionId = new Map<string, ConversationState>();
	readonly #newestByAgent = new Map<string | undefined, ConversationState>();
	/** Whether the user was told that the daemon makes no decisions. */
	#isPauseReported = false;

	/** @param createPorts creates the access of a session to the daemon */
	constructor(createPorts: (host: Host, sessionId: string) => SessionPorts) {
		this.#createPorts = createPorts;
	}

	/** Returns the conversation to which a request belongs. */
	open(host: Host, { session, agent }: ConversationRequest): ConversationState {
		const state = this.#findOrCreate(host, createConversationId(session, agent));
		this.#newestByAgent.set(agent, state);
		return state;
	}

	/** Returns the conversation of the newest request of the main agent or of a subagent; undefined before the first request. */
	getNewest(agent: string | undefined): ConversationState | undefined {
		return this.#newestByAgent.get(agent);
	}

	/** Returns the main conversation or a subagent's. Asks Claude Code for the session id, which takes some milliseconds. */
	async getCurrent(host: Host, agent: string | undefined): Promise<ConversationState> {
		const { CLAUDE_CODE_SESSION_ID = '' } = await host.process.hookEnv();
		return this.#findOrCreate(host, createConversationId(CLAUDE_CODE_SESSION_ID, agent));
	}

	/**
	 * Returns the conversations of the subagents of a main conversation, including those of earlier processes; none for a
	 * subagent's conversation.
	 */
	async listSubagents(host: Host, { sessionId: main, ask }: ConversationState): Promise<ConversationState[]> {
		const { sessions } = await ask('session/list', { sessionId: main }, { timeoutMs: listTimeoutMs });
		const ids = new Set([...this.#bySessionId.keys(), ...sessions.map(({ sessionId }) => sessionId)]);
		return [...ids].filter((id) => id.startsWith(`${main}/`)).map((id) => this.#findOrCreate(host, id));
	}

	/** Whether the user turned contextd off in the main conversation, which also turns it off for subagents. */
	isOff(host: Host, { sessionId }: ConversationState): Promise<boolean> {
		return this.#findOrCreate(host, getMainConversationId(sessionId)).conversation.isOff();
	}

	/** Shows the user why the daemon made no decision; only once until the daemon answers again. */
	warn(host: Host, error: unknown): void {
		if (!this.#isPauseReported) host.ui.log(describePause(errorText(error)));
		this.#isPauseReported = true;
	}

	/** Records that the daemon has answered, so that the next warning is shown. */
	onAnswer(): void {
		this.#isPauseReported = false;
	}

	/** Passes the usage that the provider reported to the conversation of the request. */
	reportUsage(agent: string | undefined, { usage }: StepResult): void {
		const state = this.getNewest(agent);
		if (usage === null || state === undefined) return;
		const reported = {
			input: usage.input_tokens,
			output: usage.output_tokens,
			cacheRead: usage.cache_read_input_tokens,
			cacheWrite: usage.cache_creation_input_tokens,
			...(state.isCachedForHour && { cacheWriteForHour: usage.cache_creation_input_tokens }),
		};
		state.conversation.reportUsage(reported);
		state.failedTrialCount = 0;
		const promptTokens = reported.input + reported.cacheRead + reported.cacheWrite;
		state.answeredPromptTokens = Math.max(state.answeredPromptTokens, promptTokens);
	}

	#findOrCreate(host: Host, sessionId: string): ConversationState {
		const existing = this.#bySessionId.get(sessionId);
		if (existing !== undefined) return existing;
		const ports = this.#createPorts(host, sessionId);
		const conversation = createConversation({
			sessionId,
			dialect: anthropicDialect,
			ask: ports.ask,
			store: ports.store,
			clock,
			rules: createResultRules(ports),
			undoCommand,
			onCommand: turnOnCommand,
			onWarning: (reason) => this.warn(host, reason),
			onNotice: (line) => showNotice(host, sessionId, line),
		});
		const state: ConversationState = {
			sessionId,
			conversation,
			ask: ports.ask,
			lookupTimeoutMs: timeouts.decision,
			settings: ports.settings,
			model: '',
			answeredPromptTokens: 0,
			isCachedForHour: false,
			isTurnCompacted: false,
			isShortened: false,
			isTrialAnswered: false,
			failedTrialCount: 0,
			isSmallerRefused: false,
			isUndone: false,
		};
		this.#bySessionId.set(sessionId, state);
		return state;
	}
}

/** Shows a line about the main conversation to the user; lines about subagents are not shown. */
export function showNotice(host: Host, sessionId: string, line: string): void {
	if (!isSubagentConversation(sessionId)) host.ui.log(line);
}

/** Whether a conversation's id in the daemon belongs to a subagent. */
export function isSubagentConversation(sessionId: string): boolean {
	return sessionId.includes('/');
}

/** Returns the daemon's id of a conversation. */
function createConversationId(session: string, agent: string | undefined): string {
	return `claude:${session}${agent === undefined ? '' : `/${agent}`}`;
}

/** Converts the id of any conversation in the daemon to the id of its main conversation. */
export function getMainConversationId(sessionId: string): string {
	return sessionId.replace(/\/.*/, '');
}
