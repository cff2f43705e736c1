/** Shows all arguments of a call in its line of the narrative, instead of quoting them a second time. */

import { renderCall, renderWholeCall } from '../../analysis/calls/calls.ts';
import { renderCallHead, type Source, splitArguments } from '../../analysis/message/source.ts';
import { cleanText } from '../../analysis/text/clean.ts';
import { quote } from '../../analysis/text/quote.ts';
import type { SummaryEntry } from './entries.ts';
import type { SummaryBudget } from './summaryBudget.ts';

/** A call in the narrative, with its entry. */
export interface NarrativeCall {
	/** The entry in the narrative; its text is replaced if the call is expanded. */
	entry: SummaryEntry;
	/** The line that the entry shows. */
	shortLine: string;
	/** The line with all short arguments. */
	wholeLine: string;
	/** The text that segments of the call are quoted from. */
	quotedText: string;
}

/** Returns the calls of a message that the narrative shows; `ownEntries` are the narrative's entries of the message. */
export function findNarrativeCalls(
	{ calls }: Source,
	ownEntries: readonly SummaryEntry[] = [],
): NarrativeCall[] {
	if (ownEntries.length === 0) return [];
	return calls.flatMap((call): NarrativeCall[] => {
		const shortLine = renderCall(call);
		const entry = ownEntries.find(({ text }) => {
			const rest = text.startsWith(shortLine) ? text.slice(shortLine.length) : undefined;
			return rest === '' || rest?.startsWith(' →') || rest?.startsWith('\n');
		});
		if (!entry) return [];
		// The line that an edit changed stands below the call's line, and would be repeated in it.
		const wholeLine = entry.text.includes('\n') ? shortLine : quote(renderWholeCall(call)).trim();
		const quotedText = cleanText(renderCallHead(call.name, splitArguments(call).short));
		return [{ entry, shortLine, wholeLine, quotedText }];
	});
}

/** Expands a call to its full line and takes the extra tokens. Returns false if the budget is too small. */
export function expandCall(narrativeCall: NarrativeCall, budget: SummaryBudget): boolean {
	const { entry, shortLine, wholeLine } = narrativeCall;
	if (wholeLine === shortLine) return true;
	const text = wholeLine + entry.text.slice(shortLine.length);
	const tokens = budget.count(text) - budget.count(entry.text);
	if (tokens > budget.tokensLeft) return false;
	budget.tokensLeft -= tokens;
	entry.text = text;
	narrativeCall.shortLine = wholeLine;
	return true;
}
