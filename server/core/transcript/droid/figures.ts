/** What Droid's settings of a session tell of its calls. All figures are tokens. */

import type { Usage } from '../../../protocol/conversation.ts';
import type { Fields } from '../../shape.ts';
import { usageWithoutCache } from '../reading/usage.ts';
import { fieldsOf, firstNumber } from '../reading/values.ts';

/** What is known of the messages when the settings change. */
export interface DroidAnswers {
	/** Whether there is one answer alone. */
	isFirst: boolean;
	/** Characters of the last answer but one, and of what came between that and the last one. */
	grown: number;
}

/** Characters that a token stands for at least, and usually. */
const perToken = { least: 2, usually: 4 };

/**
 * The figures of the newest call. Droid writes what that call read from the cache and what was new without it; what it
 * wrote to the cache stands in the sum over all calls alone. As each token is written once while the cache lives, the
 * sum is what was read and written last; where it is more than the newest messages can be, the cache was written anew.
 * @param before the settings as they were
 */
export function newestUsage(settings: Fields, before: Fields, answers: DroidAnswers): Usage | undefined {
	const { inputTokens, outputTokens, cacheReadTokens } = fieldsOf(settings.lastCallTokenUsage);
	const input = firstNumber(inputTokens);
	if (input === undefined) return undefined;
	const read = firstNumber(cacheReadTokens) ?? 0;
	return usageWithoutCache(
		input,
		outputTokens ?? 0,
		read,
		written(settings, before, { ...answers, input, read }),
	);
}

function written(
	settings: Fields,
	before: Fields,
	{ isFirst, grown, input, read }: DroidAnswers & { input: number; read: number },
): number {
	const sum = fieldsOf(settings.tokenUsage);
	const all = firstNumber(sum.cacheCreationTokens) ?? 0;
	const earlier = fieldsOf(before.tokenUsage);
	const isOneCall =
		isFirst ||
		(firstNumber(earlier.inputTokens) !== undefined &&
			(firstNumber(sum.inputTokens) ?? 0) - (firstNumber(earlier.inputTokens) ?? 0) === input &&
			(firstNumber(sum.cacheReadTokens) ?? 0) - (firstNumber(earlier.cacheReadTokens) ?? 0) === read);
	if (isOneCall) return all - (isFirst ? 0 : (firstNumber(earlier.cacheCreationTokens) ?? 0));
	if (all === 0) return 0;
	const left = all - read;
	if (left >= 0 && left <= grown / perToken.least) return left;
	return Math.round(grown / perToken.usually);
}
