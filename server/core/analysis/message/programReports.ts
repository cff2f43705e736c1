/** Reads the messages in which an agent's program reports edits and commits, as Aider does: it has no tool calls. */

import type { Source } from './source.ts';

const appliedPattern = /^Applied edit to (.{1,300})$/gm;
/** The start of an edit in an answer. */
const blockStart = '<<<<<<< SEARCH';
/** The report that not all edits could be applied. */
const refusedPattern = /SEARCH\/REPLACE blocks? failed to match|^The LLM did not conform to the edit format/m;
/** The report that other edits of a refused answer were applied. */
const partlyAppliedPattern = /\bother \d{1,4} SEARCH\/REPLACE blocks? (?:was|were) applied/;
/** The reply of SWE-agent and mini-SWE-agent to an answer without exactly one command: none of its commands ran. */
const rejectedPattern =
	/^\s{0,9}(?:Please always provide EXACTLY ONE action|Your output was not formatted correctly)/;
const commitPattern = /^[ \t>]{0,8}Commit ([0-9a-f]{7,40})\b/gm;
/** The report that an `/undo` removed a commit. Older versions use the second wording. */
const removedCommitPattern = /^[ \t>]{0,8}(?:Removed: |The above commit )([0-9a-f]{7,40})\b/gm;
/** The report of the newest commit after an `/undo`. */
const currentCommitPattern = /^[ \t>]{0,8}Now at: {1,4}([0-9a-f]{7,40})\b/gm;
/** Length of a hash as git abbreviates it in small repositories. */
export const abbreviatedHashLength = 7;

/** Whether an agent's program may have written a message. */
export function isProgramReport({ role, isInjected }: Source): boolean {
	return role === 'system' || (role === 'user' && isInjected === true);
}

/** Returns the files that a message reports as edited; none if an edit was refused, or if the program did not write it. */
export function listAppliedFiles(source: Source): string[] {
	if (!isProgramReport(source) || refusedPattern.test(source.text)) return [];
	return [...source.text.matchAll(appliedPattern)].map(([, path = '']) => path.trim());
}

/**
 * Returns the answers with commands that the agent's program did not run, or edits that it did not apply, each with the report
 * after it: Aider asks first whether a file may be added to the chat, and then has the model answer again. None with edits if
 * no message reports an applied edit.
 */
export function findUnappliedAnswers(sources: readonly Source[]): Map<Source, Source> {
	const unapplied = new Map<Source, Source>();
	const rejected = new Map<Source, Source>();
	let [answer, hasApplied]: [Source | undefined, boolean] = [undefined, false];
	for (const [index, source] of sources.entries()) {
		const before = sources[index - 1];
		const hasBlock = before?.role === 'assistant' && before.text.includes('```');
		if (hasBlock && isProgramReport(source) && rejectedPattern.test(source.text))
			rejected.set(before, source);
		if (source.role === 'assistant') answer = source.text.includes(blockStart) ? source : undefined;
		else if (answer && isProgramReport(source)) {
			const isApplied = listAppliedFiles(source).length > 0;
			hasApplied ||= isApplied;
			if (isApplied || partlyAppliedPattern.test(source.text)) {
				unapplied.delete(answer);
				answer = undefined;
			} else if (!unapplied.has(answer)) unapplied.set(answer, source);
		} else answer = undefined;
	}
	return hasApplied ? unapplied : rejected;
}

/** Returns the newest commit that a message reports, abbreviated. */
export function findReportedCommit(source: Source): string | undefined {
	return listHashes(source, commitPattern, 'Commit ').at(-1);
}

/** Returns the commit that a message reports as removed, abbreviated. */
export function findRemovedCommit(source: Source): string | undefined {
	return listHashes(source, removedCommitPattern).at(-1);
}

/** Returns the commit that a message reports as the newest one after an `/undo`, abbreviated. */
export function findCurrentCommit(source: Source): string | undefined {
	return listHashes(source, currentCommitPattern, 'Now at: ').at(-1);
}

/** Returns the hashes in a report; none for results of tools and summaries. First searches for `word`. */
function listHashes({ role, isRecap, text }: Source, pattern: RegExp, word = ''): string[] {
	if (role === 'tool' || isRecap || !text.includes(word)) return [];
	return [...text.matchAll(pattern)].map(([, hash = '']) => hash.slice(0, abbreviatedHashLength));
}
