/** A host that uses a daemon in this process. */

import { createConversation } from '../../kit/conversation.ts';
import type { Conversation } from '../../kit/conversationTypes.ts';
import { anthropicDialect } from '../../kit/dialects/anthropic.ts';
import type { Ask, ViewStore } from '../../kit/ports.ts';
import type { App } from '../support/app.ts';
import type { Native } from './conversations.ts';

export const sessionId = 'test:one';

/** A host's description of a model with a small window. */
export const smallWindow = {
	provider: 'anthropic',
	model: 'claude-sonnet-4-5',
	contextWindow: 32_000,
	maxOutputTokens: 8000,
};

/** Returns a store of texts in memory, which outlives a host like a disk. */
export function memoryStore(): ViewStore & { texts: Map<string, string> } {
	const texts = new Map<string, string>();
	return {
		texts,
		load: async (id) => texts.get(id),
		async save(id, text) {
			texts.set(id, text);
		},
	};
}

export interface Host {
	conversation: Conversation<Native>;
	/** Requested methods, in order. */
	asked: string[];
	/** Timeouts of the requests, in milliseconds. */
	waits: number[];
	/** Warnings that the host got. */
	warnings: string[];
	/** Drops the answer to the next request of a method; the daemon still executes the request. */
	lose(method: string): void;
	/** Disconnects the daemon, or connects it again. */
	setDisconnected(isDisconnected: boolean): void;
}

/** Starts a host with its own conversation. */
export function startHost(
	app: () => App,
	store: ViewStore = memoryStore(),
	tokens = 4000,
	onCommand?: string,
): Host {
	const asked: string[] = [];
	const waits: number[] = [];
	const warnings: string[] = [];
	let isGone = false;
	let lost = '';
	const ask = (async (method: never, params: never, { timeoutMs }: { timeoutMs: number }) => {
		waits.push(timeoutMs);
		if (isGone) throw new Error('the daemon is gone');
		asked.push(method);
		const answer = await app().ask({ kind: 'request', method } as never, params);
		if (method !== lost) return answer;
		lost = '';
		throw new Error(`no answer to ${method} in time`);
	}) as unknown as Ask;
	return {
		asked,
		waits,
		warnings,
		lose(method) {
			lost = method;
		},
		setDisconnected(isDisconnected) {
			isGone = isDisconnected;
		},
		conversation: createConversation({
			sessionId,
			dialect: anthropicDialect,
			ask,
			clock: { now: () => performance.now() },
			store,
			rules: { tokens, isClearedByHost: true },
			onCommand,
			onWarning: (why) => warnings.push(why),
		}),
	};
}
