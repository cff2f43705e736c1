/**
 * `contextd handoff` hands sessions of six real agents over to each other, against a provider on loopback that refuses
 * every request that a real provider would refuse. Runs if `CONTEXTD_REAL_AGENTS` is set, as in CI.
 */

import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MessageReader, validateMessages } from '../../server/core/format/validity/validate.ts';
import { runToEnd } from '../../server/core/slices.ts';
import { removeFolder } from '../support/removeFolder.ts';
import { claudeCode, codex, copilotCli, geminiCli, openCode, pi, type RealAgent } from './agents.ts';
import { areAgentsWanted, type Installed, install, needsAgents } from './install.ts';
import type { Dialect, ModelRequest } from './mock/request.ts';
import { type MockProvider, startMock } from './mock/server.ts';
import { runAgent } from './run.ts';

const times = { prepare: 400_000, handoff: 120_000 };

/** An agent of these tests, with its name for `--to` and its arguments for a prompt in a handed-over session. */
interface Partner {
	agent: RealAgent;
	resume(words: readonly string[], prompt: string): string[];
}

const partners: Readonly<Record<string, Partner>> = {
	claude: {
		agent: claudeCode,
		resume: (words, prompt) => [...words, '-p', prompt, '--model', 'claude-sonnet-4-5'],
	},
	codex: {
		agent: codex,
		resume: ([, id = ''], prompt) => ['exec', '--skip-git-repo-check', 'resume', id, prompt],
	},
	opencode: {
		agent: openCode,
		resume: (words, prompt) => ['run', ...words, '-m', 'mock/mock-1', prompt],
	},
	pi: {
		agent: pi,
		resume: (words, prompt) => [
			'-p',
			'--offline',
			'--provider',
			'mock',
			'--model',
			'mock-claude',
			...words,
			prompt,
		],
	},
	gemini: {
		agent: geminiCli,
		resume: (words, prompt) => ['--yolo', '--skip-trust', '-m', 'gemini-2.5-pro', ...words, '-p', prompt],
	},
	copilot: { agent: copilotCli, resume: (words, prompt) => ['--allow-all', ...words, '-p', prompt] },
};

const names = Object.keys(partners);
/** Pairs of agents: each agent hands over to the next one, and the last to the first. */
const pairs = names.map((from, at) => [from, names[(at + 1) % names.length] ?? from] as const);

const rule = 'Never use semicolons in what you write';
const firstPrompt = `${rule}. Please read the documents.`;
const lastPrompt = 'Please tell me which document was the longest';
const nextPrompt = 'Please go on with it now';

const readers: Readonly<Record<Dialect, MessageReader>> = {
	anthropic: 'anthropic',
	chat: 'openai',
	responses: 'openai-responses',
	gemini: 'gemini',
};

function messagesIn({ body }: ModelRequest): unknown[] {
	const list = body.messages ?? body.input ?? body.contents;
	return Array.isArray(list) ? list : [];
}

/** Describes what a provider objects to in a request, with the messages that show the reason. */
function problemsOf(request: ModelRequest): string[] {
	const messages = messagesIn(request);
	const { problems } = runToEnd(validateMessages(messages, readers[request.dialect]));
	// The Messages API combines consecutive turns of one role.
	const refused = problems.filter(({ message }) => !message.startsWith('the role repeats'));
	return refused.map(
		({ index, message }) =>
			`${request.dialect} ${index}: ${message}: ${JSON.stringify(messages[index])?.slice(0, 300)}`,
	);
}

describe.skipIf(!areAgentsWanted)('contextd handoff in real agents', needsAgents, () => {
	let home: string;
	let project: string;
	let mock: MockProvider;
	const installed = new Map<string, Installed>();
	/** The paths of the agents' own sessions, by the name for `--to`. */
	const sessions = new Map<string, string>();

	/** The provider's objections to requests of handed-over sessions. */
	const problems: string[] = [];

	const setup = () => ({ home, project, url: mock.url });

	/** Returns the output of contextd in the project; rejects with its errors if it fails. */
	async function contextd(args: readonly string[]): Promise<string> {
		const paths = [...installed.values()].flatMap((one) => one.paths);
		const child = spawn(process.execPath, [resolve('dist/contextd.cjs'), ...args], {
			cwd: project,
			env: { HOME: home, NO_COLOR: '1', PATH: [...paths, process.env.PATH].join(delimiter) },
			stdio: ['ignore', 'pipe', 'pipe'],
		});
		const ended = new Promise<number | null>((done) => child.on('close', done));
		const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
		if ((await ended) !== 0) throw new Error(err);
		return out;
	}

	/** Lets an agent work for two turns; the first turn reads documents. */
	async function converse(name: string, { agent }: Partner): Promise<void> {
		const at = await install(agent);
		installed.set(name, at);
		await agent.setUp(setup());
		mock.plan([[join(project, 'a.txt'), join(project, 'b.txt')]]);
		await runAgent(agent, at, setup(), agent.args(firstPrompt, false, setup()));
		await runAgent(agent, at, setup(), agent.args(lastPrompt, true, setup()));
	}

	/** Finds the session that each agent has written. */
	async function findSessions(): Promise<void> {
		const found: { agent: string; path: string }[] = JSON.parse(await contextd(['sessions', '--json']));
		for (const [name, { agent }] of Object.entries(partners)) {
			sessions.set(name, found.find((one) => one.agent === agent.name)?.path ?? '');
		}
	}

	beforeAll(async () => {
		home = await mkdtemp(join(tmpdir(), 'contextd-agent-'));
		project = join(home, 'project');
		await mkdir(project);
		for (const name of ['a', 'b']) {
			await writeFile(join(project, `${name}.txt`), `The words of document ${name} are many.\n`.repeat(300));
		}
		mock = await startMock();
		for (const [name, partner] of Object.entries(partners)) await converse(name, partner);
		await findSessions();
		mock.refuseBy((request) => {
			const found = problemsOf(request);
			problems.push(...found);
			return found.length === 0 ? undefined : { status: 400, message: 'invalid request' };
		});
	}, times.prepare);

	afterAll(async () => {
		await mock?.close();
		if (home) await removeFolder(home);
	});

	it.each(pairs)(
		'a session of %s continues in %s with the rules and the last request of the user, and no request is refused',
		async (from, to) => {
			const { agent, resume } = partners[to] as Partner;
			const out = await contextd([
				'handoff',
				sessions.get(from) ?? '',
				'--to',
				to,
				'--target',
				'3k',
				'--place',
			]);
			const [, words = ''] = /Continue with: \S+ (.*)/.exec(out) ?? [];
			problems.length = 0;
			const before = mock.exchanges.length;
			const args = resume(words.replaceAll("'", '').split(' '), nextPrompt);
			await runAgent(agent, installed.get(to) as Installed, setup(), args).catch((error: Error) => {
				throw new Error(`${error.message}\n${problems.join('\n')}`);
			});
			const main = mock.exchanges.slice(before).filter(({ request }) => request.kind === 'main');
			const asked = JSON.stringify(main[0]?.request.body ?? '');
			expect([rule, lastPrompt, nextPrompt].filter((one) => !asked.includes(one))).toEqual([]);
			expect(problems).toEqual([]);
		},
		times.handoff,
	);
});
