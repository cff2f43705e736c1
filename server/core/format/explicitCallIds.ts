import { isFields } from '../shape.ts';
import type { RenderEntry } from './wire/adapter.ts';
import { hashedId } from './wire/callIds.ts';
import { sourceIn } from './wire/grouping.ts';

/** A call that waits for its result, under the id that it came with and the one that it goes out with. */
interface Waiting {
	came: string;
	goes: string;
}

/**
 * The entries with an id of its own for every call that came with an empty one, always the same for the same message.
 * Readers take a result that names no call for that of the first call that waits: where it is of another one, and
 * where that call's id is new, it names it. All else stays as it is.
 */
export function withExplicitCallIds(entries: readonly RenderEntry[]): readonly RenderEntry[] {
	let waiting: Waiting[] = [];
	return entries.map((entry, index) => {
		const { message } = entry;
		const { toolCalls, toolCallId = '' } = message;
		if (toolCalls?.length) {
			if (!entries[index - 1]?.message.toolCalls?.length) waiting = [];
			const calls = toolCalls.map((call, position) =>
				call.id === '' ? { ...call, id: `call_${hashedId(`${message.id}#${position}`, 13)}` } : call,
			);
			waiting.push(...calls.map(({ id }, position) => ({ came: toolCalls[position]?.id ?? '', goes: id })));
			const isSame = calls.every((call, position) => call === toolCalls[position]);
			return isSame ? entry : { ...entry, message: { ...message, toolCalls: calls } };
		}
		if (message.role !== 'tool') return entry;
		const position = waiting.findIndex(({ came }) => came === toolCallId);
		const answered = waiting[position];
		if (!answered) return entry;
		waiting = waiting.filter((one) => one !== answered);
		const raw = sourceIn('contextd', entry)?.raw;
		const isNamed = isFields(raw) && raw.toolCallId;
		if (isNamed || (position === 0 && answered.goes === toolCallId)) return entry;
		return { ...entry, message: { ...message, toolCallId: answered.goes } };
	});
}
