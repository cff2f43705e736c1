/** The part of OpenCode's plugin interface that is used here (`@opencode-ai/plugin` 1.18). */

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

/** The result of a tool before OpenCode stores it; of an MCP tool, the server's answer. */
export interface OpenCodeArrival {
	output?: string;
	metadata?: Record<string, unknown>;
	attachments?: unknown[];
	/** Set instead of `output` by MCP tools. */
	content?: { type: string; text?: string }[];
	isError?: boolean;
}

/** The hooks that OpenCode calls; each changes its second argument. */
export interface OpenCodeHooks {
	dispose(): Promise<void>;
	config(config: { command?: Record<string, object> }): Promise<void>;
	tool: Record<string, ToolDefinition>;
	'command.execute.before'(input: { command: string; sessionID: string; arguments: string }): Promise<void>;
	/** `output` is undefined if a subtask failed; its call id is then the id of its part. */
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
