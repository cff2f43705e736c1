/** The conversations of one process of Claude Code: the main one, and one for each subagent. */

import { createConversation } from '../../kit/conversation.ts';
import type { Conversation, RequestContext } from '../../kit/conversationTypes.ts';
import { anthropicDialect, type BlockMessage } from '../../kit/index.ts';
import type { Ask, ViewStore } from '../../kit/ports.ts';
import type { AgentsSettings } from '../../server/protocol/settings.ts';
import type { ContextStats } from '../../server/protocol/stats.ts';
import type { Host, StepResult } from './host.ts';
import { besideMessages, type ConversationRequest } from './modelRequest.ts';
import { onCommand, pausedWords, undoCommand } from './words.ts';

/** One conversation, and what is known of it beside its messages. */
export interface HeldConversation {
	/** As the daemon names its session. */
	sessionId: string;
	conversation: Conversation<BlockMessage>;
	/** Asks the daemon about this session. */
	ask: Ask;
	/** Absolute path of the folder that it works in; absent before its first request. */
	folder?: string;
	/** What the user set for plugins, once the daemon has said so. */
	settings(): AgentsSettings | undefined;
	/** The newest request, with its messages that belong to the conversation; absent before the first one. */
	last?: { raw: readonly BlockMessage[]; around: RequestContext };
	/** The model that was asked last, and tokens of the largest prompt that it answered in this process. */
	model: string;
	answered: number;
	/** Whether the provider was asked to cache the newest request for an hour. */
	isCachedForHour: boolean;
	/** The newest request, if the provider refused it and its unchanged repetition; absent after an answer. */
	refusal?: { status: number; body: unknown };
	/** Whether a refusal led to a compaction in this turn: there is at most one. */
	isTurnCompacted: boolean;
	/** Whether the request on its way repeats a refused one with the shorter view. */
	isShortened: boolean;
	/** Whether the shorter view on trial was answered: only then may a refusal of the full one keep it. */
	isTrialAnswered: boolean;
	/** Compactions in a row that did not make a refused request pass. */
	failedTrials: number;
	/** Whether a request was refused that is smaller than an answered one: its size is not the reason. */
	isSmallerRefused: boolean;
	/** Whether room is to be made with the next request, and for what. */
	isDue?: { instructions?: string };
	/** Whether the user took a decision back, and none was made since. */
	isUndone: boolean;
	/** The newest compaction that contextd itself took back, since the request had not been too long. */
	restored?: string;
	/** The newest figures. */
	stats?: ContextStats;
}

/** How the daemon is asked and where views are kept, for one session. */
export interface Ports {
	ask: Ask;
	store: ViewStore;
	/** What the user set for plugins, once the daemon has said so. */
	settings(): AgentsSettings | undefined;
}

/** All conversations of the process. */
export interface Conversations {
	/** The conversation that a request goes on with. */
	of(host: Host, request: ConversationRequest): Promise<HeldConversation>;
	/** The conversation that the newest request went on with, of the main one or of a subagent; undefined before the first. */
	newest(agent: string | undefined): HeldConversation | undefined;
	/** The main conversation, or a subagent's, as Claude Code names it now: asks Claude Code, which takes some milliseconds. */
	current(host: Host, agent: string | undefined): Promise<HeldConversation>;
	/** The conversations of its subagents, in this process and in earlier ones; none of a subagent's. */
	subagentsOf(host: Host, held: HeldConversation): Promise<HeldConversation[]>;
	/** Whether the user turned contextd off for the session; its subagents follow the main conversation. */
	isOff(host: Host, held: HeldConversation): Promise<boolean>;
	/** Whether the status line is contextd's own: it shows the meter, and the plugin no second one. */
	hasStatusLine?: boolean;
	/** Tokens of the model's window, once Claude Code says so. */
	window?: number;
	/** Shows why a decision was missed: one line, until the daemon has answered again. */
	onAside(host: Host, why: string): void;
	/** The daemon has answered: what goes wrong next is shown again. */
	onAnswer(): void;
	/** Shows a line about a conversation to the person; none about a subagent's. */
	onNotice(host: Host, sessionId: string, line: string): void;
}

/** Tokens that a result may have where the user set nothing else. */
const resultTokens = 4000;
/** Milliseconds that a list of subagents is waited for. */
const listingMs = 3000;

/**
 * @param portsOf how a session's daemon is asked
 */
export function heldConversations(portsOf: (host: Host, sessionId: string) => Ports): Conversations {
	const all = new Map<string, HeldConversation>();
	const newest = new Map<string | undefined, HeldConversation>();
	let isPaused = false;

	function held(host: Host, sessionId: string): HeldConversation {
		const found = all.get(sessionId);
		if (found !== undefined) return found;
		const ports = portsOf(host, sessionId);
		const rules = {
			get tokens(): number {
				return ports.settings()?.toolResultTokens ?? resultTokens;
			},
			isClearedByHost: true,
		};
		const clock = { now: () => Math.round(performance.now()) };
		const conversation = createConversation({
			sessionId,
			dialect: anthropicDialect,
			ask: ports.ask,
			store: ports.store,
			clock,
			rules,
			undoCommand,
			onCommand,
			onWarning: (why) => onAside(host, why),
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

	function onAside(host: Host, why: string): void {
		if (!isPaused) host.ui.log(pausedWords(why));
		isPaused = true;
	}

	function onNotice(host: Host, sessionId: string, line: string): void {
		if (!sessionId.includes('/')) host.ui.log(line);
	}

	return {
		onAside,
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

/** The daemon's id of a conversation. */
function idOf(session: string, agent: string | undefined): string {
	return `claude:${session}${agent === undefined ? '' : `/${agent}`}`;
}

/** Returns the daemon's id of the main conversation, given its own or a subagent's. */
function mainIdOf(sessionId: string): string {
	return sessionId.replace(/\/.*/, '');
}

/** What stands around a request's messages, as the daemon counts and names it. */
export function aroundOf(
	request: ConversationRequest,
	folder: string,
	window: number | undefined,
): RequestContext {
	return {
		workspace: folder,
		provider: 'anthropic',
		model: request.model,
		...(window !== undefined && { contextWindow: window }),
		request: besideMessages(request),
	};
}

/** Keeps what the provider reported for a request, for the daemon. */
export function keepUsage(
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
