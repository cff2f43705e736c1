/** Finds what happened to the files of a session after a call, such as a check. */

import type { ToolCall } from '../../../protocol/conversation.ts';
import { type FileAccess, findTouches, listEditedPaths } from '../../files/findTouches.ts';
import { isAgentNote } from '../../files/paths.ts';
import { affectsFiles } from '../../files/touches/shell/fileChanges.ts';
import { delegatesWork } from '../calls/delegation.ts';
import type { CallOutcome } from '../message/callOutcome.ts';
import { isProgramReport } from '../message/programReports.ts';
import type { Source } from '../message/source.ts';
import { findShellCommand, fixesFiles, isCheckCall, isReadOnly } from '../shell/commands.ts';
import type { CallAnalyses, FileCall } from './fileCalls.ts';
import { outputFilePattern } from './filesTouched.ts';

/** Commands that change files without naming them: updates of git and of packages, programs that rewrite or generate code. */
const updatePattern =
	/\bgit (?:-C \S{1,200} )?(?:pull|merge|rebase|cherry-pick|apply|am|(?:checkout|switch)(?! -[bBcC]\b))\b|\b(?:npm|pnpm|yarn|bun) (?:i|install|add|update|upgrade|up|remove|uninstall|ci)\b|\b(?:cargo|go|poetry|uv) (?:add|update|get|sync|remove)\b|\bpatch -|\bjscodeshift\b|\bmakemigrations\b|\balembic revision\b|\b(?:ng|nest|rails) (?:g|generate)\b|\bartisan make:|\b(?:npx|bunx|pnpm dlx) [^\s;|&]{1,80} (?:add|init|generate|codegen)\b|\b(?:npm|pnpm|yarn|bun) (?:run )?(?:codegen|generate)\b/;
/** Names of tools that change files, also if it is not known which. */
const editingToolPattern =
	/edit|replace|rename|refactor|insert|patch|(?:create|write|delete|move)_?(?:text_?)?file|execute_(?:code|command|ipython|python|script)|(?<!browser_)run_(?:code|python)|python|notebook/i;
const upToDatePattern = /\bup[- ]to[- ]date\b/i;

/** What happened to files after a call: nothing, perhaps fixes by formatters and linters, perhaps changes by other agents, or changes. */
export type LaterEvents = '' | 'runs of fixers' | 'work of other agents' | 'changes';

/** Returns what happened to files after a call of these messages. Changes of output files and notes do not count. O(messages). */
export function findLaterEvents(
	{ call, caller }: CallOutcome,
	sources: readonly Source[],
	{ outcomes: { byCall }, undone, fileCalls }: CallAnalyses,
): LaterEvents {
	const isLater = (other: ToolCall, { seq, calls }: Source): boolean =>
		seq > caller.seq || (seq === caller.seq && calls.indexOf(other) > calls.indexOf(call));
	const isChange = (one: FileCall): boolean => isLater(one.call, one.caller) && changesWork(one.access);
	const isUndoing = (one: Source): boolean => one.seq > caller.seq && !isProgramReport(one);
	if (fileCalls.some(isChange) || [...undone.values()].some(isUndoing)) return 'changes';
	const isUpdate = (one: ToolCall): boolean => {
		const outcome = byCall.get(one);
		return outcome !== undefined && !outcome.failed && !outcome.isCheck && updatesFiles(outcome);
	};
	const laterSources = sources.filter(({ seq }) => seq >= caller.seq);
	const hasLater = (isWanted: (one: ToolCall) => boolean): boolean =>
		laterSources.some((source) => source.calls.some((one) => isLater(one, source) && isWanted(one)));
	if (hasLater(isUpdate)) return 'changes';
	if (hasLater((one) => delegatesWork(one) && !byCall.get(one)?.failed)) return 'work of other agents';
	const isFixer = (one: ToolCall): boolean => !byCall.get(one)?.wasStopped && fixesFiles(one);
	return hasLater(isFixer) ? 'runs of fixers' : '';
}

/** Whether a call changed other files than output files and the agent's own notes, except by a commit. */
function changesWork(access: FileAccess): boolean {
	return (
		access.changes.some((change) => affectsFiles(change) && change.type !== 'rewritten') ||
		[...listEditedPaths(access), ...access.removedPaths].some(
			(path) => !outputFilePattern.test(path) && !isAgentNote(path),
		)
	);
}

/** Whether a call may change files: a command that is neither a check nor known only to read, or a tool with such a name. */
export function mayChangeFiles(call: ToolCall): boolean {
	if (findShellCommand(call) === undefined) return editingToolPattern.test(call.name);
	return !isReadOnly(call) && !isCheckCall(call);
}

/** Whether a call updated files that it does not name. */
function updatesFiles({ call, result }: CallOutcome): boolean {
	const command = findShellCommand(call);
	if (command === undefined) return editingToolPattern.test(call.name) && findTouches(call).length === 0;
	return updatePattern.test(command) && !upToDatePattern.test(result.text);
}
