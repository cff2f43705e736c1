/** The full history with what is hidden, tagged. */

import { formatAdapter } from '../core/format/formats.ts';
import { taggedRows } from '../core/history/tags.ts';
import { resolve } from './bodies.ts';
import type { Session } from './session.ts';
import { damageWarning } from './standIn.ts';

/** Every message of a session, in the neutral format, and what is to be told of them. */
export async function fullHistory(session: Session): Promise<{ messages: unknown[]; warnings: string[] }> {
	const tagged = taggedRows(session.state);
	const found = await resolve(
		session,
		tagged.map(({ row }) => row),
	);
	const { messages } = formatAdapter('contextd').render(
		found.map(({ message, source }, index) => {
			const { row, hidden: _, cutBy, ...tags } = tagged[index] ?? { row: undefined };
			const metadata = cutBy === undefined ? message.metadata : { ...message.metadata, cutBy };
			const shown = { ...message, ...tags, ...(metadata && { metadata }) };
			const isOriginal = row?.made === undefined;
			return isOriginal && cutBy === undefined && source
				? { message: shown, source, touched: false }
				: { message: shown, touched: !isOriginal };
		}),
		{ assignedIds: 'shown' },
	);
	const damaged = tagged.filter((_, index) => found[index]?.source === undefined);
	return { messages, warnings: damaged.map(({ row }) => damageWarning(row)) };
}
