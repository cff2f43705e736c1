/** Runs an agent on a prompt and waits for its end. */

import { spawn } from 'node:child_process';
import type { AgentSetup, RealAgent } from './agents.ts';
import type { Installed } from './install.ts';

/** Maximum milliseconds for one prompt. */
const maxPromptMs = 120_000;

/** Returns the environment variables of an agent. Only PATH comes from the developer's environment. */
export function variablesOf(agent: RealAgent, { paths }: Installed, setup: AgentSetup): NodeJS.ProcessEnv {
	return {
		PATH: [...paths, process.env.PATH].join(':'),
		HOME: setup.home,
		TERM: 'dumb',
		NO_PROXY: '127.0.0.1',
		no_proxy: '127.0.0.1',
		DISABLE_TELEMETRY: '1',
		...agent.environment(setup),
	};
}

/** Lets an agent work on a prompt. If it fails, rejects with the end of its output. */
export function work(
	agent: RealAgent,
	installed: Installed,
	setup: AgentSetup,
	prompt: string,
	isContinued: boolean,
): Promise<void> {
	return runAgent(agent, installed, setup, agent.args(prompt, isContinued, setup));
}

/** Runs an agent and waits for its end. If it fails, rejects with the end of its output. */
export async function runAgent(
	agent: RealAgent,
	installed: Installed,
	setup: AgentSetup,
	args: readonly string[],
): Promise<void> {
	const child = spawn(installed.file, args, {
		cwd: setup.project,
		env: variablesOf(agent, installed, setup),
		stdio: ['ignore', 'pipe', 'pipe'],
		// A separate process group ensures that nothing that the agent started stays behind.
		detached: true,
	});
	let printed = '';
	for (const stream of [child.stdout, child.stderr]) {
		stream.setEncoding('utf8').on('data', (text) => {
			printed = (printed + text).slice(-2000);
		});
	}
	const end = (): void => {
		try {
			if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
		} catch (error) {
			if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
		}
	};
	const timer = setTimeout(end, maxPromptMs);
	const code = await new Promise<number | null>((resolve, reject) => {
		child.on('error', reject);
		child.on('exit', resolve);
	});
	clearTimeout(timer);
	end();
	if (code !== 0) throw new Error(`${agent.name} ended with ${code}: ${printed}`);
}
