/** Finds the parts of agents' own summaries that are outdated when the agent has ended a turn after them, and the next step. */

import { getMessageName, type Source } from '../message/source.ts';
import { truncateWithMark } from '../text/quote.ts';
import { isTyped } from '../user/userStatements.ts';

/** Maximum length of a step that is quoted from a summary. UTF-16 units. */
const maxStepLength = 240;

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

/** Title of the part with the next step, and what follows on its line. */
const nextStepTitlePattern =
	/^(?:#{1,4} |\d{1,2}\. )\**(?:(?:optional|immediate|suggested) )?next (?:steps?|actions?)\b[*: (\w)]{0,40}$|^(?:#{1,4} |\d{1,2}\. )\**(?:optional |immediate )?next step\**: (?=\S)/im;

/** A line that names no open step. */
const noStepPattern = /^(?:\[x\]|none\b|n\/a\b|no \w+ )|[:：]$/i;
/** Number of messages after a summary within which its next step counts as open. */
const maxStepAge = 8;

/** Returns the next step in the newest of an agent's own summaries; undefined if the agent has ended a turn since. */
export function findRecapStep(sources: readonly Source[]): string | undefined {
	const index = sources.findLastIndex(({ isRecap }) => isRecap);
	const recap = sources[index];
	const isOver =
		index < sources.length - 1 - maxStepAge ||
		sources.slice(index + 1).some((one) => isTyped(one) || endsTurn(one));
	const title = recap && !isOver ? nextStepTitlePattern.exec(recap.text) : null;
	if (!recap || title === null) return undefined;
	const lines = recap.text.slice(title.index + title[0].length).split('\n');
	const step = lines.map((line) => line.trim().replace(/^[-*•] /, '')).find((line) => line !== '');
	return step === undefined || noStepPattern.test(step)
		? undefined
		: `${truncateWithMark(step, maxStepLength)} (${getMessageName(recap)})`;
}

function endsTurn({ role, calls }: Source): boolean {
	return role === 'assistant' && calls.length === 0;
}
