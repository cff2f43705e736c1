/** Finds the results that show an issue which a request names: the issue says what to do. */

import { type AnalysisCache, getFirstFileTouch } from '../message/analyses.ts';
import type { Outcomes } from '../message/callOutcome.ts';
import type { Source } from '../message/source.ts';
import { findShellCommand, isMutating } from '../shell/commands.ts';

/** The number of an issue, in a link or after a word: `issues/143`, `issue #143`, `ABC-143`. */
const issuePattern =
	/\b(?:issues?|tickets?|browse)\/((?:[A-Z][A-Z\d]{1,9}-)?\d{1,7})\b|\b(?:issue|ticket) #?(\d{1,7})\b|(?<![\w-])([A-Z]{2,10}-\d{1,6})\b/gi;
/** Words in a command, or in the name of a tool, that shows an issue. */
const issueWordPattern = /issue|ticket|jira|linear/i;

/** Returns the results after requests that show an issue which the request names. */
export function findNamedIssues(
	requests: readonly ({ source: Source; text: string } | undefined)[],
	sources: readonly Source[],
	analyses: { outcomes: Outcomes; cache: AnalysisCache },
): Source[] {
	return requests.flatMap((one) => (one ? findIssuesOf(one, sources, analyses) : []));
}

function findIssuesOf(
	{ source: request, text }: { source: Source; text: string },
	sources: readonly Source[],
	{ outcomes, cache }: { outcomes: Outcomes; cache: AnalysisCache },
): Source[] {
	const issues = new Set(
		Array.from(text.matchAll(issuePattern), ([, linked, numbered, key]) => linked ?? numbered ?? key ?? ''),
	);
	if (issues.size === 0) return [];
	return sources.filter((source) => {
		const outcome = source.seq > request.seq ? outcomes.byResult.get(source) : undefined;
		if (!outcome || outcome.failed || isMutating(outcome.call)) return false;
		if (getFirstFileTouch(cache, outcome.call)) return false;
		const command = findShellCommand(outcome.call);
		if (!issueWordPattern.test(command ?? outcome.call.name)) return false;
		const asked = command ?? JSON.stringify(outcome.call.args);
		return asked.split(/[^\w-]+/).some((word) => issues.has(word));
	});
}
