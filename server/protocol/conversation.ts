/** The messages of a conversation, and the rest of a model request. */

/** Author of a message; `tool`: the result of a call. */
export type Role = 'system' | 'user' | 'assistant' | 'tool';

/** Text in a message. */
export interface TextPart {
	/** Kind of the part. */
	type: 'text';
	/** The text. */
	text: string;
}

/** An image, given by its bytes or its location. */
export interface ImagePart {
	/** Kind of the part. */
	type: 'image';
	/** Media type, for example `image/png`. */
	mediaType: string;
	/** Base64 of the image's bytes. */
	data?: string;
	/** Location of the image, instead of `data`. */
	uri?: string;
	/** Width in pixels. */
	width?: number;
	/** Height in pixels. */
	height?: number;
	/** How closely the model looks, if the provider offers a choice. */
	detail?: 'low' | 'high' | 'auto';
}

/** Reasoning of a model. With a signature it is kept byte for byte, or removed as a whole. */
export interface ReasoningPart {
	/** Kind of the part. */
	type: 'reasoning';
	/** The reasoning. */
	text: string;
	/** The provider's proof that the model wrote the text. */
	signature?: string;
}

/** A content block that only one provider knows; the daemon passes it on unchanged. */
export interface OpaquePart {
	/** Kind of the part. */
	type: 'opaque';
	/** The provider's own block. */
	value: unknown;
}

/** One part of a message's content. */
export type ContentPart = TextPart | ImagePart | ReasoningPart | OpaquePart;

/** A call of a tool. */
export interface ToolCall {
	/** Id of the call, to which the result refers in `toolCallId`. */
	id: string;
	/** The tool's name. */
	name: string;
	/** The arguments from the model. */
	args: unknown;
}

/** Tokens of one model call, as the provider reported them. `input` excludes the cached tokens. */
export interface Usage {
	/** Tokens of the prompt that were neither read from the cache nor written to it. */
	input: number;
	/** Tokens of the answer. */
	output: number;
	/** Tokens of the prompt that were read from the provider's cache. */
	cacheRead?: number;
	/** Tokens of the prompt that were written to the provider's cache. */
	cacheWrite?: number;
	/** The part of `cacheWrite` that the provider caches for an hour; some providers charge more for it. */
	cacheWriteForHour?: number;
}

/** The neutral message: every format is converted to it and from it. */
export interface ChatMessage {
	/** Id of the message, unique in the session; assigned by the daemon if absent. */
	id?: string;
	/** Author of the message. */
	role: Role;
	/** A text, or parts in order. */
	content: string | ContentPart[];
	/** Assistant messages only: the calls of tools. */
	toolCalls?: ToolCall[];
	/** Tool messages only: id of the call that produced this result. */
	toolCallId?: string;
	/** Tool messages only: the name of the tool. */
	toolName?: string;
	/** Tool messages only: whether the call failed. */
	isError?: boolean;
	/** Assistant messages only: the usage that the provider reported for the call. */
	usage?: Usage;
	/** When the message was written. Milliseconds since the epoch. */
	timestamp?: number;
	/** Assistant messages: `stop`, `length`, `tool`, `aborted`, `error`, or the provider's own word. */
	stopReason?: string;
	/** The client's own token count of this message, which the daemon uses unchecked; see `hasEstimatedTokens`. */
	tokens?: number;
	/** Whether `tokens` is an estimate, which reported usage corrects like the daemon's own estimates. */
	hasEstimatedTokens?: boolean;
	/** Whether every stage keeps the message verbatim. */
	pinned?: boolean;
	/** Free data of the client; `injected: true` marks a user message that no person typed. */
	metadata?: Record<string, unknown>;
	/**
	 * Set by the daemon on a summary: name of the group of messages that the summary replaces. Also set on a shortened
	 * message if hidden messages are included.
	 */
	condenseId?: string;
	/** Set by the daemon on an original: the `condenseId` of the message that replaces it. */
	condenseParent?: string;
	/** Set by the daemon on a truncation marker: name of the group of messages that the marker hides. */
	truncationId?: string;
	/** Set by the daemon on an original: the `truncationId` of the marker that hides it. */
	truncationParent?: string;
	/** Set by the daemon on the marker that replaces messages hidden by a truncation. */
	isTruncationMarker?: boolean;
}

/** A message with an id. */
export type IdentifiedMessage = ChatMessage & { id: string };

/** A file that is sent with a request. */
export interface FileAttachment {
	/** Location of the file, as shown to the model; its tokens are counted. */
	uri?: string;
	/** The file's text; empty if it is not converted yet. */
	content: string;
	/** Size in bytes of a file that is not converted yet; its tokens are estimated by its type. */
	size?: number;
	/** Media type, for example `application/pdf`; by default derived from `uri`. */
	mediaType?: string;
}

/** The next model request except its history; its tokens are counted in addition to those of the history. */
export interface ModelRequest {
	/** The system prompt. */
	systemPrompt?: string;
	/** The user's next prompt, which is not part of the history yet. */
	currentPrompt?: string;
	/** Definitions of tools as the client sends them, in any provider's shape. */
	toolDefinitions?: unknown[];
	/** Files that are sent with the request. */
	fileAttachments?: FileAttachment[];
	/** Maximum tokens of the answer; by default the model's own limit. */
	maxOutputTokens?: number;
}

/**
 * Formats of messages, in the order of the values: the shape of `ChatMessage`; Anthropic's Messages API; OpenAI's
 * Chat Completions; the items of OpenAI's Responses API; Gemini's contents; roles `tool_call` and `tool_result`;
 * Amazon Bedrock's Converse API; the ModelMessages of the AI SDK.
 */
export type FormatName =
	| 'contextd'
	| 'anthropic'
	| 'openai'
	| 'openai-responses'
	| 'gemini'
	| 'neurolink'
	| 'bedrock'
	| 'ai-sdk';

/**
 * How tokens are counted. `heuristic`: the documented formula; `exact`: a real vocabulary; `calibrated`: a fast
 * estimate of a vocabulary.
 */
export type EstimatorName = 'heuristic' | 'exact' | 'calibrated';
