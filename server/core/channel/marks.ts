/**
 * Mark files: one for each session whose plugin the daemon has answered on the channel. A mark has three
 * lines: the path of the channel's socket, the id of the daemon's process, and the newest usage as JSON.
 */

import type { ContextState, ContextStats } from '../../protocol/stats.ts';
import { isFields, tryParseJson } from '../shape.ts';

/** Name of the folder for secrets and marks in a state folder. */
export const channelFolderName = 'channel';
export const markSuffix = '.answered';
/** Maximum length of a session's id in the name of its mark, in UTF-16 units. */
const maxNameLength = 200;

/** Returns the name of a session's mark, `claude-5f3a.answered` for `claude:5f3a`; undefined if the id has another form. */
export function nameMarkFile(session: string): string | undefined {
	const name = session.replace(':', '-');
	const isName = name.length <= maxNameLength && /^[a-z]+-[\w-]+$/i.test(name);
	return isName ? `${name}${markSuffix}` : undefined;
}

/** Usage of a session that its mark stores for a status line. Tokens. */
export interface MarkUsage {
	tokens: number;
	/** Maximum tokens of a request, of which `tokens` are used. */
	limit: number;
	window: number;
	state: ContextState;
}

/** Formats a mark, without usage if there are no stats yet. */
export function formatMark(socket: string, pid: number, stats: ContextStats | undefined): string {
	if (stats === undefined) return `${socket}\n${pid}\n`;
	const { estimatedInputTokens: tokens, availableInputTokens: limit, contextWindow: window, state } = stats;
	return `${socket}\n${pid}\n${JSON.stringify({ tokens, limit, window, state } satisfies MarkUsage)}\n`;
}

/** Parses a mark; invalid parts are absent. */
export function parseMark(text: string): { socket?: string; pid?: number; usage?: MarkUsage } {
	const [socket = '', pid = '', usage = ''] = text.split('\n');
	const value: unknown = tryParseJson(usage)?.value;
	const isValid = isFields(value) && typeof value.tokens === 'number' && typeof value.limit === 'number';
	return {
		...(socket !== '' && { socket }),
		...(/^[1-9]\d*$/.test(pid) && { pid: Number(pid) }),
		...(isValid && { usage: value as unknown as MarkUsage }),
	};
}
