/** A note that replaces a message whose bytes are damaged on disk. */

import type { Row } from '../core/history/row.ts';
import { withoutUndefined } from '../core/shape.ts';
import type { IdentifiedMessage } from '../protocol/conversation.ts';

/** A placeholder for an unreadable message: its role, its calls without arguments, and where the damage is. */
export function placeholderFor(row: Row): IdentifiedMessage {
	const { id, role, calls, answers, tool, isError, made } = row;
	return {
		id,
		role,
		content: `[Message ${id} is damaged on disk: ${positionOf(row)}]`,
		...(calls && { toolCalls: calls.map((call) => ({ ...call, args: {} })) }),
		...withoutUndefined({ toolCallId: answers, toolName: tool }),
		...(isError && { isError }),
		metadata: {
			damaged: true,
			truncated: true,
			...(made === 'summary' && { isSummary: true }),
			...(made === 'marker' && { isTruncationMarker: true }),
		},
	};
}

/** The warning about a message that is damaged on disk. */
export function damageWarning(row: Row): string {
	return `message "${row.id}" is damaged on disk (${positionOf(row)}): a note replaces it`;
}

function positionOf({ ref }: Row): string {
	return `${ref.length} bytes at byte ${ref.offset} of its journal`;
}
