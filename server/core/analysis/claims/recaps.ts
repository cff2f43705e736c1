/** Finds the parts of agents' own summaries that are outdated when the agent has ended a turn after them. */

/** Title of a part on current work or next steps, numbered or as a heading: `8. Current Work:`, `## Next Steps`. */
const passingTitlePattern =
	/^(?:#{1,4} |\d{1,2}\. )\**(?:(?:optional |immediate |current )?(?:next steps?|pending tasks?|remaining (?:tasks?|work))|current (?:work|state|status|issue|error|task)|in progress)\b/i;
/** A line about the state at the time of the summary: `- **Current error**: …`, `Current state: …`. */
const passingLinePattern =
	/^\s{0,8}(?:(?:[-*]|\d{1,2}\.) \*\*(?:current|in progress|still)\b|(?:the )?current (?:state|status|issue|error|todos)\b)|\bwas in the middle of\b/i;
const titlePattern = /^(?:#{1,4} |\d{1,2}\. )\S/;

/** A part of a text, by its positions in UTF-16 units. */
export interface PassingPart {
	from: number;
	to: number;
}

/** Returns the parts of an agent's own summary that only hold at its time: current work, pending tasks, next steps. */
export function findPassingParts(recap: string): PassingPart[] {
	const parts: PassingPart[] = [];
	let isPassing = false;
	let from = 0;
	for (const line of recap.split('\n')) {
		const to = from + line.length + 1;
		if (titlePattern.test(line)) isPassing = passingTitlePattern.test(line);
		if (isPassing || passingLinePattern.test(line)) {
			const last = parts.at(-1);
			if (last?.to === from) last.to = to;
			else parts.push({ from, to });
		}
		from = to;
	}
	return parts;
}
