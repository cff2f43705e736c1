/** The part of pi's messages that is read here (pi's docs/message-types.md); other members are passed through. */

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
