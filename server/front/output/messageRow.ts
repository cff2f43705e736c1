import type { LargeMessage } from '../../protocol/stats.ts';
import type { MessageLabel } from './labels.ts';
import { type Span, span, type Tone } from './line.ts';
import { makePrintable } from './printable.ts';
import { clipStart, clipText, measureWidth, padEnd, padStart } from './width.ts';

const roleTones: Readonly<Record<LargeMessage['role'], Tone>> = {
	system: 'white',
	user: 'cyan',
	assistant: 'magenta',
	tool: 'blue',
};

/** Columns of an id in a report, and the maximum in a list from which ids are copied. */
const idColumns = { report: 10, list: 40 };

/** Returns the columns that the ids of a list need. */
export function measureIdColumns(messageIds: readonly string[]): number {
	const widest = Math.max(0, ...messageIds.map((id) => measureWidth(makePrintable(id))));
	return Math.min(idColumns.list, Math.max(idColumns.report, widest));
}

function isPath(text: string): boolean {
	return text.includes('/') && !text.includes(' ');
}

/** Returns the cells of a message in a table: id, sender and content. */
export function renderMessageCells(
	{ messageId, role, toolName }: Pick<LargeMessage, 'messageId' | 'role' | 'toolName'>,
	label: MessageLabel | undefined,
	columns: number,
	idWidth = idColumns.report,
): Span[] {
	const about = label?.subject ?? '';
	// Longer names are clipped.
	const senderWidth = Math.max(8, Math.min(16, Math.floor(columns / 4)));
	const contentColumns = columns - idWidth - senderWidth - 3;
	const id = clipText(makePrintable(messageId), idWidth);
	const sender = makePrintable(role === 'tool' ? (toolName ?? label?.tool ?? 'tool') : role);
	return [
		span(`${padEnd(id, idWidth)}  `, 'gray'),
		span(`${padEnd(clipText(sender, senderWidth), senderWidth)} `, roleTones[role]),
		span(isPath(about) ? clipStart(about, contentColumns) : clipText(about, contentColumns)),
	];
}

/** Returns a cell with a right-aligned figure. */
export function renderFigureCell(text: string, width: number, tone: Tone = 'plain'): Span {
	return span(`${padStart(text, width)}  `, tone);
}
