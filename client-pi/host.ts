/** The part of pi's extension interface that is used here (`@earendil-works/pi-coding-agent` 0.87), and of its messages (pi's docs/message-types.md). */

/** The messages that an entry of pi's session file contributes to a request. */
interface PiProjected {
	sourceEntry: PiEntry;
	messages: PiMessage[];
}

/** An entry of pi's session file. */
export interface PiEntry {
	id: string;
	type: string;
	/** Set on compactions: data of the extension that made it. */
	details?: Record<string, unknown>;
	/** Set on messages. */
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
		/** The entries from the beginning of the session to the current one, including those that compactions removed. */
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
	/** The first entry that is sent after the summary. */
	firstKeptEntryId: string;
	tokensBefore: number;
	details: object;
}

interface PiTool {
	name: string;
	label: string;
	description: string;
	/** A JSON schema. */
	parameters: object;
	execute(
		callId: string,
		params: Record<string, unknown>,
		signal: AbortSignal | undefined,
		onUpdate: unknown,
		context: PiContext,
	): Promise<{ content: PiContent[]; details: object }>;
}

/** What pi passes to an extension. */
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
	/** Base64 of an image. */
	data?: string;
	mimeType?: string;
	/** Set on thinking. */
	thinking?: string;
	thinkingSignature?: string;
	/** Set on calls. */
	id?: string;
	name?: string;
	arguments?: unknown;
}

export interface PiMessage {
	role: string;
	content?: string | PiContent[];
	timestamp?: number;
	/** Set on answers. */
	usage?: { input: number; output: number; cacheRead: number; cacheWrite: number };
	stopReason?: string;
	/** Set on failed answers. */
	errorMessage?: string;
	/** Set on results. */
	toolCallId?: string;
	toolName?: string;
	isError?: boolean;
	details?: unknown;
	/** Set on commands that the user ran. */
	command?: string;
	output?: string;
	excludeFromContext?: boolean;
	/** Set on messages that replace removed ones. */
	summary?: string;
}
