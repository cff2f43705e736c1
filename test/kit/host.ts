/** A host that talks to a daemon in this process. */

import { createConversation } from '../../kit/conversation.ts';
import type { Conversation } from '../../kit/conversationTypes.ts';
import { anthropicDialect } from '../../kit/dialects/anthropic.ts';
import type { Ask, ViewStore } from '../../kit/ports.ts';
import type { App } from '../support/app.ts';
import type { Native } from './conversations.ts';

export const sessionId = 'test:one';

/** What a host tells of a model whose window is small. */
export const smallWindow = {
	provider: 'anthropic',
	model: 'claude-sonnet-4-5',
	contextWindow: 32_000,
	maxOutputTokens: 8000,
};

/** Stores of texts in memory, one a host, as a disk that outlives it. */
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
	/** What was asked, method by method. */
	asked: string[];
	/** Milliseconds that each question could wait for its answer. */
	waits: number[];
	/** What the host was told of a daemon that did not answer. */
	asides: string[];
	/** Lets the answer to the next question of a method be lost, though the daemon did what it was asked. */
	lose(method: string): void;
	/** Lets the daemon be gone, or come back. */
	cut(isGone: boolean): void;
}

/** A host with a conversation of its own. */
export function startHost(
	app: () => App,
	store: ViewStore = memoryStore(),
	tokens = 4000,
	onCommand?: string,
): Host {
	const asked: string[] = [];
	const waits: number[] = [];
	const asides: string[] = [];
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
		asides,
		lose(method) {
			lost = method;
		},
		cut(gone) {
			isGone = gone;
		},
		conversation: createConversation({
			sessionId,
			dialect: anthropicDialect,
			ask,
			clock: { now: () => performance.now() },
			store,
			rules: { tokens, isClearedByHost: true },
			onCommand,
			onWarning: (why) => asides.push(why),
		}),
	};
}
