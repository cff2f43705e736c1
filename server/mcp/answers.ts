/** Answers the tool calls of one client. */

import {
	type CallToolResult,
	CLIENT_INFO_META_KEY,
	type McpServer,
	type ServerContext,
} from '@modelcontextprotocol/server';
import type { Ask } from '../../kit/ports.ts';
import { shortenToTokens } from '../core/output/shortenResult.ts';
import { asFields } from '../core/values.ts';
import { type CalledSession, createAsk, findAgents, findSession, type ToolCaller } from './calledSession.ts';
import type { SharedDaemon } from './sharedDaemon.ts';

/** Maximum tokens of an answer, and the hint for a shortened one. Many agents would shorten more tokens themselves. */
const answerBudget = { tokens: 4000, hint: 'contextd_original with an id returns a message in pages' };
/** Milliseconds that a client may take to list its roots. */
const rootsTimeoutMs = 2000;

/** Finds the session or the folders for a call, and shortens its answer if it is too long. */
export class ToolAnswers {
	readonly #server: McpServer['server'];
	readonly #daemon: SharedDaemon;
	readonly #folder: string;

	/** @param folder the folder in which the agent started the server */
	constructor({ server }: McpServer, daemon: SharedDaemon, folder: string) {
		this.#server = server;
		this.#daemon = daemon;
		this.#folder = folder;
	}

	/** Answers a call about the named session, or about the caller's own if `name` is undefined. */
	async answerAboutSession(
		name: string | undefined,
		context: ServerContext,
		createText: (called: CalledSession) => Promise<string>,
	): Promise<CallToolResult> {
		const caller = await this.#identifyCaller(context);
		return toToolResult(await createText(await findSession(this.#daemon, caller, name)));
	}

	/** Answers a call with one text for each of the caller's folders. */
	async answerAboutFolders(
		createText: (ask: Ask, workspace: string) => Promise<string>,
	): Promise<CallToolResult> {
		const ask = createAsk(this.#daemon);
		const folders = await this.#listFolders();
		const texts = await Promise.all(folders.map((folder) => createText(ask, folder)));
		return toToolResult(texts.join('\n\n'));
	}

	async #identifyCaller({ mcpReq }: ServerContext): Promise<ToolCaller> {
		// In the newer revision of MCP, each request names its client.
		const { name } = asFields(
			asFields(mcpReq.envelope)[CLIENT_INFO_META_KEY] ?? this.#server.getClientVersion(),
		);
		const agents = findAgents(typeof name === 'string' ? name : '');
		return { folders: await this.#listFolders(), ...(agents && { agents }) };
	}

	/** Returns the client's folders; if it reports none, the folder in which the server was started. */
	async #listFolders(): Promise<readonly string[]> {
		// Only clients of the older revision of MCP answer requests of a server.
		if (this.#server.getClientCapabilities()?.roots === undefined) return [this.#folder];
		const { roots } = await this.#server.listRoots(undefined, { timeout: rootsTimeoutMs });
		const files = roots.map(({ uri }) => uri).filter((uri) => uri.startsWith('file:'));
		return files.length > 0 ? files : [this.#folder];
	}
}

/** Returns a text as the answer of a tool. */
function toToolResult(text: string): CallToolResult {
	return { content: [{ type: 'text', text: shortenToTokens(text, answerBudget.tokens, answerBudget.hint) }] };
}
