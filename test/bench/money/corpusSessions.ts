/** Requests of recorded sessions, from a folder of sessions in the neutral form (`neutral-1`). */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sumPromptTokens } from '../../../server/core/meter/meter.ts';
import type { Usage } from '../../../server/protocol/conversation.ts';

/** One request of a recorded session. */
export interface SessionRequest {
	/** Time of the newest message before the answer, at which the request was sent. Milliseconds since the epoch. */
	at?: number;
	model: string;
	usage: Usage;
	/** Whether the agent compacted since the previous request. */
	isCompacted: boolean;
	/** Whether a person typed since the previous request. */
	startsTurn: boolean;
	/** Whether the answer begins a turn and shows thinking; undefined within a turn. */
	thinks?: boolean;
	/** Content blocks that were added since the previous request. */
	newBlocks: number;
	/** Characters of the messages that were added since the previous request. */
	newChars: number;
}

/** A recorded session with the token usage of each of its requests. */
export interface RecordedSession {
	name: string;
	agent: string;
	provider: string;
	model: string;
	/** Tokens of the window, if the transcript states them. */
	contextWindow?: number;
	requests: SessionRequest[];
}

interface NeutralMessage {
	role: string;
	content: string;
	thinking?: string;
	toolCalls?: { args: unknown }[];
	usage?: Usage;
	timestamp?: string | number;
	meta?: { kind?: string };
}

/** Name of the agent that writes a format. */
const agents: Readonly<Record<string, string>> = {
	'claude-code-jsonl': 'claude-code',
	'claude-sdk-stream': 'claude-agent-sdk',
	'codex-rollout': 'codex',
	'gemini-chat-json': 'gemini-cli',
	'pi-session-jsonl': 'pi',
};

function timeOf({ timestamp }: NeutralMessage): number | undefined {
	const time = typeof timestamp === 'number' ? timestamp : Date.parse(timestamp ?? '');
	return Number.isFinite(time) ? time : undefined;
}

function charsOf({ content, toolCalls = [] }: NeutralMessage): number {
	return content.length + toolCalls.reduce((sum, { args }) => sum + JSON.stringify(args).length, 0);
}

function requestsOf(messages: readonly NeutralMessage[], model: string): SessionRequest[] {
	const requests: SessionRequest[] = [];
	const fresh = { isCompacted: false, startsTurn: false, newBlocks: 0, newChars: 0 };
	let since = { ...fresh };
	let sentAt: number | undefined;
	let isAsked = true;
	for (const message of messages) {
		const { role, usage, meta, toolCalls = [] } = message;
		if (usage !== undefined && role === 'assistant' && sumPromptTokens(usage) > 0) {
			const at = sentAt ?? timeOf(message);
			const thinks = isAsked ? { thinks: message.thinking !== undefined } : {};
			requests.push({ ...(at !== undefined && { at }), model, usage, ...thinks, ...since });
			isAsked = false;
			since = { ...fresh };
			sentAt = undefined;
		} else {
			sentAt = timeOf(message) ?? sentAt;
		}
		isAsked ||= role === 'user';
		since.isCompacted ||= meta?.kind === 'compact-summary';
		since.startsTurn ||= role === 'user' && meta?.kind === undefined;
		since.newBlocks += toolCalls.length + (message.content === '' ? 0 : 1);
		since.newChars += charsOf(message);
	}
	return requests;
}

const fiveMinutes = 300_000;

/**
 * Returns the requests with all writes counted as writes for an hour, if a request after a pause of more than five
 * minutes still read nearly all of the previous prompt. Old transcripts do not state the lifetime of the cache.
 */
function withLifetime(requests: SessionRequest[]): SessionRequest[] {
	const isLong = requests.some(({ at, isCompacted, usage }, index) => {
		const previous = requests[index - 1];
		if (previous?.at === undefined || at === undefined || isCompacted) return false;
		const share = (usage.cacheRead ?? 0) / sumPromptTokens(previous.usage);
		return at - previous.at > fiveMinutes && share > 0.9;
	});
	if (!isLong) return requests;
	return requests.map((request) => {
		const { cacheWrite = 0 } = request.usage;
		return {
			...request,
			usage: { ...request.usage, ...(cacheWrite > 0 && { cacheWriteForHour: cacheWrite }) },
		};
	});
}

function readSession(path: string, name: string): RecordedSession {
	const lines = readFileSync(path, 'utf8')
		.split('\n')
		.filter((line) => line !== '');
	const [header, ...messages] = lines.map((line) => JSON.parse(line));
	const { sourceFormat, provider, model, info } = header;
	const contextWindow = info?.contextWindow;
	const requests = withLifetime(requestsOf(messages, model));
	return {
		name,
		agent: agents[sourceFormat] ?? sourceFormat,
		provider,
		model,
		requests,
		...(contextWindow && { contextWindow }),
	};
}

/** Reads all sessions of `CORPUS/sessions` with at least two requests that reported figures, by name. */
export function readSessions(corpus: string): RecordedSession[] {
	const folder = join(corpus, 'sessions');
	const names = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
	const sessions = names.sort().map((name) => readSession(join(folder, name), name.slice(0, -6)));
	return sessions.filter(({ requests }) => requests.length > 1);
}
