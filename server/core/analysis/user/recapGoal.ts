/** Finds the goal of a session in the summary with which an agent replaced the messages that stated the goal. */

import type { Source } from '../message/source.ts';
import type { UserRequest } from './requests.ts';
import { isTyped } from './userStatements.ts';

/** Maximum length of a summary before the goal. UTF-16 units. */
const maxTitlePosition = 3000;
/** Title of the part that states the goal, and the rest of its line: `## Goal`, `1. Primary Request and Intent:`. */
const goalTitlePattern =
	/^[ \t]{0,8}(?:#{1,6} |\*\*|<|\d\. |[-*] ){0,3}(?:(?:overall|primary|main|original|user(?:'s)?)[ _]){0,2}(?:goal|objective|request|task|目标|任务|目的|目標)s?(?: and intent)?[*: >：]{0,6}(?:\n|[:：>]|\*\*)([^\n]*)/imu;

/** Length of a summary's start in which a sentence states the goal. Later sentences may be about details. UTF-16 units. */
const maxWishPosition = 600;
/** A sentence that states the goal if no title does. */
const wishPattern =
	/^[ \t]{0,8}(?:[-*•] )?(?:The )?user (?:wants|wanted|asked|asks|requested|would like|is asking) [^\n]{10,}/im;

/** Whether the first messages of a session are missing: it begins with the result of a call. */
function isCutOff(sources: readonly Source[]): boolean {
	return sources.find(({ role }) => role !== 'system')?.role === 'tool';
}

/**
 * Returns the goal as the summary at the session's start states it; undefined if the user typed a message before, unless the
 * session begins in the middle of the work.
 */
export function findRecapGoal(sources: readonly Source[]): UserRequest | undefined {
	const isCut = isCutOff(sources);
	const source = sources.find((one) => one.isRecap || (!isCut && isTyped(one)));
	if (!source?.isRecap) return undefined;
	const beginning = source.text.slice(0, maxTitlePosition);
	const title = goalTitlePattern.exec(beginning);
	if (title === null) {
		const [wish] = wishPattern.exec(beginning.slice(0, maxWishPosition)) ?? [];
		return wish === undefined ? undefined : { source, text: wish.trim().replace(/^[-*•]\s+/, '') };
	}
	const [line = ''] = source.text
		.slice(title.index + title[0].length - (title[1]?.length ?? 0))
		.split('\n')
		.map((one) => one.trim())
		.filter((one) => /\p{L}/u.test(one));
	return line === '' ? undefined : { source, text: line.replace(/^[-*•]\s+/, '') };
}
