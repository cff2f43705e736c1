/** Shapes that params of several methods share. */

import * as z from 'zod';
import { formatAdapter } from '../../core/format/formats.ts';
import { object } from '../call/object.ts';

export const sessionId = z.string().min(1).max(512);

export const tokens = z.number().int().nonnegative();

export const flag = z.boolean().optional();

export const text = z.string().optional();

export const texts = z.array(z.string()).optional();

/** Any name passes the check: one that is no format is `UnsupportedFormat`, which knows those that there are. */
export const format = z
	.string()
	.transform((name) => formatAdapter(name).name)
	.optional();

/** What a provider answered instead of a message: anything, but not nothing. */
export const providerError = z.custom<unknown>((value) => value !== undefined, {
	message: 'an error, a text or an object',
});

/** What surrounds a history in a request. */
const attachment = object({
	uri: text,
	content: z.string(),
	size: tokens.optional(),
	mediaType: text,
});

export const modelRequest = object({
	systemPrompt: text,
	currentPrompt: text,
	toolDefinitions: z.array(z.unknown()).optional(),
	fileAttachments: z.array(attachment).optional(),
	maxOutputTokens: tokens.optional(),
}).optional();

/** What a call may lay over a session's own model and request. */
export const overlay = {
	provider: text,
	model: text,
	request: modelRequest,
	estimator: z.enum(['heuristic', 'exact', 'calibrated']).optional(),
};

const figure = z.number().nonnegative().max(1e9);

export const usage = object({
	input: figure,
	output: figure,
	cacheRead: figure.optional(),
	cacheWrite: figure.optional(),
	cacheWriteForHour: figure.optional(),
});

export const workDone = { workDoneToken: z.union([z.string(), z.number()]).optional() };

/** Params that name a session and nothing else. */
export const session = object({ sessionId });
