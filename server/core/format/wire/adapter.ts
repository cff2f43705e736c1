import type { ChatMessage, FormatName, IdentifiedMessage } from '../../../protocol/conversation.ts';
import { getOrInsert } from '../../getOrInsert.ts';
import type { SlicedTask } from '../../slices.ts';

/** Origin of a neutral message: a message of a wire format, or a part of one. */
export interface MessageSource {
	format: FormatName;
	/** The wire message as it was appended, unchanged. */
	raw: unknown;
	/** Key of the raw body: equal for all messages of one body, distinct between bodies. */
	key: string;
	/** Index of the message among those parsed from the body. */
	partIndex: number;
	/** Number of messages parsed from that body. */
	partCount: number;
}

/** A message to render, with its origin. */
export interface RenderEntry {
	message: IdentifiedMessage;
	/** Where the message comes from; absent for messages that the daemon created. */
	source?: MessageSource;
	/** Whether the message differs from its source. */
	isChanged: boolean;
	/**
	 * Set if something before the message was removed. `before`: anything directly before it. `within its answer`: the
	 * part of its own answer directly before it. `earlier in its answer`: an earlier part of its answer, with other
	 * parts in between.
	 */
	cut?: 'before' | 'within its answer' | 'earlier in its answer';
	/** Items that replace a summary in the Responses API. */
	items?: readonly unknown[];
}

export interface RenderOptions {
	/** Provider that receives the messages ("mistral", "deepseek"), if it has additional rules. */
	provider?: string;
	model?: string;
	/**
	 * In the contextd format: whether an unchanged message that was appended without an id shows its
	 * assigned id. Hidden by default, so that the message is returned as it was appended.
	 */
	assignedIds?: 'hidden' | 'shown';
}

export interface RenderResult {
	messages: unknown[];
	/** Content that the provider takes outside its messages: Anthropic's `system`, Gemini's `systemInstruction`. */
	system?: unknown;
	/** Content that could not be carried over, one sentence each. */
	warnings: string[];
}

/** Collects what a rendering omits. Equal losses become one sentence that names the messages. */
export class RenderLosses {
	readonly #format: FormatName;
	readonly #idsByContent = new Map<string, Set<string>>();

	constructor(format: FormatName) {
		this.#format = format;
	}

	/** Records that `content` of the message could not be carried over and was omitted. */
	add(content: string, messageId: string): undefined {
		getOrInsert(this.#idsByContent, content, () => new Set()).add(messageId);
	}

	listSentences(): string[] {
		return Array.from(this.#idsByContent, ([content, ids]) => {
			const namedIds = [...ids].slice(0, maxNamedMessages).join(', ');
			const suffix = ids.size > maxNamedMessages ? ` and ${ids.size - maxNamedMessages} more` : '';
			return `${content} cannot be carried over to ${this.#format}: left out of ${namedIds}${suffix}`;
		});
	}
}

/** Maximum number of messages that a sentence about a loss names. */
const maxNamedMessages = 5;

/** One wire format: reads it into neutral messages and writes it from them. */
export interface FormatAdapter {
	name: FormatName;
	/**
	 * Splits one wire message into neutral messages, in order, at least one. Blocks without a neutral form
	 * become opaque parts. Throws a `Failure` of kind `InvalidParams` that names the field if the value is not a
	 * message of this format.
	 */
	parse(raw: unknown): ChatMessage[];
	/**
	 * Renders a neutral history with valid pairs of calls and results as wire messages that the provider
	 * accepts. Unchanged messages of this format are rendered as they were appended. In slices.
	 */
	render(entries: readonly RenderEntry[], options?: RenderOptions): SlicedTask<RenderResult>;
}
