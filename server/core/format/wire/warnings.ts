/** Collects what a rendering omits. Equal losses become one sentence that names the messages. */
export interface RenderLosses {
	/** Records that `content` of the message could not be carried over and was omitted. */
	add(content: string, messageId: string): undefined;
	listSentences(): string[];
}

const maxNamedMessages = 5;

/** Creates an empty collection for a rendering in `format`. */
export function createLossCollector(format: string): RenderLosses {
	const idsByContent = new Map<string, Set<string>>();
	return {
		add(content, messageId) {
			const ids = idsByContent.get(content);
			if (ids) ids.add(messageId);
			else idsByContent.set(content, new Set([messageId]));
		},
		listSentences() {
			return [...idsByContent].map(([content, ids]) => {
				const named = [...ids].slice(0, maxNamedMessages).join(', ');
				const more = ids.size > maxNamedMessages ? ` and ${ids.size - maxNamedMessages} more` : '';
				return `${content} cannot be carried over to ${format}: left out of ${named}${more}`;
			});
		},
	};
}
