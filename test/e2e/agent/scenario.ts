/** One run of an agent with a provider and a window, and its outcome. */

import { sessionOpen, sessionUpdate } from '../../../server/protocol/session.ts';
import { contextValidate } from '../../../server/protocol/validate.ts';
import type { Client } from '../../support/client.ts';
import { randomFrom } from '../../support/generatedText.ts';
import { type Run, runAgent } from './agent.ts';
import { createModel } from './model.ts';
import { type Refusals, startServer } from './server.ts';
import type { Provider, Setup } from './wire.ts';
import { createWorkspace, madeUpProse, tools } from './workspace.ts';

export interface Scenario {
	provider: Provider;
	/** Tokens of the window that the agent states to the daemon. */
	window: number;
	/** Tokens of the provider's real window, if it differs. */
	realWindow?: number;
	turns: number;
	/** Whether the agent passes the provider's figures on; true by default. */
	reportsUsage?: boolean;
	seed?: number;
}

export interface Outcome extends Run, Refusals {
	/** Tokens of the largest prompt that the provider accepted. */
	largest: number;
	/** Problems that `context/validate` found in the history at the end. */
	problems: unknown[];
}

export function setupOf(provider: Provider, window: number): Setup {
	return {
		model: provider.model,
		systemPrompt: `You are a careful programmer. ${madeUpProse(7, 150)}`,
		tools,
		maxOutputTokens: Math.floor(window / 8),
	};
}

export function promptsOf(seed: number, window: number): () => string {
	const random = randomFrom(seed);
	let prompts = 0;
	return () => {
		prompts++;
		if (prompts % 9 === 0) return `Look at this paste. ${madeUpProse(prompts, window * 0.3)}`;
		if (prompts % 23 === 0) return `And at this one. ${madeUpProse(prompts, window * 1.2)}`;
		return `Task ${prompts}: ${madeUpProse(prompts, 10 + random(80))}`;
	};
}

/** Runs a scenario to its end. Rejects if a call still fails after retries. */
export async function play(daemon: Pick<Client, 'ask'>, scenario: Scenario): Promise<Outcome> {
	const { provider, window, realWindow = window, turns, reportsUsage = true, seed = 1 } = scenario;
	const sessionId = `${provider.name}-${window}-${realWindow}-${reportsUsage}-${seed}`;
	const setup = setupOf(provider, window);
	await daemon.ask(sessionOpen, {
		sessionId,
		provider: provider.provider,
		model: provider.model,
		contextWindow: window,
	});
	if (provider.sendsSystemPrompt) {
		const isOutside = provider.opening(setup).length === 0;
		await daemon.ask(sessionUpdate, {
			sessionId,
			request: { toolDefinitions: tools, ...(isOutside && { systemPrompt: setup.systemPrompt }) },
		});
	}
	const server = await startServer(provider, createModel(seed), realWindow);
	try {
		const run = await runAgent(
			{
				daemon,
				provider,
				url: server.url,
				workspace: createWorkspace(window),
				setup,
				sessionId,
				opening: provider.opening(setup),
				reportsUsage,
				nextPrompt: promptsOf(seed, window),
			},
			turns,
		);
		const { problems } = await daemon.ask(contextValidate, {
			sessionId,
			format: provider.format,
		});
		return { ...run, ...server.refusals, largest: server.largest(), problems };
	} finally {
		await server.close();
	}
}
