/** The cost of the same work in a real agent under each strategy, against a mock with a cache. */

import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { lookupPrices } from '../../../server/core/cost/prices.ts';
import type { BilledRequest } from '../../../server/core/cost/writeCauses.ts';
import type { StrategyName } from '../../../server/core/replay/compare.ts';
import { type AgentSetup, claudeCode, openCode, pi, type RealAgent } from '../../agents/agents.ts';
import { startClaude } from '../../agents/claude/session.ts';
import type { Installed } from '../../agents/install.ts';
import type { ModelRequest } from '../../agents/mock/request.ts';
import { type Exchange, type MockProvider, startMock } from '../../agents/mock/server.ts';
import { document } from '../../agents/plugins/document.ts';
import { startOpenCode } from '../../agents/plugins/openCode.ts';
import { startPi } from '../../agents/plugins/pi.ts';
import { variablesOf } from '../../agents/run.ts';
import { removeFolder } from '../../support/removeFolder.ts';
import { MovableClock } from './clock.ts';

const run = promisify(execFile);

/** The work of one run. */
export interface Workload {
	/** Number of turns, each of which reads documents one by one. */
	turns: number;
	documentsPerTurn: number;
	/** Characters of a document. */
	documentLength: number;
	/** Documents that the agent reads with one request; 1 by default. */
	documentsPerRequest?: number;
	/** Indexes, from 0, of the turns that begin after a pause of 15 minutes. */
	pausesBefore: readonly number[];
	/** Tokens of the prompt at which the agent compacts by itself. */
	compactsNear: number;
	/** Number of compactions after which the work ends at the end of the current turn. */
	maxCompactions?: number;
	/** Minimum length of a summary by the agent's model in tokens; by default it has two sentences. */
	summaryTokens?: number;
}

/** The cost and figures of one run. */
export interface AgentRun {
	/** Cost of all requests, in tokens at the price of input. */
	cost: number;
	/** The cost without new input and the answers of the session, which are about equal under every strategy. */
	carriedCost: number;
	/** Number of turns. */
	turns: number;
	requests: number;
	/** Number of requests for a summary to the agent's model. */
	summaries: number;
	/** Tokens of the largest prompt. */
	largest: number;
	/** Number of requests whose prompt is much smaller than the previous one. */
	compactions: number;
	/** Tokens of the history after each compaction. */
	views: number[];
	/** Tokens by which prompts grow from one request of a turn to the next, at the median. */
	growth: number;
	/** The requests of the session with the usage that the mock reported. */
	billed: BilledRequest[];
}

/** An agent that takes prompts. */
interface Prompted {
	prompt(text: string): Promise<unknown>;
	end(): Promise<void>;
}

/** An agent for these runs. */
export interface MeasuredAgent {
	agent: RealAgent;
	/** Settings that turn off the agent's own compaction, and the path of their file in the home folder. */
	withoutCompaction: readonly [file: string, settings: object];
	start(installed: Installed, setup: AgentSetup, mock: MockProvider): Promise<Prompted>;
	/** Whether tests can move the agent's clock: it runs in Node, or it states no times. */
	hasMovableClock: boolean;
	/** Price of a token written to the cache, relative to input, in the mock's dialect. */
	write: number;
	/** The provider whose prices apply to the mock's model. */
	provider: string;
	model: string;
}

const anthropic = lookupPrices('anthropic', 'claude-sonnet-4-5');

/** The agents that contextd has plugins for. */
export const measuredAgents: readonly MeasuredAgent[] = [
	{
		agent: claudeCode,
		withoutCompaction: ['.claude/settings.json', { autoCompactEnabled: false }],
		async start(installed, setup, mock) {
			const args = ['--session-id', crypto.randomUUID()];
			const env = variablesOf(claudeCode, installed, setup);
			const claude = startClaude(installed.file, args, env, setup.project, mock);
			return { prompt: (text) => claude.say(text), end: () => claude.end() };
		},
		hasMovableClock: true,
		write: anthropic.write,
		provider: 'anthropic',
		model: 'claude-sonnet-4-5',
	},
	{
		agent: openCode,
		withoutCompaction: ['.config/opencode/opencode.json', { compaction: { auto: false } }],
		start: (installed, setup) => startOpenCode(installed, setup),
		hasMovableClock: false,
		write: 1,
		provider: 'openai',
		model: 'gpt-5.1',
	},
	{
		agent: pi,
		withoutCompaction: ['.pi/agent/settings.json', { compaction: { enabled: false } }],
		start: (installed, setup) => startPi(installed, setup),
		hasMovableClock: true,
		write: anthropic.write,
		provider: 'anthropic',
		model: 'claude-sonnet-4-5',
	},
];

const window = 200_000;
const pauseMs = 15 * 60_000;

/** Sets members of a settings file, which is created if it is missing. */
async function addSettings(path: string, settings: object): Promise<void> {
	const known: object = await readFile(path, 'utf8').then(JSON.parse, () => ({}));
	await mkdir(dirname(path), { recursive: true });
	await writeFile(path, JSON.stringify({ ...known, ...settings }));
}

/** Installs contextd with a policy, and starts its daemon with a clock that the run moves. */
async function installContextd(
	agent: RealAgent,
	installed: Installed,
	setup: AgentSetup,
	strategy: StrategyName,
): Promise<void> {
	const env = variablesOf(agent, installed, setup);
	const name = agent.name === 'claude-code' ? 'claude' : agent.name;
	await run(process.execPath, [resolve('dist/contextd.cjs'), 'install', name], { env });
	await addSettings(join(setup.home, '.local/state/contextd/agents/settings.json'), {
		compaction: { policy: strategy },
	});
}

