/** Decides which calls failed, by their agent's flag or by how their results begin. */

import type { Source } from './source.ts';
import { workLimits } from '../compact/tuning.ts';

/** Tools whose results are the output of programs: an error in it need not be the call's. */
const shellTool = /bash|shell|terminal|exec|command|console|python/i;
/** How agents begin a result if they did not run the call, or if the tool itself failed. */
const notRun =
	/^[\s[(]*(?:<tool_use_error>|(?:the )?(?:user|human) (?:(?:doesn't|does not|didn't|did not) want to|(?:has )?(?:rejected|denied|declined|refused|cancelled|canceled|interrupted))\b|(?:the )?(?:tool (?:use|call)|command|operation|request|execution)(?: \w+)? ?(?:was|is|has been)? ?(?:rejected|denied|refused|declined|cancelled|canceled|interrupted|aborted)\b|(?:permission|access|request) (?:denied|rejected|refused|blocked) by\b|(?:error: )?request blocked by\b|ユーザーが.{0,20}(?:拒否|却下|中断|キャンセル)|用户.{0,6}(?:拒绝|取消|中断)|(?:vom|von der) (?:be)?nutzer\w* (?:abgelehnt|verweigert|abgebrochen)|error executing tool\b|(?:the )?tool (?:execution|call|use) failed\b|apply_patch verification failed|your (?:proposed )?edit\b.{0,40}\b(?:error|not applied)|error: (?:tool|request|call|command|permission|(?:the )?user)\b)/i;
/** How other tools begin a result that is nothing but an error message. */
const complaint =
	/^[\s[(*]*(?:\w*(?:error|exception|failure)(?: \w{1,20}){0,2}\s*[:：]|error\b|エラー|失敗|fehler\b|failed\b|(?:cannot|can't|could not|couldn't|unable to|not (?:found|allowed|permitted|possible))\b|invalid\b|no such\b|(?:the )?(?:string|old_?\w+|text|file)\b[^.\n]{0,60}\b(?:not found|not unique|does not exist|has not been read|no replacement)|no (?:replacement|changes?) (?:was|were)\b|permission denied\b|[✗✘❌])/i;
const failedJson =
	/^\s*\{\s*(?:"(?:isError|is_error)"\s*:\s*true|"errors?"\s*:\s*(?!null|false|""|\[\s*\]|\{\s*\})|"(?:success|ok)"\s*:\s*false|"status"\s*:\s*"(?:error|fail\w*|denied|refused|rejected)")/i;

/** Whether a result says at its beginning that its call failed or was refused. */
export function saysFailure(text: string, toolName = ''): boolean {
	const start = text.slice(0, workLimits.statusLength);
	if (notRun.test(start)) return true;
	if (shellTool.test(toolName)) return false;
	return failedJson.test(start) || (text.length <= workLimits.statusLength && complaint.test(start));
}

/** Returns the ids of the calls that failed or were refused. */
export function failedCallIds(sources: readonly Source[]): Set<string> {
	const failed = sources.filter((source) => source.failed);
	return new Set(failed.flatMap(({ toolCallId }) => toolCallId ?? []));
}
