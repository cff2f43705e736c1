/** Collects what a rendering omits. Equal losses become one sentence that names the messages. */
export interface RenderLosses {
	/** Records that `what` could not be carried over from the message and was omitted. */
	add(what: string, messageId: string): undefined;
	listSentences(): string[];
}

const maxNamedMessages = 5;

/** Creates an empty collection for a rendering in `format`. */
export function createLossCollector(format: string): RenderLosses {
	const found = new Map<string, Set<string>>();
	return {
		add(what, messageId) {
			const ids = found.get(what);
			if (ids) ids.add(messageId);
			else found.set(what, new Set([messageId]));
		},
		listSentences() {
			return [...found].map(([what, ids]) => {
				const named = [...ids].slice(0, maxNamedMessages).join(', ');
				const more = ids.size > maxNamedMessages ? ` and ${ids.size - maxNamedMessages} more` : '';
				return `${what} cannot be carried over to ${format}: left out of ${named}${more}`;
			});
		},
	};
}
