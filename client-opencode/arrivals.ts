/** Outputs of tools, as OpenCode hands them over before it stores them. */

import { type Cut, withCutDetails } from '../kit/arrivals.ts';
import type { OpenCodeArrival } from './hooks.ts';

/**
 * UTF-16 units of an output that are kept beside what it is cut to. A longer one is left to OpenCode, which keeps the
 * whole in a file and stores 50 KB; the view cuts that.
 */
const mostKept = 1 << 20;

/** The whole of an output that is text alone; undefined of any other, and where there is none. */
export function arrivedText(output: OpenCodeArrival | undefined): string | undefined {
	const text = textOf(output);
	return text === undefined || text.length > mostKept ? undefined : text;
}

function textOf({ output, content = [], attachments = [] }: OpenCodeArrival = {}): string | undefined {
	if (output !== undefined) return attachments.length === 0 ? output : undefined;
	const texts = content.flatMap(({ type, text }) => (type === 'text' && text !== undefined ? [text] : []));
	// OpenCode joins what a server of the Model Context Protocol answers in the same way.
	return texts.length > 0 && texts.length === content.length ? texts.join('\n\n') : undefined;
}

/** Whether the tool says itself that it failed. */
export function hasFailed({ metadata, isError }: OpenCodeArrival): boolean {
	return isError === true || (typeof metadata?.exit === 'number' && metadata.exit !== 0);
}

/** Puts a cut in the place of an output, with the whole in its metadata beside what stands there. */
export function putCut(output: OpenCodeArrival, { text, details }: Cut): void {
	if (output.output === undefined) output.content = [{ type: 'text', text }];
	else output.output = text;
	output.metadata = withCutDetails(output.metadata, details);
}
