/** Schemas that the params of several methods share. */

import * as z from 'zod/mini';
import { Failure } from '../../core/failure.ts';
import { toSlashedPath } from '../../core/files/folder.ts';
import { getFormatAdapter } from '../../core/format/formats.ts';
import { objectSchema } from '../call/object.ts';
import { describeReceived } from '../wire/describeValue.ts';

export const sessionIdSchema = z.string().check(z.minLength(1), z.maxLength(512));

export const tokensSchema = z.int().check(z.nonnegative());

export const flagSchema = z.optional(z.boolean());

export const textSchema = z.optional(z.string());

export const textsSchema = z.optional(z.array(z.string()));

/** Accepts any name. A name that is not a format fails with `UnsupportedFormat`, which lists the formats. */
export const formatSchema = z.optional(
	z.pipe(
		z.string(),
		z.transform((one) => getFormatAdapter(one).name),
	),
);

/** A provider's error: any value but undefined. */
export const providerErrorSchema = z.custom<unknown>((value) => value !== undefined, {
	message: 'an error, a text or an object',
});

/** A file attached to a request. */
const attachmentSchema = objectSchema({
	uri: textSchema,
	content: z.string(),
	size: z.optional(tokensSchema),
	mediaType: textSchema,
});

export const modelRequestSchema = z.optional(
	objectSchema({
		systemPrompt: textSchema,
		currentPrompt: textSchema,
		toolDefinitions: z.optional(z.array(z.unknown())),
		fileAttachments: z.optional(z.array(attachmentSchema)),
		maxOutputTokens: z.optional(tokensSchema),
	}),
);

/** Overrides of a session's own model and request. */
export const overlaySchemas = {
	provider: textSchema,
	model: textSchema,
	request: modelRequestSchema,
	estimator: z.optional(z.enum(['heuristic', 'exact', 'calibrated'])),
};

const figureSchema = z.number().check(z.nonnegative(), z.maximum(1e9));

export const usageSchema = objectSchema({
	input: figureSchema,
	output: figureSchema,
	cacheRead: z.optional(figureSchema),
	cacheWrite: z.optional(figureSchema),
	cacheWriteForHour: z.optional(figureSchema),
});

export const workDoneSchema = { workDoneToken: z.optional(z.union([z.string(), z.number()])) };

/** Params with only a session id. */
export const sessionSchema = objectSchema({ sessionId: sessionIdSchema });

/** Returns the path of a workspace, with slashes. Throws `InvalidParams` if it is neither a file URI nor an absolute path. */
export function parseWorkspace(workspace: string): string {
	const path = toSlashedPath(workspace);
	if (path !== undefined) return path;
	throw new Failure(
		'InvalidParams',
		`workspace: expected a file URI or an absolute path, got ${describeReceived(workspace)}`,
		{ field: 'workspace' },
	);
}
