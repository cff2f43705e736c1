/** The part of OpenCode's messages that is read here; other members are passed through. */

export interface OpenCodeInfo {
	id: string;
	sessionID: string;
	role: 'user' | 'assistant';
	/** Of a user message. */
	agent?: string;
	model?: { providerID: string; modelID: string };
	/** Of an assistant message. */
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
	/** Of a file. */
	mime?: string;
	url?: string;
	filename?: string;
	/** Of a call. */
	callID?: string;
	tool?: string;
	state?: OpenCodeToolState;
	/** Of a subtask. */
	prompt?: string;
}

/** A message, as OpenCode's hook gets it. */
export interface OpenCodeMessage {
	info: OpenCodeInfo;
	parts: OpenCodePart[];
}
