import type { ToolCall } from '../../../protocol/conversation.ts';
import { touchesOf } from '../../files/touchesOf.ts';
import type { Section } from './headings.ts';
import type { Source } from './source.ts';

/** Messages that count as current work, before the cut. */
const CURRENT = 8;
const COMMANDS = /bash|shell|exec|terminal|command|run/i;

/** Where the summary says what a message, one of its calls, or the result of a call said. */
export function sectionOf(
	source: Source,
	call: ToolCall | undefined,
	place: { newest: number; first: Source | undefined },
): Section {
	if (source.role === 'user') return source === place.first ? 1 : source.injected ? 2 : 6;
	if (source.role === 'system') return 2;
	if (call === undefined && source.role === 'assistant') {
		return source.seq > place.newest - CURRENT ? 7 : 4;
	}
	if (source.isError) return 4;
	if (call === undefined) return 2;
	if (touchesOf(call).length > 0) return 3;
	return COMMANDS.test(call.name) ? 4 : 2;
}
