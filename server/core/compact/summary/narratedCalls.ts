/** Calls that the narrative shows in short form, and can show in full. */

import { quote } from '../../analysis/quote.ts';
import { argumentsOf, headOf, type Source } from '../../analysis/source.ts';
import { callLine, wholeCallLine } from '../../analysis/calls.ts';
import { cleanText } from '../../analysis/clean.ts';
import type { Entry } from './entries.ts';
import type { SummaryBudget } from './summaryBudget.ts';

/** A call in the narrative, with its entry. */
export interface NarrativeCall {
	/** Its text is replaced if the call is expanded. */
	entry: Entry;
	/** The line that the entry shows. */
	short: string;
	/** The line with all short arguments. */
	whole: string;
	/** The text from which the call's segments are quoted. */
	read: string;
}

/** Returns the calls of a message that the narrative shows; `entries` are those of the message. */
export function narrativeCallsOf({ calls }: Source, entries: readonly Entry[] = []): NarrativeCall[] {
	return calls.flatMap((call): NarrativeCall[] => {
		const short = callLine(call);
		const entry = entries.find(({ text }) => text === short || text.startsWith(`${short} →`));
		if (!entry) return [];
		const whole = quote(wholeCallLine(call)).trim();
		return [{ entry, short, whole, read: cleanText(headOf(call.name, argumentsOf(call).short)) }];
	});
}

/** Expands a call to its full line if the budget allows, and takes the extra tokens. Returns whether it did. */
export function expandCall(told: NarrativeCall, budget: SummaryBudget): boolean {
	const { entry, short, whole } = told;
	if (whole === short) return true;
	const text = whole + entry.text.slice(short.length);
	const tokens = budget.count(text) - budget.count(entry.text);
	if (tokens > budget.left) return false;
	budget.left -= tokens;
	entry.text = text;
	told.short = whole;
	return true;
}
