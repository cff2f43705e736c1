/** The parts of pi's extension interface (`@earendil-works/pi-coding-agent` 0.87) and messages (pi's docs/message-types.md) that contextd uses. */

/** The messages that an entry of pi's session file contributes to a request. */
interface PiProjected {
	sourceEntry: PiEntry;
	messages: PiMessage[];
}

/** An entry of pi's session file. */
export interface PiEntry {
	id: string;
	type: string;
	/** Data of the extension that made a compaction; only on compactions. */
	details?: Record<string, unknown>;
	/** The message, if the entry is one. */
	message?: PiMessage;
}

export interface PiContext {
	cwd: string;
	model?: { id: string; provider: string; contextWindow: number; maxTokens: number };
	ui: {
		setStatus(key: string, text: string | undefined): void;
		notify(text: string, kind: 'info' | 'warning'): void;
	};
	sessionManager: {
		getSessionId(): string;
		buildSessionProjection(): { entries: PiProjected[] };
		/** Returns the entries from the beginning of the session to the current entry, including those that compactions removed. */
		getBranch(): PiEntry[];
	};
	getSystemPrompt(): string;
}

export interface PiToolResult {
	toolCallId: string;
	toolName: string;
	input: Record<string, unknown>;
	content: PiContent[];
	details?: unknown;
	isError: boolean;
}

export interface PiBeforeCompact {
	preparation: { firstKeptEntryId: string; tokensBefore: number };
	customInstructions?: string;
	reason: 'manual' | 'threshold' | 'overflow';
	/** Whether pi sends the interrupted request again after the compaction. */
	willRetry: boolean;
}

/** A compaction as pi stores it. */
export interface PiCompaction {
	summary: string;
	/** Id of the first entry that is sent after the summary. */
	firstKeptEntryId: string;
	tokensBefore: number;
	details: object;
}

interface PiTool {
	name: string;
	label: string;
	description: string;
	/** JSON schema of the params. */
	parameters: object;
	execute(
		callId: string,
		params: Record<string, unknown>,
		signal: AbortSignal | undefined,
		onUpdate: unknown,
		context: PiContext,
	): Promise<{ content: PiContent[]; details: object }>;
}

/** The interface that pi passes to an extension. */
export interface PiApi {
	on(
		event: 'context',
		handler: (event: { messages: PiMessage[] }, context: PiContext) => Promise<{ messages: PiMessage[] }>,
	): void;
	on(
		event: 'session_before_compact',
		handler: (
			event: PiBeforeCompact,
			context: PiContext,
		) => Promise<{ cancel: true } | { compaction: PiCompaction } | undefined>,
	): void;
	on(
		event: 'tool_result',
		handler: (
			event: PiToolResult,
			context: PiContext,
		) => { content: PiContent[]; details: object } | undefined,
	): void;
	on(event: 'session_start', handler: (event: object, context: PiContext) => Promise<void>): void;
	on(event: 'session_shutdown', handler: () => Promise<void>): void;
	registerTool(tool: PiTool): void;
	registerCommand(
		name: string,
		command: { description: string; handler(words: string, context: PiContext): Promise<void> },
	): void;
}

export interface PiContent {
	type: string;
	text?: string;
	/** Image data as base64. */
	data?: string;
	mimeType?: string;
	/** The text. Only thinking has `thinking` and `thinkingSignature`. */
	thinking?: string;
	thinkingSignature?: string;
	/** Id of the call. Only calls have `id`, `name` and `arguments`. */
	id?: string;
	name?: string;
	arguments?: unknown;
}

export interface PiMessage {
	role: string;
	content?: string | PiContent[];
	timestamp?: number;
	/** Tokens of the request. Only answers have `usage` and `stopReason`. */
	usage?: { input: number; output: number; cacheRead: number; cacheWrite: number };
	stopReason?: string;
	/** The error; only on failed answers. */
	errorMessage?: string;
	/** Id of the answered call. Only results have `toolCallId`, `toolName`, `isError` and `details`. */
	toolCallId?: string;
	toolName?: string;
	isError?: boolean;
	details?: unknown;
	/** The command. Only commands that the user ran have `command`, `output` and `excludeFromContext`. */
	command?: string;
	output?: string;
	excludeFromContext?: boolean;
	/** The summary; only on messages that replace removed messages. */
	summary?: string;
}
