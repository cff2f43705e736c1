import type { LargeMessage } from '../../protocol/stats.ts';
import type { Label } from './labels.ts';
import { type Span, span, type Tone } from './line.ts';
import { printableText } from './printable.ts';
import { clipStart, clipText, displayWidth, padEnd, padStart } from './width.ts';

const roleTones: Readonly<Record<LargeMessage['role'], Tone>> = {
	system: 'white',
	user: 'cyan',
	assistant: 'magenta',
	tool: 'blue',
};

/** Columns of a tool's name; longer names are clipped. */
function whoColumns(columns: number): number {
	return Math.max(8, Math.min(16, Math.floor(columns / 4)));
}

/** Columns of an id in a report, and in a list for copying ids. */
const idColumns = { report: 10, list: 40 };

/** Columns that the ids of a list need. */
export function idWidth(messageIds: readonly string[]): number {
	const widest = Math.max(0, ...messageIds.map((id) => displayWidth(printableText(id))));
	return Math.min(idColumns.list, Math.max(idColumns.report, widest));
}

function isPath(text: string): boolean {
	return text.includes('/') && !text.includes(' ');
}

/** The cells of a message in a table: id, sender and content. */
export function messageCells(
	{ messageId, role, toolName }: Pick<LargeMessage, 'messageId' | 'role' | 'toolName'>,
	label: Label | undefined,
	columns: number,
	idWidth = idColumns.report,
): Span[] {
	const about = label?.about ?? '';
	const whoWidth = whoColumns(columns);
	const room = columns - idWidth - whoWidth - 3;
	const id = clipText(printableText(messageId), idWidth);
	const who = printableText(role === 'tool' ? (toolName ?? label?.tool ?? 'tool') : role);
	return [
		span(`${padEnd(id, idWidth)}  `, 'gray'),
		span(`${padEnd(clipText(who, whoWidth), whoWidth)} `, roleTones[role]),
		span(isPath(about) ? clipStart(about, room) : clipText(about, room)),
	];
}

/** A figure that is right-aligned in its column. */
export function figureCell(text: string, width: number, tone: Tone = 'plain'): Span {
	return span(`${padStart(text, width)}  `, tone);
}
