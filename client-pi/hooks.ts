/** The part of pi's extension interface that is used here (`@earendil-works/pi-coding-agent` 0.87). */

import type { PiContent, PiMessage } from './hostMessages.ts';

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
