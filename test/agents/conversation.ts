/** Sends several prompts to one process of an agent, by the Agent Client Protocol (agentclientprotocol.com). */

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { AgentSetup, RealAgent } from './agents.ts';
import type { Installed } from './install.ts';
import { variablesOf } from './run.ts';

/** A running agent that takes one prompt after another. */
export interface Conversation {
	/** Resolves when the agent's turn is over; rejects if it fails. */
	prompt(text: string): Promise<void>;
	end(): Promise<void>;
}

interface Reply {
	id?: number;
	method?: string;
	result?: { sessionId?: string };
	error?: { message: string };
}

/** Starts an agent that supports the protocol, in a new session. */
export async function converse(
	agent: RealAgent,
	installed: Installed,
	setup: AgentSetup,
): Promise<Conversation> {
	const child = spawn(installed.file, agent.conversationArgs ?? [], {
		cwd: setup.project,
		env: variablesOf(agent, installed, setup),
		stdio: ['pipe', 'pipe', 'ignore'],
	});
	const closed = new Promise((done) => child.on('close', done));
	const waiting = new Map<number, (reply: Reply) => void>();
	createInterface({ input: child.stdout }).on('line', (line) => {
		const reply: Reply = JSON.parse(line);
		if (reply.method === undefined) waiting.get(reply.id ?? -1)?.(reply);
	});
	child.on('close', () => {
		for (const answer of waiting.values()) answer({ error: { message: 'it ended' } });
	});
	let asked = 0;
	const ask = async (method: string, params: object): Promise<NonNullable<Reply['result']>> => {
		const id = ++asked;
		const { result, error } = await new Promise<Reply>((done) => {
			waiting.set(id, done);
			child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
		});
		waiting.delete(id);
		if (error) throw new Error(`${agent.name} refused ${method}: ${error.message}`);
		return result ?? {};
	};
	await ask('initialize', { protocolVersion: 1, clientCapabilities: {} });
	const { sessionId } = await ask('session/new', { cwd: setup.project, mcpServers: [] });
	return {
		async prompt(text) {
			await ask('session/prompt', { sessionId, prompt: [{ type: 'text', text }] });
		},
		async end() {
			child.kill('SIGKILL');
			await closed;
		},
	};
}
