/** An agent outside the editor, a client of the same daemon. */

import { spawn } from 'node:child_process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { sessionAppend, sessionOpen } from '../../../server/protocol/session.ts';
import { type ContextStats, contextStats } from '../../../server/protocol/stats.ts';
import { createClient } from '../../support/client.ts';
import type { Home } from './home.ts';

const contextd = fileURLToPath(new URL('../../../dist/contextd.cjs', import.meta.url));

export interface OtherAgent {
	/** Adds messages to its session. */
	append(messages: readonly object[]): Promise<unknown>;
	/** The figures of its session. */
	stats(): Promise<ContextStats | null>;
	stop(): void;
}

/** Starts the agent and opens a session in the workspace of the home. */
export async function startOtherAgent(home: Home, title: string): Promise<OtherAgent> {
	const child = spawn(process.execPath, [contextd, '--stdio'], {
		env: home.environment,
		stdio: ['pipe', 'pipe', 'ignore'],
	});
	const { ask, initialize } = createClient(child.stdin, child.stdout);
	await initialize();
	const workspace = pathToFileURL(home.workspace).toString();
	const { sessionId } = await ask(sessionOpen, { title, workspace, model: 'gpt-5', contextWindow: 40_000 });
	return {
		append: (messages) => ask(sessionAppend, { sessionId, messages: [...messages] }),
		stats: () => ask(contextStats, { sessionId }),
		stop: () => child.kill(),
	};
}
