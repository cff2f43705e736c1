/** The cost of each strategy in real agents, next to the cost that a replay of the same session predicts. */

import {
	compareStrategies,
	type StrategyComparison,
	type StrategyName,
} from '../../../server/core/replay/compare.ts';
import { defaultSettings } from '../../../server/core/settings/schema.ts';
import { install } from '../../agents/install.ts';
import { type AgentRun, type MeasuredAgent, measuredAgents, runAgent, type Workload } from './agentRuns.ts';

/** Work that exceeds the agent's own limit, with two pauses. */
const longWork: Workload = {
	turns: 5,
	documentsPerTurn: 8,
	documentLength: 13_000,
	pausesBefore: [3, 4],
	compactsNear: 100_000,
};

const strategies: readonly StrategyName[] = ['nothing', 'own', 'balanced', 'cheap'];

/** Returns the costs of the strategies that a replay predicts, from the run without compactions. */
export function replayRun(
	{ agent, provider, model }: MeasuredAgent,
	{ billed }: AgentRun,
	{ compactsNear }: Workload,
): StrategyComparison {
	const settings = defaultSettings;
	return compareStrategies({
		agent: agent.name,
		provider,
		model,
		requests: billed,
		settings,
		compactsAt: compactsNear,
	});
}

/**
 * Runs each agent, or only the named one, under each strategy, and yields a line per run. Takes minutes. Throws if no agent
 * has that name.
 */
export async function* agentLines(name?: string): AsyncGenerator<string> {
	const names = measuredAgents.map(({ agent }) => agent.name);
	if (name !== undefined && !names.includes(name)) {
		throw new Error(`no agent is named ${name}: expected one of ${names.join(', ')}`);
	}
	for (const measured of measuredAgents) {
		if (name !== undefined && measured.agent.name !== name) continue;
		const installed = await install(measured.agent);
		const without = await runAgent(measured, installed, 'nothing', longWork);
		const { results } = replayRun(measured, without, longWork);
		for (const strategy of strategies) {
			const run = strategy === 'nothing' ? without : await runAgent(measured, installed, strategy, longWork);
			const ratio = (run.cost / without.cost).toFixed(2);
			const replayed = (results[strategy].cost / results.nothing.cost).toFixed(2);
			yield `${measured.agent.name}, ${strategy}: ${ratio} (replay ${replayed}), ${Math.round(run.cost / 1000)}k input tokens in ${run.requests} requests, ${run.compactions} compactions (${run.summaries} by the agent's model), prompts of at most ${Math.round(run.largest / 1000)}k`;
		}
	}
}
