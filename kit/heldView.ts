/** What an adapter holds of a conversation, so that what a model was once sent is sent again byte for byte. */

/** What became of a result when it was first sent. */
export interface HeldResult {
	/** UTF-16 units of the result as the host first had it. */
	units: number;
	/** What the model was sent for it; absent where it is what the host has. */
	text?: string;
	/** What a shortened result was read from, by tool and place: reading it again shows it whole. */
	source?: string;
}

/** One decision on what a model sees: a list of messages in place of the beginning of the host's. */
export interface Decision<Native> {
	/** The daemon's step, as `context/undo` takes it. */
	compactionId: string;
	/** Tokens that it saved. */
	tokensSaved: number;
	/** Messages of the host that it stands for. */
	count: number;
	/** The chain id of the last of them. */
	upTo: string;
	/** What the model is sent for them. */
	shown: readonly Native[];
}

/** Plain data; changed by making another. */
export interface HeldView<Native> {
	/** Of this shape. */
	version: 1;
	/** Chain ids of the list that was laid last. */
	known: readonly string[];
	/** Oldest first. The newest that still fits the host's list is shown. */
	decisions: readonly Decision<Native>[];
	/** By the id of the call. */
	results: Readonly<Record<string, HeldResult>>;
	/** Texts behind messages, by the chain id of the message. */
	notes: Readonly<Record<string, string>>;
}

/** The view of a conversation of which nothing was sent yet. */
export function emptyView<Native>(): HeldView<Native> {
	return { version: 1, known: [], decisions: [], results: {}, notes: {} };
}
