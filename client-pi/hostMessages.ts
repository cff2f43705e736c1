/** As much of pi's messages as is read here (pi's docs/message-types.md); what it does not name is carried along. */

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
	/** Of an answer that failed. */
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
	/** Of what stands for messages that left. */
	summary?: string;
}
