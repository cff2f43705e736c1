import type { Fields } from '../../shape.ts';
import { firstNumber } from '../reading/values.ts';

/** A message of the history that Kimi's model sees. */
export interface KimiEntry {
	id: string;
	kind: 'prompt' | 'injection' | 'summary' | 'other';
}

/**
 * What stays beside the summary: the oldest and the newest prompts, as many as the record says; in older
 * records everything behind the compacted messages (`isTail`), which then follows the summary.
 */
export function keptByCompaction(
	history: readonly KimiEntry[],
	record: Fields,
): { entries: KimiEntry[]; isTail: boolean } {
	const keptPrompts = count(record.keptUserMessageCount);
	if (keptPrompts === undefined) {
		const compacted = count(record.compactedCount) ?? history.length;
		return { entries: history.slice(compacted), isTail: true };
	}
	const prompts = history.filter(({ kind }) => kind === 'prompt');
	const head = Math.min(count(record.keptHeadUserMessageCount) ?? 0, keptPrompts);
	const tail = Math.min(keptPrompts - head, prompts.length);
	// A prompt that is cut between both is kept at either end.
	const oldest = prompts.slice(0, Math.min(head, prompts.length - tail));
	return { entries: [...oldest, ...prompts.slice(prompts.length - tail)], isTail: false };
}

/** Where the history is cut when so many prompts are taken back; undefined where there are fewer since a summary. */
export function placeOfUndo(history: readonly KimiEntry[], prompts: number): number | undefined {
	let left = prompts;
	if (left <= 0) return undefined;
	for (let place = history.length - 1; place >= 0; place--) {
		const kind = history[place]?.kind;
		if (kind === 'summary') return undefined;
		if (kind === 'prompt' && --left <= 0) return place;
	}
	return undefined;
}

function count(value: unknown): number | undefined {
	const number = firstNumber(value);
	return number === undefined ? undefined : Math.max(0, Math.floor(number));
}
