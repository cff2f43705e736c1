/** The conversations of one process of Claude Code: the main one, and one for each subagent. */

import { createConversation } from '../../kit/conversation.ts';
import type { Conversation, RequestContext } from '../../kit/conversationTypes.ts';
import { anthropicDialect, type BlockMessage } from '../../kit/index.ts';
import type { Ask, ViewStore } from '../../kit/ports.ts';
import { defaultResultTokens } from '../../kit/results.ts';
import { errorText } from '../../server/core/failure.ts';
import type { AgentsSettings } from '../../server/protocol/settingParts.ts';
import type { ContextStats } from '../../server/protocol/stats.ts';
import type { Host, StepResult } from './host.ts';
import { type ConversationRequest, restOfRequest } from './modelRequest.ts';
import { pausedText, turnOnCommand, undoCommand } from './words.ts';

/** One conversation and its state besides the messages. */
export interface HeldConversation {
	/** The daemon's session id. */
	sessionId: string;
	conversation: Conversation<BlockMessage>;
	/** Asks the daemon about this session. */
	ask: Ask;
	/** Absolute path of the working folder; absent before the first request. */
	folder?: string;
	/** The user's settings for plugins; undefined until the daemon has reported them. */
	settings(): AgentsSettings | undefined;
	/** The messages of the newest request that belong to the conversation; absent before the first request. */
	last?: { raw: readonly BlockMessage[]; context: RequestContext };
	/** The model of the last request, and tokens of the largest prompt that it answered in this process. */
	model: string;
	answered: number;
	/** Whether the provider was asked to cache the newest request for an hour. */
	isCachedForHour: boolean;
	/** Set if the provider refused the newest request and its unchanged retry; absent after an answer. */
	refusal?: { status: number; body: unknown };
	/** Whether a refusal has led to a compaction in this turn; there is at most one per turn. */
	isTurnCompacted: boolean;
	/** Whether the current request repeats a refused one with the shorter view. */
	isShortened: boolean;
	/** Whether the shorter view on trial was answered: only then is it kept if the full list is refused again. */
	isTrialAnswered: boolean;
	/** Compactions in a row that did not make a refused request pass. */
	failedTrials: number;
	/** Whether a refused request was smaller than an answered one, so its size was not the reason. */
	isSmallerRefused: boolean;
	/** Set if the next request must be compacted. */
	isDue?: { instructions?: string };
	/** Whether the user undid the newest decision. */
	isUndone: boolean;
	/** The newest compaction that contextd undid itself because the request had not been too long. */
	restored?: string;
	/** The newest figures. */
	stats?: ContextStats;
}

/** Access to the daemon and to stored views for one session. */
export interface SessionPorts {
	ask: Ask;
	store: ViewStore;
	/** The user's settings for plugins; undefined until the daemon has reported them. */
	settings(): AgentsSettings | undefined;
}

/** All conversations of the process. */
export interface Conversations {
	/** Returns the conversation that a request continues. */
	of(host: Host, request: ConversationRequest): Promise<HeldConversation>;
	/** Returns the conversation of the newest request of the main agent or of a subagent; undefined before the first one. */
	newest(agent: string | undefined): HeldConversation | undefined;
	/** Returns the main conversation or a subagent's. Asks Claude Code for the session id, which takes some milliseconds. */
	current(host: Host, agent: string | undefined): Promise<HeldConversation>;
	/**
	 * Returns the conversations of a main agent's subagents, including those of earlier processes; none for a
	 * subagent.
	 */
	subagentsOf(host: Host, held: HeldConversation): Promise<HeldConversation[]>;
	/** Whether the user turned contextd off for the session; its subagents follow the main conversation. */
	isOff(host: Host, held: HeldConversation): Promise<boolean>;
	/** Whether the status line is contextd's, so that the plugin shows no second meter. */
	hasStatusLine?: boolean;
	/** Tokens of the model's window, once Claude Code has reported it. */
	window?: number;
	/** Shows why a decision was missed: one line until the daemon answers again. */
	warn(host: Host, error: unknown): void;
	/** Records that the daemon has answered, so that the next warning is shown. */
	onAnswer(): void;
	/** Shows a line about the main conversation to the user; lines about subagents are not shown. */
	onNotice(host: Host, sessionId: string, line: string): void;
}

