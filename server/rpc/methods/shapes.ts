/** Shapes that params of several methods share. */

import * as z from 'zod';
import { formatAdapter } from '../../core/format/formats.ts';
import type { FormatName } from '../../protocol/conversation.ts';

export const sessionId = z.string().min(1).max(512);

export const tokens = z.number().int().nonnegative();

/** Any name passes: one that is no format is `UnsupportedFormat`, which knows those that there are. */
export const format = z.string().nullish();

/** The format of that name, the product's own where none is named. Fails with `UnsupportedFormat`. */
export function formatOf(name: string | undefined): FormatName {
	return name === undefined ? 'contextd' : formatAdapter(name).name;
}

/** What a provider answered instead of a message: anything, but not nothing. */
export const providerError = z.custom((value) => value !== undefined, {
	message: 'an error, a text or an object',
});

export const estimator = z.enum(['heuristic', 'exact', 'calibrated']).nullish();

export const modelRequest = z
	.object({
		systemPrompt: z.string().nullish(),
		currentPrompt: z.string().nullish(),
		toolDefinitions: z.array(z.unknown()).nullish(),
		fileAttachments: z.array(z.object({ uri: z.string().nullish(), content: z.string() })).nullish(),
		maxOutputTokens: tokens.nullish(),
	})
	.nullish();

const figure = z.number().nonnegative().max(1e9);

export const usage = z.object({
	input: figure,
	output: figure,
	cacheRead: figure.nullish(),
	cacheWrite: figure.nullish(),
});

export const workDone = { workDoneToken: z.union([z.string(), z.number()]).nullish() };

/** Params that name a session and nothing else. */
export const session = z.object({ sessionId });
