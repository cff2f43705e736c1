/** Shapes that params of several methods share. */

import { z } from 'zod';
import { formatNames } from '../../core/format/formats.ts';

export const sessionId = z.string().min(1).max(512);

export const tokens = z.number().int().nonnegative();

export const format = z.enum(formatNames as [string, ...string[]]).nullish();

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

export const usage = z.object({
	input: z.number().nonnegative(),
	output: z.number().nonnegative(),
	cacheRead: z.number().nonnegative().nullish(),
	cacheWrite: z.number().nonnegative().nullish(),
});

export const workDone = { workDoneToken: z.union([z.string(), z.number()]).nullish() };

/** Params that name a session and nothing else. */
export const session = z.object({ sessionId });
