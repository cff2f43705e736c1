/** Keeps the conversation of each session of an OpenCode instance. */

import { pathToFileURL } from 'node:url';
import type { Conversation, RequestContext } from '../kit/conversationTypes.ts';
import type { ControllableSession } from '../kit/lookups.ts';
import { createPluginConversation, type PluginServices } from '../kit/node/start.ts';
import { errorText } from '../server/core/failure.ts';
import { openCodeDialect, withoutClearedMarks } from './dialect.ts';
import type { OpenCodeClient, OpenCodeInput, OpenCodeMessage } from './host.ts';

/** Returns a model with the limits that OpenCode knows. */
async function readModel(
	client: OpenCodeClient,
	model: OpenCodeMessage['info']['model'],
): Promise<RequestContext> {
	if (model === undefined) return {};
	const { data } = await client.config.providers();
	const provider = data?.providers.find(({ id }) => id === model.providerID);
	const limit = provider?.models[model.modelID]?.limit;
	return {
		provider: model.providerID,
		model: model.modelID,
		...(limit && { contextWindow: limit.context, maxOutputTokens: limit.output }),
	};
}

/** Whether OpenCode would send all messages of a session: none was summarized, and no answer is in progress. */
function isSentUnchanged(messages: readonly OpenCodeMessage[]): boolean {
	const { role, time } = messages.at(-1)?.info ?? {};
	if (role === 'assistant' && time?.completed === undefined) return false;
	return !messages.some(({ parts }) => parts.some(({ type }) => type === 'compaction'));
}

/** The sessions of one OpenCode instance. */
export class OpenCodeSessions {
	readonly #client: OpenCodeClient;
	readonly #services: PluginServices;
	readonly #workspace: string;
	readonly #conversations = new Map<string, Conversation<OpenCodeMessage>>();
	/** Model and limits of requests, by provider and model. */
	readonly #contexts = new Map<string, Promise<RequestContext>>();

	constructor({ client, directory }: OpenCodeInput, services: PluginServices) {
		this.#client = client;
		this.#services = services;
		this.#workspace = pathToFileURL(directory).href;
	}

	/** Returns the conversation of a session. */
	getConversation(sessionId: string): Conversation<OpenCodeMessage> {
		const existing = this.#conversations.get(sessionId);
		if (existing) return existing;
		const conversation = createPluginConversation<OpenCodeMessage>(this.#services, {
			sessionId: toDaemonSessionId(sessionId),
			dialect: openCodeDialect,
			onWarning: (message) => this.#warn(message),
		});
		this.#conversations.set(sessionId, conversation);
		return conversation;
	}

	/** Returns the access of commands and tools to a session. */
	getControllableSession(sessionId: string): ControllableSession {
		const conversation = this.getConversation(sessionId);
		return { sessionId: toDaemonSessionId(sessionId), ask: this.#services.daemon.ask, conversation };
	}

	/** Returns the context of a list: the workspace, and the model with its limits if OpenCode reports them. */
	async readContext(messages: readonly OpenCodeMessage[]): Promise<RequestContext> {
		const workspace = this.#workspace;
		const model = messages.findLast(({ info }) => info.model !== undefined)?.info.model;
		const key = `${model?.providerID}/${model?.modelID}`;
		const context = this.#contexts.get(key) ?? readModel(this.#client, model);
		this.#contexts.set(key, context);
		try {
			return { workspace, ...(await context) };
		} catch (error) {
			this.#contexts.delete(key);
			this.#warn(`the limits of ${key} are unknown: ${errorText(error)}`);
			return { workspace };
		}
	}

	/** Returns all messages of a session; undefined if OpenCode does not know the session. */
	async readMessages(sessionId: string): Promise<OpenCodeMessage[] | undefined> {
		const { data } = await this.#client.session.messages({ path: { id: sessionId } });
		return data?.map(withoutClearedMarks);
	}

	/**
	 * Passes the current list of a session to its conversation. The user may have reverted messages since the last request, or
	 * resumed the session in a new process.
	 */
	async adoptCurrentList(sessionId: string): Promise<void> {
		const hostMessages = await this.readMessages(sessionId);
		if (hostMessages === undefined || !isSentUnchanged(hostMessages)) return;
		const { data } = await this.#client.session.get({ path: { id: sessionId } });
		if (data?.revert?.partID !== undefined) return;
		const revertIndex = hostMessages.findIndex(({ info }) => info.id === data?.revert?.messageID);
		const remaining = revertIndex < 0 ? hostMessages : hostMessages.slice(0, revertIndex);
		if (remaining.length === 0) return;
		await this.getConversation(sessionId).adoptList(remaining, await this.readContext(remaining));
	}

	#warn(message: string): void {
		this.#client.app.log({ body: { service: 'contextd', level: 'warn', message } }).catch(() => {});
	}
}

/** Returns the daemon's id of a session. */
function toDaemonSessionId(sessionId: string): string {
	return `opencode:${sessionId}`;
}
