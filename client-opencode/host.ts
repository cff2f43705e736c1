/** The parts of OpenCode's plugin interface (`@opencode-ai/plugin` 1.18) and of its messages that contextd uses. */

/** Client of OpenCode's own server. */
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
	/** The folder in which the agent works. */
	directory: string;
}

interface ToolDefinition {
	description: string;
	/** JSON schemas of the arguments, by name. */
	args: Record<string, object>;
	execute(args: Record<string, unknown>, context: { sessionID: string }): Promise<string>;
}

/** The result of a tool before OpenCode stores it; for an MCP tool, the answer of its server. */
export interface OpenCodeResult {
	output?: string;
	metadata?: Record<string, unknown>;
	attachments?: unknown[];
	/** Set instead of `output` by MCP tools. */
	content?: { type: string; text?: string }[];
	isError?: boolean;
}

/** The hooks that OpenCode calls. A hook returns its result by changing its second argument. */
export interface OpenCodeHooks {
	dispose(): Promise<void>;
	config(config: { command?: Record<string, object> }): Promise<void>;
	tool: Record<string, ToolDefinition>;
	'command.execute.before'(input: { command: string; sessionID: string; arguments: string }): Promise<void>;
	/** Called after a tool has run. If a subtask failed, `output` is undefined and `callID` is the id of the subtask's part. */
	'tool.execute.after'(
		input: { tool: string; sessionID: string; callID: string; args: unknown },
		output: OpenCodeResult | undefined,
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
	/** Name of the agent's mode; only on user messages. */
	agent?: string;
	model?: { providerID: string; modelID: string };
	/** The error; only on failed answers. */
	error?: { name: string };
	tokens?: { input: number; output: number; reasoning: number; cache: { read: number; write: number } };
	/** Times in milliseconds since the epoch; `completed` is set once an answer has ended. */
	time?: { created?: number; completed?: number };
}

export interface OpenCodeToolState {
	status: 'pending' | 'running' | 'completed' | 'error';
	input?: unknown;
	output?: string;
	error?: string;
	/** Data that tools and contextd add. */
	metadata?: { exit?: number; interrupted?: boolean; output?: string; contextd?: unknown };
	attachments?: { mime: string; url: string }[];
	time?: { start?: number; end?: number; compacted?: number };
}

export interface OpenCodePart {
	id: string;
	type: string;
	text?: string;
	/** Whether OpenCode or a plugin wrote the text, not the user. */
	synthetic?: boolean;
	/** Whether the part is shown to the user but not sent to the model. */
	ignored?: boolean;
	/** Media type. Only files have `mime`, `url` and `filename`. */
	mime?: string;
	url?: string;
	filename?: string;
	/** Id of the call. Only calls have `callID`, `tool` and `state`. */
	callID?: string;
	tool?: string;
	state?: OpenCodeToolState;
	/** The task; only on subtasks. */
	prompt?: string;
}

/** A message as OpenCode passes it to a hook. */
export interface OpenCodeMessage {
	info: OpenCodeInfo;
	parts: OpenCodePart[];
}
