/**
 * The neutral message: what a conversation is made of, whatever provider it goes to.
 * Every format is parsed into these types and rendered from them.
 */

export type Role = 'system' | 'user' | 'assistant' | 'tool';

export interface TextPart {
	type: 'text';
	text: string;
}

export interface ImagePart {
	type: 'image';
	mediaType: string;
	/** Base64 of the image's bytes. */
	data?: string;
	uri?: string;
	/** Pixels. */
	width?: number;
	/** Pixels. */
	height?: number;
	detail?: 'low' | 'high' | 'auto';
}

/** A model's own thinking. With a signature it is kept byte for byte or dropped whole. */
export interface ReasoningPart {
	type: 'reasoning';
	text: string;
	signature?: string;
}

/** Something of a provider that no other one has: carried along, never looked into. */
export interface OpaquePart {
	type: 'opaque';
	value: unknown;
}

export type ContentPart = TextPart | ImagePart | ReasoningPart | OpaquePart;

export interface ToolCall {
	id: string;
	name: string;
	args: unknown;
}

/** Tokens of one model call as the provider reported them; `input` excludes both cache figures. */
export interface Usage {
	input: number;
	output: number;
	cacheRead?: number;
	cacheWrite?: number;
}

export interface ChatMessage {
	/** Unique in its session; assigned by the daemon where the client gave none. */
	id?: string;
	role: Role;
	content: string | ContentPart[];
	/** Assistant messages only. */
	toolCalls?: ToolCall[];
	/** Tool messages only: the call that this is the result of. */
	toolCallId?: string;
	toolName?: string;
	isError?: boolean;
	/** Assistant messages only: what the provider reported for the call that produced this message. */
	usage?: Usage;
	/** Milliseconds since the epoch. */
	timestamp?: number;
	/** Assistant messages: "stop", "length", "tool", "aborted", "error" or the provider's own word. */
	stopReason?: string;
	/** The client's own exact count of this message, taken as it is. */
	tokens?: number;
	pinned?: boolean;
	metadata?: Record<string, unknown>;
	/** Set by the daemon on a summary: the name of the group that it replaces. */
	condenseId?: string;
	/** Set by the daemon on an original: the `condenseId` of the summary that stands for it. */
	condenseParent?: string;
	/** Set by the daemon on a truncation marker: the name of the group that it hides. */
	truncationId?: string;
	/** Set by the daemon on an original: the `truncationId` of the marker that hides it. */
	truncationParent?: string;
	isTruncationMarker?: boolean;
}

/** A message that has its id. */
export type IdentifiedMessage = ChatMessage & { id: string };
