/** Answers of the tools to one client. */

import {
	type CallToolResult,
	CLIENT_INFO_META_KEY,
	type McpServer,
	type ServerContext,
} from '@modelcontextprotocol/server';
import type { Ask } from '../../kit/ports.ts';
import { shortenResult } from '../core/output/shortenResult.ts';
import { asFields } from '../core/transcript/reading/values.ts';
import {
	agentsOfClient,
	askFunctionOf,
	type CalledSession,
	calledSession,
	type ToolCaller,
} from './calledSession.ts';
import type { SharedDaemon } from './sharedDaemon.ts';

/** The plugins of contextd, and many agents, shorten longer results. */
const answerBudget = { tokens: 4000, where: 'contextd_original with an id returns a message in pages' };
/** Milliseconds that a client may take to list its roots. */
const rootsTimeoutMs = 2000;

/** Finds what a call is about, and bounds the text of its answer. */
export class ToolAnswers {
	readonly #server: McpServer['server'];
	readonly #daemon: SharedDaemon;
	readonly #folder: string;

	/** @param folder in which the agent started the server */
	constructor({ server }: McpServer, daemon: SharedDaemon, folder: string) {
		this.#server = server;
		this.#daemon = daemon;
		this.#folder = folder;
	}

	/** Answers a call on the session that it names, or on the caller's own. */
	async onSession(
		name: string | undefined,
		context: ServerContext,
		text: (called: CalledSession) => Promise<string>,
	): Promise<CallToolResult> {
		return textResult(await text(await calledSession(this.#daemon, await this.#callerOf(context), name)));
	}

	/** Answers a call on each folder of the caller. */
	async onFolders(text: (ask: Ask, workspace: string) => Promise<string>): Promise<CallToolResult> {
		const ask = askFunctionOf(this.#daemon);
		const folders = await this.#folders();
		const texts = await Promise.all(folders.map((folder) => text(ask, folder)));
		return textResult(texts.join('\n\n'));
	}

	async #callerOf({ mcpReq }: ServerContext): Promise<ToolCaller> {
		// The newer revision states the client in each request.
		const { name } = asFields(
			asFields(mcpReq.envelope)[CLIENT_INFO_META_KEY] ?? this.#server.getClientVersion(),
		);
		const agents = agentsOfClient(typeof name === 'string' ? name : '');
		return { folders: await this.#folders(), ...(agents && { agents }) };
	}

	/** The client's folders; the folder of the server's start if the client reports none. */
	async #folders(): Promise<readonly string[]> {
		// Only clients of the older revision answer requests of a server.
		if (this.#server.getClientCapabilities()?.roots === undefined) return [this.#folder];
		const { roots } = await this.#server.listRoots(undefined, { timeout: rootsTimeoutMs });
		const files = roots.map(({ uri }) => uri).filter((uri) => uri.startsWith('file:'));
		return files.length > 0 ? files : [this.#folder];
	}
}

/** Returns a text as the answer of a tool. */
function textResult(text: string): CallToolResult {
	return { content: [{ type: 'text', text: shortenResult(text, answerBudget, 'failures') }] };
}
