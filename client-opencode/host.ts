/** The part of OpenCode's plugin interface that is used here (`@opencode-ai/plugin` 1.18), and of its messages; other members are passed through. */

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

export interface OpenCodeInfo {
	id: string;
	sessionID: string;
	role: 'user' | 'assistant';
	/** Set on user messages. */
	agent?: string;
	model?: { providerID: string; modelID: string };
	/** Set on assistant messages that failed. */
	error?: { name: string };
	tokens?: { input: number; output: number; reasoning: number; cache: { read: number; write: number } };
	/** `completed` is set once an answer has ended. */
	time?: { created?: number; completed?: number };
}

export interface OpenCodeToolState {
	status: 'pending' | 'running' | 'completed' | 'error';
	input?: unknown;
	output?: string;
	error?: string;
	/** Data that the tool adds. */
	metadata?: { exit?: number; interrupted?: boolean; output?: string; contextd?: unknown };
	attachments?: { mime: string; url: string }[];
	time?: { start?: number; end?: number; compacted?: number };
}

export interface OpenCodePart {
	id: string;
	type: string;
	text?: string;
	/** Added by OpenCode, not typed. */
	synthetic?: boolean;
	/** Shown, and not sent. */
	ignored?: boolean;
	/** Set on files. */
	mime?: string;
	url?: string;
	filename?: string;
	/** Set on calls. */
	callID?: string;
	tool?: string;
	state?: OpenCodeToolState;
	/** Set on subtasks. */
	prompt?: string;
}

/** A message, as OpenCode's hook gets it. */
export interface OpenCodeMessage {
	info: OpenCodeInfo;
	parts: OpenCodePart[];
}
