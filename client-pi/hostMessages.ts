/** The part of pi's messages that is read here (pi's docs/message-types.md); other members are passed through. */

export interface PiContent {
	type: string;
	text?: string;
	/** Of an image: base64. */
	data?: string;
	mimeType?: string;
	/** Of thinking. */
	thinking?: string;
	thinkingSignature?: string;
	/** Of a call. */
	id?: string;
	name?: string;
	arguments?: unknown;
}

export interface PiMessage {
	role: string;
	content?: string | PiContent[];
	timestamp?: number;
	/** Of an answer. */
	usage?: { input: number; output: number; cacheRead: number; cacheWrite: number };
	stopReason?: string;
	/** Of a failed answer. */
	errorMessage?: string;
	/** Of a result. */
	toolCallId?: string;
	toolName?: string;
	isError?: boolean;
	details?: unknown;
	/** Of a command that the user ran. */
	command?: string;
	output?: string;
	excludeFromContext?: boolean;
	/** Of a message that replaces removed ones. */
	summary?: string;
}
