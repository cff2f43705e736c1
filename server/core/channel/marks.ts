/**
 * The files that mark the sessions a channel has answered: the path of its socket, the id of the daemon's process, and
 * the newest figures as JSON, a line each.
 */

import type { ContextState, ContextStats } from '../../protocol/stats.ts';
import { isFields, parsedJson } from '../shape.ts';

/** Folder of secrets and marks in a state folder. */
export const channelFolderName = 'channel';
/** How the name of a mark ends. */
export const markSuffix = '.answered';
/** UTF-16 units of a session's id in the name of its mark. */
const maxNameLength = 200;

/** Returns the name of a session's mark, such as `claude-5f3a.answered`; undefined for an id that is no agent's. */
export function markName(session: string): string | undefined {
	const name = session.replace(':', '-');
	const isName = name.length <= maxNameLength && /^[a-z]+-[\w-]+$/i.test(name);
	return isName ? `${name}${markSuffix}` : undefined;
}

/** How full a session is, for a status line: the figures of the daemon that answers its plugin. Tokens. */
export interface MarkedFigures {
	tokens: number;
	/** What `tokens` is a share of. */
	limit: number;
	window: number;
	state: ContextState;
}

/** Returns the text of a mark; without figures before there are any. */
export function markText(socket: string, pid: number, stats: ContextStats | undefined): string {
	if (stats === undefined) return `${socket}\n${pid}\n`;
	const { estimatedInputTokens: tokens, availableInputTokens: limit, contextWindow: window, state } = stats;
	return `${socket}\n${pid}\n${JSON.stringify({ tokens, limit, window, state } satisfies MarkedFigures)}\n`;
}

/** What a mark says; its members are absent where it makes no sense. */
export function readMark(text: string): { socket?: string; pid?: number; figures?: MarkedFigures } {
	const [socket = '', pid = '', figures = ''] = text.split('\n');
	const value: unknown = parsedJson(figures)?.value;
	const isSound = isFields(value) && typeof value.tokens === 'number' && typeof value.limit === 'number';
	return {
		...(socket !== '' && { socket }),
		...(/^[1-9]\d*$/.test(pid) && { pid: Number(pid) }),
		...(isSound && { figures: value as unknown as MarkedFigures }),
	};
}