/** Timeout for the list of subagents, in milliseconds. */
const listingMs = 3000;

const clock = { now: () => Math.round(performance.now()) };

function resultRulesOf({ settings }: SessionPorts) {
	return {
		get tokens(): number {
			return settings()?.toolResultTokens ?? defaultResultTokens;
		},
		isClearedByHost: true,
	};
}

/** Returns all conversations of a process, over `portsOf` of each session. */
export function createHeldConversations(
	portsOf: (host: Host, sessionId: string) => SessionPorts,
): Conversations {
	const all = new Map<string, HeldConversation>();
	const newest = new Map<string | undefined, HeldConversation>();
	let isPaused = false;

	function held(host: Host, sessionId: string): HeldConversation {
		const found = all.get(sessionId);
		if (found !== undefined) return found;
		const ports = portsOf(host, sessionId);
		const conversation = createConversation({
			sessionId,
			dialect: anthropicDialect,
			ask: ports.ask,
			store: ports.store,
			clock,
			rules: resultRulesOf(ports),
			undoCommand,
			onCommand: turnOnCommand,
			onWarning: (why) => warn(host, why),
			onNotice: (line) => onNotice(host, sessionId, line),
		});
		const made: HeldConversation = {
			sessionId,
			conversation,
			ask: ports.ask,
			settings: ports.settings,
			model: '',
			answered: 0,
			isCachedForHour: false,
			isTurnCompacted: false,
			isShortened: false,
			isTrialAnswered: false,
			failedTrials: 0,
			isSmallerRefused: false,
			isUndone: false,
		};
		all.set(sessionId, made);
		return made;
	}

	function warn(host: Host, error: unknown): void {
		if (!isPaused) host.ui.log(pausedText(errorText(error)));
		isPaused = true;
	}

	function onNotice(host: Host, sessionId: string, line: string): void {
		if (!sessionId.includes('/')) host.ui.log(line);
	}

	return {
		warn,
		onAnswer() {
			isPaused = false;
		},
		onNotice,
		async subagentsOf(host, { sessionId: main, ask }) {
			const { sessions } = await ask('session/list', { sessionId: main }, { timeoutMs: listingMs });
			const ids = new Set([...all.keys(), ...sessions.map(({ sessionId }) => sessionId)]);
			return [...ids].filter((id) => id.startsWith(`${main}/`)).map((id) => held(host, id));
		},
		isOff: (host, { sessionId }) => held(host, mainIdOf(sessionId)).conversation.isOff(),
		async of(host, { session, agent }) {
			const found = held(host, idOf(session, agent));
			newest.set(agent, found);
			return found;
		},
		newest: (agent) => newest.get(agent),
		async current(host, agent) {
			const { CLAUDE_CODE_SESSION_ID = '' } = await host.process.hookEnv();
			return held(host, idOf(CLAUDE_CODE_SESSION_ID, agent));
		},
	};
}

/** Returns the daemon's id of a conversation. */
function idOf(session: string, agent: string | undefined): string {
	return `claude:${session}${agent === undefined ? '' : `/${agent}`}`;
}

/** Returns the daemon's id of the main conversation, given its own or a subagent's. */
function mainIdOf(sessionId: string): string {
	return sessionId.replace(/\/.*/, '');
}

/** Returns the context of a request's messages, as the daemon counts it. */
export function requestContextOf(
	request: ConversationRequest,
	folder: string,
	window: number | undefined,
): RequestContext {
	return {
		workspace: folder,
		provider: 'anthropic',
		model: request.model,
		...(window !== undefined && { contextWindow: window }),
		request: restOfRequest(request),
	};
}

/** Stores the usage that the provider reported for a request. */
export function storeUsage(
	agent: string | undefined,
	{ usage }: StepResult,
	conversations: Conversations,
): void {
	const held = conversations.newest(agent);
	if (usage === null || held === undefined) return;
	const cost = {
		input: usage.input_tokens,
		output: usage.output_tokens,
		cacheRead: usage.cache_read_input_tokens,
		cacheWrite: usage.cache_creation_input_tokens,
		...(held.isCachedForHour && { cacheWriteForHour: usage.cache_creation_input_tokens }),
	};
	held.conversation.reportUsage(cost);
	held.failedTrials = 0;
	held.answered = Math.max(held.answered, cost.input + cost.cacheRead + cost.cacheWrite);
}
