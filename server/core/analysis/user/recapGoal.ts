/** Finds the goal of a session in the summary with which an agent replaced the messages that stated the goal. */

import type { Source } from '../message/source.ts';
import type { UserRequest } from './requests.ts';
import { isTyped } from './userStatements.ts';

/** Maximum length of a summary before the goal. UTF-16 units. */
const maxTitlePosition = 3000;
/** Title of the part that states the goal, and the rest of its line: `## Goal`, `1. Primary Request and Intent:`. */
const goalTitlePattern =
	/^[ \t]{0,8}(?:#{1,6} |\*\*|<|\d\. |[-*] ){0,3}(?:(?:overall|primary|main|original|user(?:'s)?)[ _]){0,2}(?:goal|objective|request|task|目标|任务|目的|目標)s?(?: and intent)?[*: >：]{0,6}(?:\n|[:：>]|\*\*)([^\n]*)/imu;

/** Returns the goal as the summary at the session's start states it; undefined if the user typed a message before. */
export function findRecapGoal(sources: readonly Source[]): UserRequest | undefined {
	const source = sources.find((one) => one.isRecap || isTyped(one));
	if (!source?.isRecap) return undefined;
	const title = goalTitlePattern.exec(source.text.slice(0, maxTitlePosition));
	if (title === null) return undefined;
	const [line = ''] = source.text
		.slice(title.index + title[0].length - (title[1]?.length ?? 0))
		.split('\n')
		.map((one) => one.trim())
		.filter((one) => /\p{L}/u.test(one));
	return line === '' ? undefined : { source, text: line.replace(/^[-*•]\s+/, '') };
}
