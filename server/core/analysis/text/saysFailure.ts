/** Recognizes results that report a failure or a refusal. Some agents do not mark such results. */

import { workLimits } from '../../compact/tuning.ts';

/** Tools that return the output of programs. An error in this output need not be an error of the call. */
const shellToolPattern = /bash|shell|terminal|exec|command|console|python|stdin/i;
/** Start of a result if the agent did not run the call, or if the tool itself failed. */
const notRunPattern =
	/^[\s[(]*(?:<tool_use_error>|(?:the )?(?:user|human) (?:(?:doesn't|does not|didn't|did not) want to|(?:has )?(?:rejected|denied|declined|refused|cancelled|canceled|interrupted))\b|(?:the )?(?:tool (?:use|call)|command|operation|request|execution)(?: \w+)? ?(?:was|is|has been)? ?(?:rejected|denied|refused|declined|cancelled|canceled|interrupted|aborted)\b|(?:permission|access|request) (?:denied|rejected|refused|blocked) by\b|(?:error: )?request blocked by\b|ユーザーが.{0,20}(?:拒否|却下|中断|キャンセル)|用户.{0,6}(?:拒绝|取消|中断)|(?:vom|von der) (?:be)?nutzer\w* (?:abgelehnt|verweigert|abgebrochen)|error executing tool\b|(?:the )?tool (?:execution|call|use) failed\b|apply_patch verification failed|error: failed to find (?:expected lines|context) in |script failed\s{1,9}wall time\b|execution error: |your (?:proposed )?edit\b.{0,40}\b(?:error|not applied)|error: (?:tool|request|call|command|permission|(?:the )?user)\b)/i;
/** Start of a result that is only an error message, for tools that do not run programs. */
const errorMessagePattern =
	/^[\s[(*]*(?:no edit history found\b|file has (?:been (?:unexpectedly )?modified since|not been read)\b|\w*(?:error|exception|failure)(?: \w{1,20}){0,2}\s*[:：]|(?:mcp |api )?error\b|E(?:NOENT|ACCES|EXIST|PERM|ISDIR|NOTDIR)\b|エラー|失敗|fehler\b|failed(?=\s*(?:(?:to|with|because|due|while)\b|[.:!,;(]|$))|(?:cannot|can't|could not|couldn't|unable to|not (?:found|allowed|permitted|possible))\b|invalid\b|no such\b|(?:the )?(?:string|old_?\w+|text|file|path|directory|folder)\b[^.\n]{0,60}\b(?:not found|not unique|does not exist|has not been read|no replacement)|no (?:replacement|changes?) (?:was|were)\b(?! (?:needed|necessary|required))|permission denied\b|[✗✘❌])/i;
const failedJsonPattern =
	/^\s*\{\s*(?:"(?:isError|is_error)"\s*:\s*true|"errors?"\s*:\s*(?!null|false|""|\[\s*\]|\{\s*\})|"(?:success|ok)"\s*:\s*false|"status"\s*:\s*"(?:error|fail\w*|denied|refused|rejected)")/i;

/** Tools that show files. A file may begin with words of a failure. */
const readingToolPattern = /(?:^|[_.:-])(?:read|view|open|fetch)(?![a-z])/i;
/** Several lines, the first of which has no colon. */
const severalLinesPattern = /^[^\n:：]+\n\s*\S/;

/** Tools that change files. The first line of their results reports success or failure. */
const writingToolPattern =
	/^(?!.*(?:^|[_.:-])(?:get|list|fetch|read|show|check|look_?up)(?![a-z]))(?=.*(?:write|(?<!cr)edit|replace|(?<!dis)patch|apply|create|insert|append|update|delete|remove|rename|move|save))/i;
/** A failure in the first line of a writing tool's result, unless a word of success precedes the failure. */
const notWrittenPattern =
	/^(?:(?!\b(?:success\w*|(?:created|updated|wrote|written|edited|replaced|applied|saved|added|inserted|deleted|removed|moved|renamed|opened|sent|booked|submitted)\b))[^\n]){0,200}?(?:\b(?:ran into|errno|E(?:NOENT|ACCES|EXIST|PERM|ISDIR|NOTDIR|ROFS|NOSPC)|traceback \(most recent call|(?<!\b(?:0|the) )failed|failure|cannot|can't|unable to|could(?: not|n't)|(?:does|did)(?: not|n't) (?:exist|match|appear|contain)|(?:was|were|is|are)(?: not|n't) (?:found|unique|applied|written|made|changed|modified|saved|created|allowed|absolute)|not found|no such|no (?:exact |sufficiently similar )?(?:match(?:es)?|replacement|occurrences?|changes?)|multiple (?:matches|occurrences)|already exists?|must (?:first )?(?:be|read)|permission denied|read-only file system|is a directory|rejected|refused|denied|aborted|outside (?:of )?(?:the |your )?(?:allowed|workspace|project|working)|verification failed|invalid)\b)/i;
/** Quoted texts, paths and file names, which a tool repeats from its arguments. */
const quotedNamePattern = /`[^`\n]*`|"[^"\n]*"|(?<!\w)'[^'\n]*'|(?<!\S)\S*(?:[\\/]|\w\.\w)\S*/g;
/** The start of JSON, or of a file that an editing tool shows with line numbers. */
const shownContentPattern = /^(?:[{[]|\d{1,6} ?[:|\t→])/;
/** Text that agents put before the first line: the call, as in `[write_to_file for 'a.ts'] Result:`, and tags. */
const resultFramePattern = /^\s*(?:\[[^\]\n]{1,200}\] Result:\s*)?(?:<[\w-]{1,40}>\s*){0,3}/;
/** The start of a Python program's output that ended with an exception. */
const tracebackPattern = /^\s*Traceback \(most recent call last\)/;

/** Whether the start of a result says that its call failed or was refused. */
export function saysFailure(text: string, toolName = ''): boolean {
	const start = text.slice(0, workLimits.statusLength);
	if (notRunPattern.test(start)) return true;
	if (shellToolPattern.test(toolName)) return /python/i.test(toolName) && tracebackPattern.test(start);
	if (failedJsonPattern.test(start)) return true;
	const name = toolName.replace(/(?<=[a-z])(?=[A-Z])/g, '_');
	if (text.length <= workLimits.statusLength && errorMessagePattern.test(start))
		return !(readingToolPattern.test(name) && severalLinesPattern.test(start));
	const [line = ''] = start.replace(resultFramePattern, '').split('\n');
	if (shownContentPattern.test(line) || !writingToolPattern.test(name)) return false;
	return notWrittenPattern.test(line.replace(quotedNamePattern, '…'));
}
