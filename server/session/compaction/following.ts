/** Describes the messages that follow a summary: the rest of a turn, and older messages that stay. */

import type { Source } from '../../core/analysis/message/source.ts';
import { readTypedCommand } from '../../core/analysis/message/typedCommands.ts';
import type { SummaryTask } from '../../core/compact/stage.ts';
import type { Seq } from '../../core/history/record.ts';
import { maxTurnShare } from './tuning.ts';

/** The messages that a summary replaces, and those that stay visible next to it. */
interface SummarizedView {
	sources: readonly Source[];
	visible: readonly Source[];
}

/** Maximum number of older messages, or of rows of neighbouring ones, that a note names. */
const maxNamed = 4;

/**
 * Returns a note for the end of a summary, with its tokens: how much of a turn the summary replaces, and which of the messages
 * below it are older than its newest lines. Empty if there is nothing to say, or if the note would be too long.
 */
export function describeFollowing(
	task: SummaryTask,
	view: SummarizedView,
	countText: (text: string) => number,
): { text: string; tokens: number } {
	const turn = findTurn(task, view);
	const older = nameOlderMessages(task, view, turn);
	const split = describeSplitTurn(task, view, turn);
	const notes =
		split === ''
			? [older && `## Older messages below\n Said before the newest lines of this summary: ${older}.`]
			: [`${split}${older && `, after older messages (${older})`}.`, `${split}.`];
	const text = notes.find((note) => countText(note) + 2 <= task.maxTokens * maxTurnShare) ?? '';
	return { text, tokens: text === '' ? 0 : countText(text) + 2 };
}

/**
 * Returns a summary with a note, or without it if they exceed the budget together. The tokens of a long text are estimated by
 * samples, so that both together may have more tokens than each of them. To fit, a compaction would remove other messages.
 */
export function appendNote(
	summary: string,
	note: string,
	budgetTokens: number,
	countText: (text: string) => number,
): string {
	if (summary === '' || note === '') return summary;
	const whole = `${summary}\n\n${note}`;
	return countText(whole) <= budgetTokens ? whole : summary;
}

/**
 * Returns the message that began the turn in which the summary ends, which may be a command of the user; undefined if it ends
 * between two turns.
 */
function findTurn({ turnPrefix, rows }: SummaryTask, { sources, visible }: SummarizedView): Seq | undefined {
	const last = rows.at(-1)?.seq ?? 0;
	if (turnPrefix === undefined) return undefined;
	let turn = turnPrefix;
	for (const { seq, role, text } of [...sources, ...visible])
		if (seq > turn && seq <= last + 1 && role === 'user' && readTypedCommand(text) !== undefined) turn = seq;
	return turn > last ? undefined : turn;
}

/** Returns how much the summary replaces of the turn in which it ends; empty if it ends between two turns. */
function describeSplitTurn({ rows }: SummaryTask, view: SummarizedView, turn: Seq | undefined): string {
	const last = rows.at(-1)?.seq;
	if (turn === undefined || last === undefined) return '';
	const all = [...view.sources, ...view.visible];
	const hidden = all.filter(({ seq }) => seq > turn && seq <= last);
	if (hidden.length === 0) return '';
	const calls = hidden.reduce((sum, source) => sum + source.calls.length, 0);
	const first =
		hidden.length === 1
			? 'Its first message is'
			: `Its first ${hidden.length} messages (${calls} tool calls) are`;
	return `## Turn of #${turn}\n ${first} part of this summary; the rest follows`;
}

/** Returns the names of the messages that stay between summarized ones: `#8, #12–#15`; empty if there are none. */
function nameOlderMessages(
	{ rows }: SummaryTask,
	{ visible }: SummarizedView,
	turn: Seq | undefined,
): string {
	const [first, last] = [rows[0]?.seq ?? 0, rows.at(-1)?.seq ?? 0];
	const groups: { from: number; to: number }[] = [];
	for (const { seq } of visible) {
		if (seq < first || seq >= last || seq === turn) continue;
		const group = groups.at(-1);
		if (group?.to === seq - 1) group.to = seq;
		else groups.push({ from: seq, to: seq });
	}
	const names = groups.map(({ from, to }) => (from === to ? `#${from}` : `#${from}–#${to}`));
	return names.length > maxNamed ? `${names.slice(0, maxNamed).join(', ')}, …` : names.join(', ');
}
