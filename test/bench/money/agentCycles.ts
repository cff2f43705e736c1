/**
 * The cost of long sessions in real agents with contextd, as a share of the cost with the agents' own compactions. A session
 * ends after three compactions. New input and answers are left out, because every strategy pays for them.
 */

import { targetPolicy } from '../../../server/core/cost/target.ts';
import { type Installed, install } from '../../agents/install.ts';
import { type AgentRun, type MeasuredAgent, measuredAgents, runAgent, type Workload } from './agentRuns.ts';

/** Tokens by which a session grows with each request. */
const growths = [1500, 4000, 8000] as const;
const window = 200_000;
/** Tokens of the window that each agent keeps free for the answer and its own compaction. */
const reservedTokens: Readonly<Record<string, number>> = {
	'claude-code': 33_000,
	opencode: 8192,
	pi: 16_384,
};
const ownCompactions = 3;
const requestsPerTurn = 12;
/** Maximum tokens of a document: contextd would shorten a longer one, so several are read at once instead. */
const maxDocumentTokens = 3000;
/** Tokens of the call that reads a document. */
const callTokens = 100;
/** Tokens of a document's line numbers, as a share of its text. */
const lineNumberShare = 0.08;

/** Returns work whose prompts grow by `growth` tokens per request until the agent has compacted by itself. */
function workOf(agent: string, growth: number, summaryTokens: number): Workload {
	const documentsPerRequest = Math.ceil(growth / maxDocumentTokens);
	const documentTokens = growth / documentsPerRequest - callTokens;
	return {
		turns: Math.ceil((2 * ownCompactions * window) / (growth * requestsPerTurn)),
		documentsPerTurn: requestsPerTurn * documentsPerRequest,
		documentsPerRequest,
		documentLength: Math.round((4 * documentTokens) / (1 + lineNumberShare)),
		pausesBefore: [],
		compactsNear: window - (reservedTokens[agent] ?? 0),
		summaryTokens,
	};
}

const thousands = (tokens: number): string => `${(tokens / 1000).toFixed(1)}k`;

function lineOf(agent: string, growth: number, own: AgentRun, ours: AgentRun): string {
	const ratio = (ours.carriedCost / own.carriedCost).toFixed(3);
	const compactions = `${own.compactions} own compactions with ${own.summaries} calls to ${own.views.map(thousands).join(', ')}`;
	const views = `${ours.compactions} by contextd with ${ours.summaries} to ${ours.views.map(thousands).join(', ')}`;
	const sizes = `growth ${own.growth} and ${ours.growth}, ${own.requests} and ${ours.requests} requests`;
	return `${agent}, ${growth} tokens per request: ${ratio} of its own compactions (${compactions}; ${views}; ${sizes})`;
}

async function measureGrowth(
	measured: MeasuredAgent,
	installed: Installed,
	growth: number,
	summaryTokens: number,
): Promise<string> {
	const { name } = measured.agent;
	const work = workOf(name, growth, summaryTokens);
	const own = await runAgent(measured, installed, 'own', { ...work, maxCompactions: ownCompactions });
	const ours = await runAgent(measured, installed, 'balanced', { ...work, turns: own.turns });
	return lineOf(name, growth, own, ours);
}

/**
 * Runs an agent at one growth or at each growth, and yields a line per run. A run takes up to a quarter of an hour. Throws
 * if no agent has that name, or if a number is not positive.
 *
 * @param summaryTokens minimum length of a summary by the agent's model
 */
export async function* cycleLines(
	name: string,
	growth?: number,
	summaryTokens: number = targetPolicy.modelSummaryTokens,
): AsyncGenerator<string> {
	const measured = measuredAgents.find(({ agent }) => agent.name === name);
	if (measured === undefined) {
		const names = measuredAgents.map(({ agent }) => agent.name).join(', ');
		throw new Error(`no agent is named ${name}: expected one of ${names}`);
	}
	for (const tokens of [growth ?? growths[0], summaryTokens]) {
		if (!(tokens > 0)) throw new Error(`expected a number of tokens above 0, got ${tokens}`);
	}
	const installed = await install(measured.agent);
	for (const one of growth === undefined ? growths : [growth]) {
		yield await measureGrowth(measured, installed, one, summaryTokens);
	}
}
