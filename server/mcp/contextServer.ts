/** The MCP server: four tools over the user's daemon. */

import { McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';
import {
	createRecallText,
	createStatsText,
	pinMatch,
	readOriginalPage,
	recallRecordings,
} from '../../kit/lookups.ts';
import { ToolAnswers } from './answers.ts';
import type { SharedDaemon } from './sharedDaemon.ts';

export interface ContextServerOptions {
	daemon: SharedDaemon;
	version: string;
	/** The folder in which the agent started the server. */
	folder: string;
}

const instructions =
	'contextd reads the sessions of coding agents, including what a compaction removed from this one. Search with contextd_recall before you ask the user again for something that was said or read earlier.';

/** Maximum UTF-16 units of a query, and of a session's id or path. */
const maxQueryUnits = 1000;
const maxNameUnits = 4096;

const querySchema = z.string().min(1).max(maxQueryUnits);
const sessionSchema = z
	.string()
	.min(1)
	.max(maxNameUnits)
	.optional()
	.describe('another session: its id, the path of its transcript, or recording:ID; default: this session');
const offsetSchema = z
	.number()
	.int()
	.min(0)
	.optional()
	.describe('characters of the message to skip; default: 0');

export function createContextServer({ daemon, version, folder }: ContextServerOptions): McpServer {
	const server = new McpServer({ name: 'contextd', title: 'contextd', version }, { instructions });
	const answers = new ToolAnswers(server, daemon, folder);
	registerRecall(server, answers);
	registerLookups(server, answers);
	registerPin(server, answers);
	return server;
}

const readOnlyAnnotations = { readOnlyHint: true, openWorldHint: false };

function registerRecall(server: McpServer, answers: ToolAnswers): void {
	server.registerTool(
		'contextd_recall',
		{
			title: 'Search this session, or all of this folder',
			description:
				'Searches everything that was said, called and returned in this coding session, including what is no longer in your context; with scope "workspace", in all recorded sessions of this folder. Returns the best matches with their ids.',
			inputSchema: z.object({
				query: querySchema.describe('words, names or an error message; or the id of a message'),
				scope: z
					.enum(['session', 'workspace'])
					.optional()
					.describe('one session, or all recorded sessions of this folder; default: session'),
				session: sessionSchema,
				offset: offsetSchema,
			}),
			annotations: readOnlyAnnotations,
		},
		({ query, scope, session: name, offset: from }, context) => {
			if (scope !== 'workspace')
				return answers.answerAboutSession(name, context, (called) => createRecallText(called, query, from));
			return answers.answerAboutFolders((ask, workspace) => recallRecordings(ask, query, workspace));
		},
	);
}

/** Registers the tools that read a message or the usage. */
function registerLookups(server: McpServer, answers: ToolAnswers): void {
	server.registerTool(
		'contextd_original',
		{
			title: 'Read a message in full',
			description:
				'Returns a message or tool result in full by its id, also if a compaction removed it from your context. Long ones come in pages.',
			inputSchema: z.object({
				id: querySchema.describe('an id from contextd_recall'),
				session: sessionSchema,
				offset: offsetSchema,
			}),
			annotations: readOnlyAnnotations,
		},
		({ id, session: name, offset: from }, context) =>
			answers.answerAboutSession(name, context, (called) => readOriginalPage(called, id, from ?? 0)),
	);
	server.registerTool(
		'contextd_stats',
		{
			title: 'Context usage',
			description: "How full this session's context window is, what fills it, and what was removed.",
			inputSchema: z.object({ session: sessionSchema }),
			annotations: readOnlyAnnotations,
		},
		({ session: name }, context) =>
			answers.answerAboutSession(name, context, (called) => createStatsText(called)),
	);
}

function registerPin(server: McpServer, answers: ToolAnswers): void {
	server.registerTool(
		'contextd_pin',
		{
			title: 'Pin a message',
			description:
				'Pins a message: every compaction by contextd keeps it word for word, also in compacted copies of this session.',
			inputSchema: z.object({
				query: querySchema.describe('words of the message, or its id from contextd_recall'),
				session: sessionSchema,
			}),
			annotations: {
				readOnlyHint: false,
				destructiveHint: false,
				idempotentHint: true,
				openWorldHint: false,
			},
		},
		({ query, session: name }, context) =>
			answers.answerAboutSession(name, context, async (called) => {
				const pinned = await pinMatch(called, query);
				if (pinned === undefined) return `Nothing in this session contains "${query}".`;
				const { mirror } = called;
				return mirror === undefined
					? pinned
					: `${pinned}\nA compaction by ${mirror.label} itself does not know of this pin.`;
			}),
	);
}
