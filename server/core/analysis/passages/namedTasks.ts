/** Finds the results that show an issue or a file in which a request says what to do. */

import { mayBeSamePath } from '../../files/paths.ts';
import { type AnalysisCache, getFirstFileTouch } from '../message/analyses.ts';
import type { CallOutcome, Outcomes } from '../message/callOutcome.ts';
import type { Source } from '../message/source.ts';
import { findShellCommand, isMutating } from '../shell/commands.ts';
import { cleanText } from '../text/clean.ts';
import { soundsLikeRule } from '../text/ruleWords.ts';

/** The number of an issue, in a link or after a word: `issues/143`, `issue #143`, `ABC-143`. */
const issuePattern =
	/\b(?:issues?|tickets?|browse)\/((?:[A-Z][A-Z\d]{1,9}-)?\d{1,7})\b|\b(?:issue|ticket) #?(\d{1,7})\b|(?<![\w-])([A-Z]{2,10}-\d{1,6})\b/gi;
/** Words in a command, or in the name of a tool, that shows an issue. */
const issueWordPattern = /issue|ticket|jira|linear/i;
/** The path of a text after the words that make it the task: `implement what docs/plan.md says`. */
const taskFilePattern =
	/(?:\b(?:solve|implement|follow|execute|carry out|complete|work (?:on|through)|(?:task|instructions?|assignment|specification|spec|brief) (?:is|are)?|described in|according to|befolge|gemäß|laut)\b|按照?|根据|实现|执行|完成)[^\n.。]{0,60}?((?:[\w.@~-]{1,60}\/){0,12}[\w@-]{1,60}\.(?:md|txt|rst))\b/gi;

/** A request, as far as it may name a task. */
interface NamingRequest {
	source: Source;
	text: string;
}

/** Returns the results after requests that show an issue or a file which the request names as its task. */
export function findNamedTasks(
	requests: readonly (NamingRequest | undefined)[],
	sources: readonly Source[],
	analyses: { outcomes: Outcomes; cache: AnalysisCache },
): Source[] {
	return requests.flatMap((one) => (one ? findTasksOf(one, sources, analyses) : []));
}

/** Returns the trimmed lines of tasks that state a rule, such as "the answer must be a single line". */
export function listDemands(tasks: readonly Source[]): Map<Source, ReadonlySet<string>> {
	return new Map(
		tasks.map((task) => {
			const lines = cleanText(task.text).split('\n');
			return [task, new Set(lines.filter(soundsLikeRule).map((line) => line.trim()))];
		}),
	);
}

function findTasksOf(
	{ source: request, text }: NamingRequest,
	sources: readonly Source[],
	{ outcomes, cache }: { outcomes: Outcomes; cache: AnalysisCache },
): Source[] {
	const issues = new Set(
		Array.from(text.matchAll(issuePattern), ([, linked, numbered, key]) => linked ?? numbered ?? key ?? ''),
	);
	const files = Array.from(text.matchAll(taskFilePattern), ([, path = '']) => path);
	if (issues.size + files.length === 0) return [];
	return sources.filter((source) => {
		const outcome = source.seq > request.seq ? outcomes.byResult.get(source) : undefined;
		if (!outcome || outcome.failed || isMutating(outcome.call)) return false;
		const touch = getFirstFileTouch(cache, outcome.call);
		return touch
			? touch.kind === 'read' && files.some((path) => mayBeSamePath(path, touch.path))
			: showsIssue(outcome, issues);
	});
}

function showsIssue({ call }: CallOutcome, issues: ReadonlySet<string>): boolean {
	const command = findShellCommand(call);
	if (!issueWordPattern.test(command ?? call.name)) return false;
	const asked = command ?? JSON.stringify(call.args);
	return asked.split(/[^\w-]+/).some((word) => issues.has(word));
}