function costOf({ answer }: Exchange, write: number): number {
	const { input, output, cached = 0 } = answer.usage;
	return cached * anthropic.read + (input - cached) * write + output * anthropic.output;
}

/** Returns the tokens of prompts that are much smaller than the previous prompt. */
function compactedPrompts(prompts: readonly number[]): number[] {
	return prompts.filter((tokens, index) => tokens < 0.9 * (prompts[index - 1] ?? 0));
}

/** Returns the tokens of the prompts of the main conversation. */
function promptsOf(exchanges: readonly Exchange[]): number[] {
	return exchanges.flatMap(({ request }) => (request.kind === 'main' ? [request.tokens] : []));
}

function resultOf(exchanges: readonly Exchange[], sentAt: SentAt, write: number): Omit<AgentRun, 'turns'> {
	const main = exchanges.filter(({ request }) => request.kind === 'main');
	const prompts = promptsOf(exchanges);
	const compacted = compactedPrompts(prompts);
	const cost = exchanges.reduce((sum, exchange) => sum + costOf(exchange, write), 0);
	const answers = main.reduce((sum, { answer }) => sum + answer.usage.output, 0);
	const growths = prompts.map((tokens, index) => Math.max(0, tokens - (prompts[index - 1] ?? 0)));
	const added = growths.reduce((sum, tokens) => sum + tokens, 0);
	return {
		cost,
		carriedCost: cost - write * added - anthropic.output * answers,
		requests: exchanges.length,
		summaries: exchanges.filter(({ request }) => request.kind === 'compaction').length,
		largest: Math.max(...prompts),
		compactions: compacted.length,
		views: compacted.map((tokens) => tokens - (prompts[0] ?? 0)),
		growth: [...growths].sort((one, other) => one - other)[Math.floor(growths.length / 2)] ?? 0,
		billed: main.map(({ request, answer: { usage } }) => {
			const cached = usage.cached ?? 0;
			const rest = usage.input - cached;
			const paid = write === 1 ? { input: rest } : { input: 0, cacheWrite: rest };
			return { at: sentAt.get(request) ?? 0, usage: { ...paid, cacheRead: cached, output: usage.output } };
		}),
	};
}

/** Times at which requests were sent, by the clock of the run. */
type SentAt = Map<ModelRequest, number>;

/** Lets an agent do the work in turns; pauses only move the clock. Returns the number of turns. */
async function doWork(
	prompted: Prompted,
	work: Workload,
	{ project, mock }: { project: string; mock: MockProvider },
	pause: () => Promise<void>,
): Promise<number> {
	const { turns, documentsPerTurn, documentLength, pausesBefore } = work;
	const { documentsPerRequest = 1, maxCompactions = Number.POSITIVE_INFINITY } = work;
	for (let turn = 0; turn < turns; turn++) {
		if (compactedPrompts(promptsOf(mock.exchanges)).length >= maxCompactions) return turn;
		if (pausesBefore.includes(turn)) await pause();
		const files: string[] = [];
		for (let no = turn * documentsPerTurn + 1; no <= (turn + 1) * documentsPerTurn; no++) {
			const path = join(project, `document${no}.txt`);
			await writeFile(path, document(no, documentLength));
			files.push(path);
		}
		const requests = Math.ceil(files.length / documentsPerRequest);
		mock.plan(
			Array.from({ length: requests }, (_, index) =>
				files.slice(index * documentsPerRequest, (index + 1) * documentsPerRequest),
			),
		);
		await prompted.prompt(`Please read ${files.map((path) => basename(path)).join(', ')}.`);
	}
	return turns;
}

/** Lets an agent do the work under a strategy, in a separate home folder. Returns the cost. */
export async function runAgent(
	{ agent, withoutCompaction, start, write, hasMovableClock }: MeasuredAgent,
	installed: Installed,
	strategy: StrategyName,
	work: Workload,
): Promise<AgentRun> {
	const home = await mkdtemp(join(tmpdir(), 'contextd-money-'));
	const project = join(home, 'project');
	await mkdir(project);
	const sentAt: SentAt = new Map();
	const clock = new MovableClock(home);
	const mock = await startMock(
		async (request) => {
			sentAt.set(request, Date.now() + clock.aheadMs);
		},
		{ window, hasCache: true, ...(work.summaryTokens && { summaryTokens: work.summaryTokens }) },
	);
	let prompted: Prompted | undefined;
	try {
		const limit = strategy === 'nothing' ? {} : { compactsNear: work.compactsNear };
		const setup: AgentSetup = { home, project, url: mock.url, ...limit };
		await agent.setUp(setup);
		await clock.begin();
		if (strategy === 'nothing') await addSettings(join(home, withoutCompaction[0]), withoutCompaction[1]);
		else if (strategy !== 'own') {
			await clock.startDaemon();
			await installContextd(agent, installed, setup, strategy);
		}
		const file = hasMovableClock ? await clock.wrap(installed.file) : installed.file;
		prompted = await start({ ...installed, file }, setup, mock);
		const done = { ...work, pausesBefore: hasMovableClock ? work.pausesBefore : [] };
		const turns = await doWork(prompted, done, { project, mock }, async () => {
			mock.pause(pauseMs);
			await clock.advance(pauseMs);
		});
		return { ...resultOf(mock.exchanges, sentAt, write), turns };
	} finally {
		await prompted?.end();
		await clock.end();
		await mock.close();
		await removeFolder(home);
	}
}
