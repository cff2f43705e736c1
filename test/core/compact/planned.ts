/** Inputs of plans as plain values: rows without a session, and texts that consist only of their length. */

import { resolvePolicy } from '../../../server/core/compact/policy.ts';
import type { PlanInput } from '../../../server/core/compact/stage.ts';
import { computeProtection } from '../../../server/core/history/protection.ts';
import type { StoredRow } from '../../../server/core/history/record.ts';
import type { Row } from '../../../server/core/history/row.ts';
import type { State } from '../../../server/core/history/state.ts';
import { defaultSettings } from '../../../server/core/settings/schema.ts';
import type { CompactionConfig } from '../../../server/protocol/compact.ts';
import type { ChatMessage, IdentifiedMessage } from '../../../server/protocol/conversation.ts';
import { callRow, resultRow, row } from '../../support/rows.ts';

const unitsPerToken = 4;

/** Returns the members that give a row this number of raw tokens. */
export function sized(tokens: number): Partial<StoredRow> {
	return { counts: { text: tokens, calls: 0, images: 0 }, chars: tokens * unitsPerToken };
}

/** Returns a prompt, a call, its result with `resultTokens` tokens, and an answer. Their ids begin with `name`. */
export function exchange(name: string, resultTokens: number, more: Partial<StoredRow> = {}): StoredRow[] {
	return [
		row(`${name}-asked`),
		callRow(`${name}-call`, [name]),
		resultRow(`${name}-result`, name, { ...sized(resultTokens), ...more }),
		row(`${name}-answer`, { role: 'assistant' }),
	];
}

function messageOf({ id, role, chars, answers }: Row): IdentifiedMessage {
	const content = `${'x'.repeat(39)}\n`.repeat(Math.ceil(chars / 40)).slice(0, chars);
	return { id, role, content, ...(answers !== undefined && { toolCallId: answers }) };
}

const tokensIn = ({ content }: Pick<ChatMessage, 'content'>): number =>
	Math.ceil((typeof content === 'string' ? content : JSON.stringify(content)).length / unitsPerToken);

interface Wish extends Partial<PlanInput> {
	target: number;
	config?: CompactionConfig;
	cutUserMessages?: 'never' | 'when nothing else is left';
}

/** Returns the input of a compaction to a target. Its summary uses a tenth of the summary's budget. */
export function planInput(
	state: State,
	{ config = {}, cutUserMessages = 'never', ...more }: Wish,
): PlanInput {
	return {
		view: state.view,
		rows: state.rows,
		meter: state.meter,
		protection: computeProtection(state, { cutUserMessages }),
		policy: resolvePolicy({ settings: defaultSettings, config, contextWindow: 200_000, cutUserMessages }),
		listHidden: () => [],
		ids: { summary: 'summary', marker: 'marker' },
		effects: {
			pause: async () => undefined,
			read: async (rows) => rows.map(messageOf),
			countText: (text) => tokensIn({ content: text }),
			countMessage: (message) => ({ text: tokensIn(message), calls: 0, images: 0 }),
		},
		prepareResults: async () => new Set(),
		bestLines: (_, { content }, tokens) => String(content).slice(0, tokens * unitsPerToken),
		summarize: async ({ maxTokens }) => ({
			text: 's'.repeat(Math.floor(maxTokens / 10) * unitsPerToken),
		}),
		...more,
	};
}
