/** As much of OpenCode's plugin interface as is used here (`@opencode-ai/plugin` 1.18). */

import type { OpenCodeMessage } from './hostMessages.ts';

/** OpenCode's own server. */
export interface OpenCodeClient {
	app: { log(options: { body: { service: string; level: 'warn'; message: string } }): Promise<unknown> };
	config: {
		providers(): Promise<{
			data?: {
				providers: { id: string; models: Record<string, { limit?: { context: number; output: number } }> }[];
			};
		}>;
	};
	session: {
		get(options: {
			path: { id: string };
		}): Promise<{ data?: { revert?: { messageID: string; partID?: string } } }>;
		messages(options: { path: { id: string } }): Promise<{ data?: OpenCodeMessage[] }>;
		prompt(options: {
			path: { id: string };
			body: { noReply: true; parts: { type: 'text'; text: string; ignored: true }[] };
		}): Promise<unknown>;
	};
}

export interface OpenCodeInput {
	client: OpenCodeClient;
	/** The folder that the agent works in. */
	directory: string;
}

interface ToolDefinition {
	description: string;
	/** JSON schemas by the names of arguments. */
	args: Record<string, object>;
	execute(args: Record<string, unknown>, context: { sessionID: string }): Promise<string>;
}

/** What a tool gave, before OpenCode stores it; of a tool of the Model Context Protocol as its server answered. */
export interface OpenCodeArrival {
	output?: string;
	metadata?: Record<string, unknown>;
	attachments?: unknown[];
	/** Of the Model Context Protocol, in the place of `output`. */
	content?: { type: string; text?: string }[];
	isError?: boolean;
}

/** What OpenCode calls; each changes what it is handed as its second argument. */
export interface OpenCodeHooks {
	dispose(): Promise<void>;
	config(config: { command?: Record<string, object> }): Promise<void>;
	tool: Record<string, ToolDefinition>;
	'command.execute.before'(input: { command: string; sessionID: string; arguments: string }): Promise<void>;
	/** Without an output where a subtask failed, whose call is named by its part. */
	'tool.execute.after'(
		input: { tool: string; sessionID: string; callID: string; args: unknown },
		output: OpenCodeArrival | undefined,
	): Promise<void>;
	'experimental.chat.messages.transform'(
		input: object,
		output: { messages: OpenCodeMessage[] },
	): Promise<void>;
	'experimental.session.compacting'(input: { sessionID: string }, output: { prompt?: string }): Promise<void>;
	'experimental.text.complete'(input: { sessionID: string }, output: { text: string }): Promise<void>;
}
