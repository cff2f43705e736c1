/** Shapes that params of several methods share. */

import * as z from 'zod/mini';
import { formatAdapter } from '../../core/format/formats.ts';
import { object } from '../call/object.ts';

export const sessionId = z.string().check(z.minLength(1), z.maxLength(512));

export const tokens = z.int().check(z.nonnegative());

export const flag = z.optional(z.boolean());

export const text = z.optional(z.string());

export const texts = z.optional(z.array(z.string()));

/** Accepts any name; one that is not a format fails with `UnsupportedFormat`, which lists the formats. */
export const format = z.optional(
	z.pipe(
		z.string(),
		z.transform((name) => formatAdapter(name).name),
	),
);

/** A provider's answer instead of a message: any value but undefined. */
export const providerError = z.custom<unknown>((value) => value !== undefined, {
	message: 'an error, a text or an object',
});

/** A file attached to a request. */
const attachment = object({
	uri: text,
	content: z.string(),
	size: z.optional(tokens),
	mediaType: text,
});

export const modelRequest = z.optional(
	object({
		systemPrompt: text,
		currentPrompt: text,
		toolDefinitions: z.optional(z.array(z.unknown())),
		fileAttachments: z.optional(z.array(attachment)),
		maxOutputTokens: z.optional(tokens),
	}),
);

/** Overrides of a session's own model and request. */
export const overlay = {
	provider: text,
	model: text,
	request: modelRequest,
	estimator: z.optional(z.enum(['heuristic', 'exact', 'calibrated'])),
};

const figure = z.number().check(z.nonnegative(), z.maximum(1e9));

export const usage = object({
	input: figure,
	output: figure,
	cacheRead: z.optional(figure),
	cacheWrite: z.optional(figure),
	cacheWriteForHour: z.optional(figure),
});

export const workDone = { workDoneToken: z.optional(z.union([z.string(), z.number()])) };

/** Params with only a session id. */
export const session = object({ sessionId });
