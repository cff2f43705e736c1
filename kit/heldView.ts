/** The view that a plugin holds of a conversation, so that the model is sent the same bytes again. */

/** How a result was sent for the first time. */
export interface HeldResult {
	/** Length of the host's original result, in UTF-16 units. */
	units: number;
	/** The text that the model was sent; absent if it is the host's own. */
	text?: string;
	/** The tool and the arguments of a shortened read: the next read of the same is not shortened. */
	source?: string;
}

/** A decision about the view of the model: messages that replace the beginning of the host's list. */
export interface Decision<HostMessage> {
	/** The daemon's step, for `context/undo`. */
	compactionId: string;
	/** Tokens that it saved. */
	tokensSaved: number;
	/** Number of the host's messages that it replaces. */
	count: number;
	/** The chain id of the last replaced message. */
	upTo: string;
	/** The messages that the model is sent instead. */
	shown: readonly HostMessage[];
}

/** Immutable plain data, stored as JSON. */
export interface HeldView<HostMessage> {
	/** Version of this format. */
	version: 1;
	/** Chain ids of the list that was sent last. */
	known: readonly string[];
	/** Oldest first. The newest one that still matches the host's list applies. */
	decisions: readonly Decision<HostMessage>[];
	/** By call id. */
	results: Readonly<Record<string, HeldResult>>;
	/** Lines added after messages, by the chain id of the message. */
	notes: Readonly<Record<string, string>>;
}

/** Returns the view of a conversation of which nothing was sent yet. */
export function emptyView<HostMessage>(): HeldView<HostMessage> {
	return { version: 1, known: [], decisions: [], results: {}, notes: {} };
}
