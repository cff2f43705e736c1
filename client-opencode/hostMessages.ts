/** The part of OpenCode's messages that is read here; other members are passed through. */

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
