/** One session that switches providers; each reads the messages of the others in its own format. */

import { sessionOpen, sessionUpdate } from '../../../server/protocol/session.ts';
import type { Client } from '../../support/client.ts';
import { runAgent } from './agent.ts';
import { createModel } from './model.ts';
import { promptsOf, setupOf } from './scenario.ts';
import { type LoopbackServer, startServer } from './server.ts';
import type { Provider } from './wire.ts';
import { createWorkspace } from './workspace.ts';

export interface Journey {
	window: number;
	/** The providers in order. A provider that occurs again keeps its server and the server's state. */
	stops: readonly Provider[];
	turnsAtEach: number;
	seed: number;
}

export interface Travelled {
	compactions: number;
	recoveries: number;
	broken: string[];
	overflows: number;
}

/** Makes all steps of the journey. Rejects if a call still fails after retries. */
export async function travel(daemon: Pick<Client, 'ask'>, journey: Journey): Promise<Travelled> {
	const { window, stops, turnsAtEach, seed } = journey;
	const sessionId = `journey-${window}-${seed}`;
	const servers = new Map<Provider, LoopbackServer>();
	const nextPrompt = promptsOf(seed, window);
	const workspace = createWorkspace(window);
	const travelled: Travelled = { compactions: 0, recoveries: 0, broken: [], overflows: 0 };
	await daemon.ask(sessionOpen, { sessionId, contextWindow: window });
	try {
		for (const [index, provider] of stops.entries()) {
			const server =
				servers.get(provider) ?? (await startServer(provider, createModel(seed + index), window));
			servers.set(provider, server);
			const setup = setupOf(provider, window);
			const { model } = provider;
			await daemon.ask(sessionUpdate, { sessionId, provider: provider.provider, model });
			const opening = index === 0 ? provider.opening(setup) : [];
			const run = await runAgent(
				{
					daemon,
					provider,
					url: server.url,
					workspace,
					setup,
					sessionId,
					opening,
					reportsUsage: true,
					nextPrompt,
				},
				turnsAtEach,
			);
			travelled.compactions += run.compactions;
			travelled.recoveries += run.recoveries;
		}
		for (const { refusals } of servers.values()) {
			travelled.broken.push(...refusals.broken);
			travelled.overflows += refusals.overflows.length;
		}
		return travelled;
	} finally {
		await Promise.all([...servers.values()].map((server) => server.close()));
	}
}
