/** An agent outside the editor, which is a client of the same daemon. */

import { spawn } from 'node:child_process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import {
	type AppendParams,
	type OpenParams,
	sessionAppend,
	sessionOpen,
} from '../../../server/protocol/session.ts';
import { type ContextStats, contextStats } from '../../../server/protocol/stats.ts';
import { createClient } from '../../support/client.ts';
import type { Home } from './home.ts';

const contextd = fileURLToPath(new URL('../../../dist/contextd.cjs', import.meta.url));

export interface OtherAgent {
	/** Appends messages to the agent's session. */
	append(messages: readonly object[], format?: AppendParams['format']): Promise<unknown>;
	/** Returns the stats of the agent's session. */
	stats(): Promise<ContextStats | null>;
	stop(): void;
}

const small: OpenParams = { model: 'gpt-5', contextWindow: 40_000 };

/** Starts the agent and opens a session, by default in the workspace of the home and with a small window. */
export async function startOtherAgent(home: Home, title: string, open = small): Promise<OtherAgent> {
	const child = spawn(process.execPath, [contextd, '--stdio'], {
		env: home.environment,
		stdio: ['pipe', 'pipe', 'ignore'],
	});
	const { ask, initialize } = createClient(child.stdin, child.stdout);
	await initialize();
	const workspace = pathToFileURL(home.workspace).toString();
	const { sessionId } = await ask(sessionOpen, { title, workspace, ...open });
	return {
		append: (messages, format = 'contextd') =>
			ask(sessionAppend, { sessionId, messages: [...messages], format }),
		stats: () => ask(contextStats, { sessionId }),
		stop: () => child.kill(),
	};
}
