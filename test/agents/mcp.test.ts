/** Real agents whose model searches the session through `contextd mcp`, as `contextd setup` registers it. */

import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { type RealAgent, realAgents } from './agents.ts';
import { areAgentsWanted, type Installed, install, needsAgents } from './install.ts';
import type { Exchange, ScriptedAnswer } from './mock/server.ts';
import { startSession } from './session.ts';

const timeout = 300_000;

/** The folder with the command `contextd` of this checkout. */
const commands = resolve('node_modules/.bin');

/** Returns a call of one of contextd's tools, under the name that the agent gives it. */
function callOf({ request }: Exchange, tool: string, args: Record<string, unknown>): ScriptedAnswer {
	const name = [...request.tools.keys()].find((one) => one.endsWith(tool)) ?? tool;
	// Codex lists the tools of a server in a namespace.
	return { calls: [{ name, args, ...(name === tool && { namespace: 'mcp__contextd' }) }] };
}

/** Returns the turns of the last request to the model, as JSON. */
function lastTurns(exchanges: readonly Exchange[]): string {
	const { input, contents } = exchanges.at(-1)?.request.body ?? {};
	return JSON.stringify(input ?? contents);
}

/** Lets the model recall a document of the previous turn, and then read the first match in full. */
async function recalling(agent: RealAgent, own: Installed) {
	const installed = { ...own, paths: [...own.paths, commands] };
	let isAnswered = false;
	const session = await startSession(agent, installed, {
		async asked({ body }) {
			const id = /contextd_recall with an id gives the whole:\\n\[([^\]]+)\]/.exec(JSON.stringify(body))?.[1];
			const [first] = session.mock.exchanges;
			if (isAnswered || id === undefined || first === undefined) return;
			isAnswered = true;
			session.mock.script([callOf(first, 'contextd_original', { id })]);
		},
	});
	try {
		const path = [...installed.paths, process.env.PATH].join(':');
		const env = { HOME: session.home, PATH: path };
		await promisify(execFile)(process.execPath, ['dist/contextd.cjs', 'setup', '--yes'], { env });
		await session.turn([4000]);
		const [first] = session.mock.exchanges;
		if (first === undefined) throw new Error('the agent has sent nothing');
		session.mock.script([callOf(first, 'contextd_recall', { query: 'queue of document 1' })]);
		await session.turn([]);
		return lastTurns(session.mock.exchanges);
	} finally {
		await session.end();
	}
}

describe
	.skipIf(!areAgentsWanted)
	.each(realAgents.filter(({ name }) => ['codex', 'gemini-cli'].includes(name)))(
	'contextd mcp in $name',
	{ timeout, ...needsAgents },
	(agent) => {
		it('finds what an earlier turn returned, and reads it in full', async () => {
			const turns = await recalling(agent, await install(agent));
			const afterwards = turns.slice(turns.lastIndexOf('contextd_original"'));
			// The last words of the document: neither contextd nor the agent shortened it.
			expect(afterwards).toContain('49. The queue of document 1 holds 3545 items');
		});
	},
);
