import { getFormatAdapter } from '../../../server/core/format/formats.ts';
import type { RenderEntry } from '../../../server/core/format/wire/adapter.ts';
import type { ChatMessage, FormatName } from '../../../server/protocol/conversation.ts';

/** Returns wire messages as unchanged entries of a session. */
export function appendedEntries(format: FormatName, raws: readonly unknown[]): RenderEntry[] {
	return raws.flatMap((raw, index) => {
		const messages = getFormatAdapter(format).parse(raw);
		return messages.map((message, part) => ({
			message: { ...message, id: message.id ?? `${format}-${index}-${part}` },
			source: { format, raw, key: `${format}-${index}`, partIndex: part, partCount: messages.length },
			isChanged: false,
		}));
	});
}

/** Returns the entry after a stage changed its message. */
export function changedEntry(entry: RenderEntry, change: Partial<ChatMessage>): RenderEntry {
	return { ...entry, message: { ...entry.message, ...change }, isChanged: true };
}

/** Returns the entry of a message that the daemon created. */
export function createdEntry(message: ChatMessage & { id: string }): RenderEntry {
	return { message, isChanged: false };
}
