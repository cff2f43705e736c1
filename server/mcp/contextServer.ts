/** The MCP server: four tools over the user's daemon. */

import {
	type CallToolResult,
	CLIENT_INFO_META_KEY,
	McpServer,
	type ServerContext,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import { originalText, pinMatch, recallText, statsText } from '../../kit/lookups.ts';
import { exceedsTokens, truncateToTokens } from '../core/output/truncateToTokens.ts';
import { fieldsOf } from '../core/transcript/reading/values.ts';
import { type CalledSession, type Caller, calledSession } from './calledSession.ts';
import { agentsOfClient } from './callingAgent.ts';
import type { SharedDaemon } from './sharedDaemon.ts';

/** What the server needs. */
export interface ContextServerOptions {
	daemon: SharedDaemon;
	version: string;
	/** The folder in which the agent started the server. */
	folder: string;
}

/** Estimated tokens of an answer: the plugins of contextd, and many agents, shorten longer results. */
const maxAnswerTokens = 4000;
/** Milliseconds that a client may take to list its roots. */
const rootsTimeoutMs = 2000;

const instructions =
	'contextd reads the sessions of coding agents, including what a compaction removed from this one. Search with contextd_recall before you ask the user again for something that was said or read earlier.';

const session = z
	.string()
	.min(1)
	.optional()
	.describe('another session: its id, the path of its transcript, or recording:ID; default: this session');
const offset = z.number().int().min(0).optional().describe('characters of the message to skip; default: 0');

/** Answers a call on the session that it names with a text. */
type AnswerOn = (
	name: string | undefined,
	context: ServerContext,
	text: (called: CalledSession) => Promise<string>,
) => Promise<CallToolResult>;

/** Creates the server for one connection. */
export function createContextServer({ daemon, version, folder }: ContextServerOptions): McpServer {
	const server = new McpServer({ name: 'contextd', title: 'contextd', version }, { instructions });

	async function callerOf({ mcpReq }: ServerContext): Promise<Caller> {
		// The newer revision states the client in each request.
		const { name } = fieldsOf(
			fieldsOf(mcpReq.envelope)[CLIENT_INFO_META_KEY] ?? server.server.getClientVersion(),
		);
		const agents = agentsOfClient(typeof name === 'string' ? name : '');
		return { folders: await foldersOf(server, folder), ...(agents && { agents }) };
	}

	const answerOn: AnswerOn = async (name, context, text) =>
		answer(await text(await calledSession(daemon, await callerOf(context), name)));
	registerLookups(server, answerOn);
	registerPin(server, answerOn);
	return server;
}

/** Registers the tools that change nothing. */
function registerLookups(server: McpServer, answerOn: AnswerOn): void {
	const annotations = { readOnlyHint: true, openWorldHint: false };
	server.registerTool(
		'contextd_recall',
		{
			title: 'Search this session',
			description:
				'Searches everything that was said, called and returned in this coding session, including what is no longer in your context. Returns the best matches with their ids.',
			inputSchema: z.object({
				query: z.string().min(1).describe('words, names or an error message; or the id of a message'),
				session,
				offset,
			}),
			annotations,
		},
		({ query, session: name, offset: from }, context) =>
			answerOn(name, context, (called) => recallText(called, query, from)),
	);
	server.registerTool(
		'contextd_original',
		{
			title: 'Read a message in full',
			description:
				'Returns a message or tool result in full by its id, also if a compaction removed it from your context. Long ones come in pages.',
			inputSchema: z.object({
				id: z.string().min(1).describe('an id from contextd_recall'),
				session,
				offset,
			}),
			annotations,
		},
		({ id, session: name, offset: from }, context) =>
			answerOn(name, context, (called) => originalText(called, id, from ?? 0)),
	);
	server.registerTool(
		'contextd_stats',
		{
			title: 'Context usage',
			description: "How full this session's context window is, what fills it, and what was removed.",
			inputSchema: z.object({ session }),
			annotations,
		},
		({ session: name }, context) => answerOn(name, context, (called) => statsText(called)),
	);
}

function registerPin(server: McpServer, answerOn: AnswerOn): void {
	server.registerTool(
		'contextd_pin',
		{
			title: 'Pin a message',
			description:
				'Pins a message: every compaction by contextd keeps it word for word, also in compacted copies of this session.',
			inputSchema: z.object({
				query: z.string().min(1).describe('words of the message, or its id from contextd_recall'),
				session,
			}),
			annotations: {
				readOnlyHint: false,
				destructiveHint: false,
				idempotentHint: true,
				openWorldHint: false,
			},
		},
		({ query, session: name }, context) =>
			answerOn(name, context, async (called) => {
				const pinned = await pinMatch(called, query);
				if (pinned === undefined) return `Nothing in this session contains "${query}".`;
				const { mirror } = called;
				return mirror === undefined
					? pinned
					: `${pinned}\nA compaction by ${mirror.label} itself does not know of this pin.`;
			}),
	);
}

/** Returns the client's folders; the folder of the server's start if the client reports none. */
async function foldersOf({ server }: McpServer, folder: string): Promise<readonly string[]> {
	// Only clients of the older revision answer requests of a server.
	if (server.getClientCapabilities()?.roots === undefined) return [folder];
	const { roots } = await server.listRoots(undefined, { timeout: rootsTimeoutMs });
	const files = roots.map(({ uri }) => uri).filter((uri) => uri.startsWith('file:'));
	return files.length > 0 ? files : [folder];
}

/** Returns a text as the answer of a tool. */
function answer(text: string): CallToolResult {
	const short = exceedsTokens(text, maxAnswerTokens)
		? truncateToTokens(text, maxAnswerTokens, 'contextd_original with an id returns a message in pages')
		: text;
	return { content: [{ type: 'text', text: short }] };
}
