import type { ChatMessage, FormatName, IdentifiedMessage } from '../../../protocol/conversation.ts';
import type { Slices } from '../../slices.ts';

/** Where a neutral message came from: one message of a wire format, or a part of one. */
export interface MessageSource {
	format: FormatName;
	/** The wire message exactly as it was appended. */
	raw: unknown;
	/** Equal for the messages of one raw body, different for those of different bodies. */
	key: string;
	/** Which of the messages parsed from that body this one is, from 0. */
	part: number;
	/** How many messages were parsed from that body. */
	parts: number;
}

export interface RenderEntry {
	message: IdentifiedMessage;
	/** Absent on what the daemon made itself. */
	source?: MessageSource;
	/** The message is no longer what its source says. */
	touched: boolean;
	/**
	 * What stood before it is gone: directly before it something else, or the beginning of the answer that it is
	 * part of; or that beginning is gone and something of the same answer stands between.
	 */
	cut?: 'before' | 'within its answer' | 'earlier in its answer';
	/** Items of the Responses API that stand for a summary there. */
	items?: readonly unknown[];
}

export interface RenderOptions {
	/** Who will read it ("mistral", "deepseek"): some providers want more than their format does. */
	provider?: string;
	model?: string;
	/**
	 * In the contextd format: whether an untouched message that came without an id shows the one that it was
	 * given. Hidden by default, so that it comes back as it was appended.
	 */
	assignedIds?: 'hidden' | 'shown';
}

export interface Rendered {
	messages: unknown[];
	/** What the provider takes outside its messages: Anthropic's `system` blocks, Gemini's `systemInstruction`. */
	system?: unknown;
	/** What could not be carried over, one sentence each. */
	warnings: string[];
}

/** One wire format: how it is read into neutral messages and written from them. */
export interface FormatAdapter {
	name: FormatName;
	/**
	 * One wire message as its neutral messages, in order, at least one. Blocks that have no neutral form are
	 * carried as opaque parts. Throws a `Failure` of kind `InvalidParams` that names the field when the value
	 * is no message of this format.
	 */
	parse(raw: unknown): ChatMessage[];
	/**
	 * A neutral history, valid in its pairs of calls and results, as wire messages that the provider takes.
	 * Untouched messages of this very format come out as they came in. In slices.
	 */
	render(entries: readonly RenderEntry[], options?: RenderOptions): Slices<Rendered>;
}
