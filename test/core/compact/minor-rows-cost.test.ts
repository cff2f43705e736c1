import { expect, it } from 'vitest';
import { collectOutcomes } from '../../../server/core/analysis/calls/outcomes.ts';
import { createAnalysisCache } from '../../../server/core/analysis/message/analyses.ts';
import { createSource } from '../../../server/core/analysis/message/messageSource.ts';
import { rankRows } from '../../../server/core/analysis/records/minorRows.ts';
import { runToEnd } from '../../../server/core/slices.ts';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import { assistant, call, user } from './facts-sources.ts';

/** Writes rows in the format of an agent's result. */
type Format = (rows: readonly object[]) => ChatMessage['content'];

const formats: [name: string, format: Format][] = [
	['JSON', (rows) => JSON.stringify(rows)],
	['JSON in an object', (rows) => JSON.stringify({ total: rows.length, boats: rows })],
	['a content part of MCP', (rows) => [{ type: 'text', text: JSON.stringify(rows, null, 2) }]],
	['a JSON object a line', (rows) => rows.map((row) => JSON.stringify(row)).join('\n')],
];

/** Returns how often the arguments of a call are read while the minor rows of its result are found. */
function countReads(rowCount: number, format: Format): number {
	const rows = Array.from({ length: rowCount }, (_, index) => ({
		boat_id: `boat_${10_000 + index}`,
		berth: `northern berth ${index}`,
	}));
	let reads = 0;
	const args = new Proxy(
		{ harbour: 'Sandholm' },
		{
			ownKeys(target) {
				reads++;
				return Reflect.ownKeys(target);
			},
		},
	);
	const made = call('list_boats', args);
	const row = { seq: 3, id: 'id-3', tool: made.name, answers: made.id };
	const message: ChatMessage = {
		role: 'tool',
		toolCallId: made.id,
		toolName: made.name,
		content: format(rows),
	};
	const sources = [
		user(1, 'Move boat_10001 to berth 4.'),
		assistant(2, 'I list the boats first.', made),
		createSource(row, { ...message, id: row.id }),
		assistant(4, 'boat_10001 lies at the northern berth 1.'),
	];
	const outcomes = runToEnd(collectOutcomes(sources, createAnalysisCache()));
	reads = 0;
	const { minorLines } = runToEnd(rankRows(sources, outcomes));
	expect([...minorLines.values()].map((lines) => lines.size)).toEqual([rowCount - 1]);
	return reads;
}

it.each(formats)(
	'reads the arguments of a call equally often for few and for many rows in %s',
	(_, format) => {
		const reads = countReads(10, format);
		expect(reads).toBeGreaterThan(0);
		expect(countReads(1000, format)).toBe(reads);
	},
);
