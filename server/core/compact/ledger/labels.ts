import type { ToolCall } from '../../../protocol/conversation.ts';
import type { Source } from './source.ts';

/** UTF-16 units of a name in a label. */
const maxLabelNameLength = 60;
/** UTF-16 units of a question in the label of its answer. */
const maxQuestionLength = 48;

/** How the summary names a message: `#12`, by its ordinal; shorter than most ids, and no id that clients give. */
export function nameOf(source: Source): string {
	return `#${source.seq}`;
}

/** ` (undone in #9)`, behind the label of a message whose work was undone; empty for others. */
export function undoneMark(source: Source, undone: ReadonlyMap<Source, Source>): string {
	const back = undone.get(source);
	return back ? ` (undone in ${nameOf(back)})` : '';
}

/** Whose words it is that stand in a message of the user, where no person typed them. */
export const injected = 'injected';

/**
 * What stands before what a message, one of its calls or a call's result said: `[#12 Edit a.ts]`. `path`: of the file that
 * the call touches first, where it touches any.
 */
export function labelOf(source: Source, call: ToolCall | undefined, path: string | undefined): string {
	if (call === undefined) {
		if (source.role === 'assistant') return `[${nameOf(source)}]`;
		if (source.recap) return `[${nameOf(source)} recap]`;
		return `[${nameOf(source)} ${source.injected ? injected : wordOf(source.toolName ?? source.role)}]`;
	}
	const file = path === undefined ? '' : ` ${wordOf(path.slice(path.lastIndexOf('/') + 1))}`;
	const isAnswer = source.rows || (source.role === 'tool' && !isCommand(call));
	const about = file === '' && isAnswer ? (questionOf(call) ?? '') : '';
	return `[${nameOf(source)} ${wordOf(call.name)}${file}${about}]`;
}

/** What stands before what a call or its result said right behind something of the same file: `[#13 Edit]`. */
export function shortLabelOf(source: Source, call: ToolCall): string {
	return `[${nameOf(source)} ${wordOf(call.name)}]`;
}

/** Whether a call runs a command, which its own line tells. */
function isCommand({ args }: ToolCall): boolean {
	return typeof args === 'object' && args !== null && ('command' in args || 'cmd' in args);
}

/** What a call for data asks, where it is short enough for the label of the answer, as ` K7Q2`; undefined where it is not. */
export function questionOf({ args }: ToolCall): string | undefined {
	if (typeof args !== 'object' || args === null) return undefined;
	const values = Object.values(args);
	if (values.some((value) => typeof value === 'object')) return undefined;
	const words = values.map((value) => ` ${wordOf(String(value))}`).join('');
	return words.length <= maxQuestionLength ? words : undefined;
}

/** On one line, without what would close the label. */
function wordOf(name: string): string {
	return name.replace(/[\s\u0085\]]+/g, '_').slice(0, maxLabelNameLength);
}
