import type { ToolCall } from '../../../protocol/conversation.ts';
import { touchesOf } from '../../files/touchesOf.ts';
import type { Source } from './source.ts';

/** How the summary names a message: `#12`, by its ordinal; shorter than most ids, and no id that clients give. */
export function nameOf(source: Source): string {
	return `#${source.seq}`;
}

/** What stands before what a message, one of its calls or a call's result said: `[#12 Edit a.ts]`. */
export function labelOf(source: Source, call: ToolCall | undefined): string {
	if (call === undefined) {
		if (source.role === 'assistant') return `[${nameOf(source)}]`;
		return `[${nameOf(source)} ${wordOf(source.toolName ?? source.role)}]`;
	}
	const path = touchesOf(call)[0]?.path;
	const file = path === undefined ? '' : ` ${wordOf(path.slice(path.lastIndexOf('/') + 1))}`;
	return `[${nameOf(source)} ${wordOf(call.name)}${file}]`;
}

/** On one line, without what would close the label. */
function wordOf(name: string): string {
	return name.replace(/[\s\u0085\]]+/g, '_').slice(0, 60);
}
