/** Collects what a rendering leaves out: equal losses become one sentence that names the messages. */
export interface Losses {
	/** `what` could not be carried over from the message: nothing stands for it. */
	add(what: string, messageId: string): undefined;
	sentences(): string[];
}

const mostNamed = 5;

/** An empty collection for a rendering in `format`. */
export function collectLosses(format: string): Losses {
	const found = new Map<string, Set<string>>();
	return {
		add(what, messageId) {
			const ids = found.get(what);
			if (ids) ids.add(messageId);
			else found.set(what, new Set([messageId]));
		},
		sentences() {
			return [...found].map(([what, ids]) => {
				const named = [...ids].slice(0, mostNamed).join(', ');
				const more = ids.size > mostNamed ? ` and ${ids.size - mostNamed} more` : '';
				return `${what} cannot be carried over to ${format}: left out of ${named}${more}`;
			});
		},
	};
}
