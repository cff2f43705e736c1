/** An agent that uses the daemon: a loop with tools that prepares each call and recovers from refusals. */

import { contextPrepare, contextRecover } from '../../../server/protocol/compact.ts';
import { sessionAppend, sessionReportUsage } from '../../../server/protocol/session.ts';
import type { Client } from '../../support/client.ts';
import {
	type Answer,
	type Fields,
	type History,
	isFields,
	type Provider,
	type Setup,
	type Usage,
} from './wire.ts';
import type { Workspace } from './workspace.ts';

/** The figures of a run. */
export interface Run {
	/** Calls that the model answered. */
	turns: number;
	compactions: number;
	/** Compactions that followed an error. */
	recoveries: number;
	warnings: string[];
	/** Error of the estimate for each call: estimated minus counted tokens, as a share of the counted tokens. */
	estimateErrors: number[];
}

export interface AgentOptions {
	daemon: Pick<Client, 'ask'>;
	provider: Provider;
	url: string;
	workspace: Workspace;
	setup: Setup;
	sessionId: string;
	/** The messages before the first prompt. */
	opening: unknown[];
	/** Whether the daemon gets the figures that the provider reports. */
	reportsUsage: boolean;
	/** Returns the user's next prompt. */
	nextPrompt(): string;
}

async function post(url: string, body: unknown): Promise<{ status: number; body: unknown }> {
	const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
	return { status: response.status, body: await response.json() };
}

function promptTokens(response: Fields, answer: Answer): number {
	if (answer.usage) return answer.usage.input;
	const usage = isFields(response.usage) ? response.usage : {};
	return Number(usage.input_tokens) + Number(usage.cache_read_input_tokens);
}

function withoutUsage(message: unknown): unknown {
	return isFields(message) ? { ...message, usage: undefined } : message;
}

/** Calls the model until it has answered `turns` times. */
export async function runAgent(options: AgentOptions, turns: number): Promise<Run> {
	const { daemon, provider, setup, sessionId, workspace } = options;
	const { format } = provider;
	const request = { maxOutputTokens: setup.maxOutputTokens };
	const run: Run = { turns: 0, compactions: 0, recoveries: 0, warnings: [], estimateErrors: [] };
	const append = async (messages: unknown[]): Promise<string[]> => {
		return (await daemon.ask(sessionAppend, { sessionId, messages, format })).messageIds;
	};

	async function reportUsage(ids: readonly string[], usage: Usage): Promise<void> {
		const messageId = ids.at(-1);
		if (messageId !== undefined) await daemon.ask(sessionReportUsage, { sessionId, messageId, usage });
	}

	async function ask(): Promise<{ response: Fields; estimated: number }> {
		const prepared = await daemon.ask(contextPrepare, { sessionId, format, request });
		run.warnings.push(...prepared.warnings);
		if (prepared.compaction?.compacted) run.compactions++;
		let history: History = prepared;
		for (;;) {
			const { status, body } = await post(options.url, provider.request(history, setup));
			if (status === 200 && isFields(body)) {
				return { response: body, estimated: prepared.stats?.estimatedInputTokens ?? 0 };
			}
			const recovery = await daemon.ask(contextRecover, {
				sessionId,
				format,
				request,
				error: { status, body },
			});
			if (!recovery.retryable) {
				throw new Error(`${provider.name} refused for good (${recovery.reason}): ${JSON.stringify(body)}`);
			}
			run.warnings.push(...(recovery.warnings ?? []));
			if (!recovery.isContextOverflow) continue;
			run.recoveries++;
			if (recovery.messages) history = { messages: recovery.messages, system: recovery.system };
		}
	}

	await append([...options.opening, provider.user(options.nextPrompt())]);
	while (run.turns < turns) {
		const { response, estimated } = await ask();
		run.turns++;
		const answer = provider.read(response);
		const actual = promptTokens(response, answer);
		run.estimateErrors.push((estimated - actual) / actual);
		const ids = await append(options.reportsUsage ? answer.messages : answer.messages.map(withoutUsage));
		if (answer.usage && options.reportsUsage) await reportUsage(ids, answer.usage);
		const outcomes = answer.calls.map((call) => workspace.run(call));
		await append(outcomes.length > 0 ? provider.results(outcomes) : [provider.user(options.nextPrompt())]);
	}
	return run;
}
