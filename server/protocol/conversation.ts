/** What a model is told: the messages of a conversation, and what surrounds them in a request. */

/** Who speaks: `tool` gives the result of a call. */
export type Role = 'system' | 'user' | 'assistant' | 'tool';

/** Words. */
export interface TextPart {
	/** What kind of part it is. */
	type: 'text';
	/** The words. */
	text: string;
}

/** A picture, by its bytes or by where it is. */
export interface ImagePart {
	/** What kind of part it is. */
	type: 'image';
	/** For example `image/png`. */
	mediaType: string;
	/** Base64 of the image's bytes. */
	data?: string;
	/** Where the image is, instead of `data`. */
	uri?: string;
	/** Pixels. */
	width?: number;
	/** Pixels. */
	height?: number;
	/** How closely the model looks, where the provider lets one choose. */
	detail?: 'low' | 'high' | 'auto';
}

/** A model's own thinking. With a signature it is kept byte for byte or dropped whole. */
export interface ReasoningPart {
	/** What kind of part it is. */
	type: 'reasoning';
	/** The words. */
	text: string;
	/** The provider's proof that the text is the model's. */
	signature?: string;
}

/** Something of a provider that no other one has: carried along, never looked into. */
export interface OpaquePart {
	/** What kind of part it is. */
	type: 'opaque';
	/** The provider's own block. */
	value: unknown;
}

/** One piece of a message's content. */
export type ContentPart = TextPart | ImagePart | ReasoningPart | OpaquePart;

/** A call of a tool. */
export interface ToolCall {
	/** The result names it as its `toolCallId`. */
	id: string;
	/** The tool's name. */
	name: string;
	/** Whatever the model called the tool with. */
	args: unknown;
}

/** Tokens of one model call as the provider reported them; `input` excludes both cache figures. */
export interface Usage {
	/** Tokens of the prompt that came from no cache. */
	input: number;
	/** Tokens of the answer. */
	output: number;
	/** Tokens of the prompt that were read from the provider's cache. */
	cacheRead?: number;
	/** Tokens of the prompt that were written to the provider's cache. */
	cacheWrite?: number;
	/** Of `cacheWrite`: tokens that the provider keeps for an hour, which some charge more for. */
	cacheWriteForHour?: number;
}

/** The neutral message: every format is read into it and written from it. */
export interface ChatMessage {
	/** Unique in its session; assigned by the daemon where the client gave none. */
	id?: string;
	/** Who speaks. */
	role: Role;
	/** A text, or parts in order. */
	content: string | ContentPart[];
	/** Assistant messages only: the tools that it calls. */
	toolCalls?: ToolCall[];
	/** Tool messages only: the call that this is the result of. */
	toolCallId?: string;
	/** Tool messages only: the name of the tool. */
	toolName?: string;
	/** Tool messages only: the call failed. */
	isError?: boolean;
	/** Assistant messages only: what the provider reported for the call that produced this message. */
	usage?: Usage;
	/** Milliseconds since the epoch. */
	timestamp?: number;
	/** Assistant messages: `stop`, `length`, `tool`, `aborted`, `error` or the provider's own word. */
	stopReason?: string;
	/** The client's own exact count of this message in tokens, taken as it is. */
	tokens?: number;
	/** Survives every stage verbatim. */
	pinned?: boolean;
	/** Whatever the client wants to keep with it; `injected: true` says that no person typed a user message. */
	metadata?: Record<string, unknown>;
	/** Set by the daemon on a summary: the name of the group that it replaces; with hidden messages also on a shortened one. */
	condenseId?: string;
	/** Set by the daemon on an original: the `condenseId` of the summary, or of the shortened message, that stands for it. */
	condenseParent?: string;
	/** Set by the daemon on a truncation marker: the name of the group that it hides. */
	truncationId?: string;
	/** Set by the daemon on an original: the `truncationId` of the marker that hides it. */
	truncationParent?: string;
	/** Set by the daemon on a message that stands for those that a truncation hides. */
	isTruncationMarker?: boolean;
}

/** A message that has its id. */
export type IdentifiedMessage = ChatMessage & { id: string };

/** A file that goes along with a request. */
export interface FileAttachment {
	/** Where it is; counted as it is shown to the model. */
	uri?: string;
	/** Its text; empty where it is still to be converted. */
	content: string;
	/** Bytes of a file whose text is not there yet: it is counted by its type. */
	size?: number;
	/** For example `application/pdf`; told by `uri` where absent. */
	mediaType?: string;
}

/** What surrounds the history in the next model call; counted beside it. */
export interface ModelRequest {
	/** What the model is told beforehand. */
	systemPrompt?: string;
	/** The user's words that are not part of the history yet. */
	currentPrompt?: string;
	/** As the client would send them, in any provider's shape. */
	toolDefinitions?: unknown[];
	/** Files that go along. */
	fileAttachments?: FileAttachment[];
	/** Tokens that the answer may take; the model's own limit where absent. */
	maxOutputTokens?: number;
}

/**
 * The formats that messages come in and go out in: the shape of `ChatMessage`; Anthropic's Messages API; OpenAI's Chat
 * Completions; the items of OpenAI's Responses API; Gemini's contents; roles `tool_call` and `tool_result`; Amazon
 * Bedrock's Converse API; the ModelMessages of the AI SDK.
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

/** `heuristic`: the documented formula; `exact`: a real vocabulary; `calibrated`: a fast estimate of one. */
export type EstimatorName = 'heuristic' | 'exact' | 'calibrated';
