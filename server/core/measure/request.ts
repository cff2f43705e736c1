/** Tokens of what surrounds the history in the next model call. */

import type { ModelRequest } from '../../protocol/conversation.ts';
import type { RequestCounts } from './counts.ts';
import { jsonText } from './jsonText.ts';
import type { Measure } from './measure.ts';
import { weighText } from './message.ts';
import { charactersPerToken, tokensPerMessage } from './text/heuristic.ts';
import { toolDeclaration } from './toolDeclaration.ts';

/** Tokens of each part of a request: whole numbers, 0 for what is absent. */
export function countRequest(request: ModelRequest, measure: Measure): RequestCounts {
	const { message, userTurn } = measure.family.framing;
	const framing = measure.estimator === 'heuristic' ? tokensPerMessage : message;
	const turn = measure.estimator === 'heuristic' ? 0 : userTurn;
	const text = (content: string | undefined, around: number) =>
		content ? Math.round(weighText(content, measure) + around) : 0;
	const files = request.fileAttachments ?? [];
	return {
		systemPrompt: text(request.systemPrompt, framing),
		currentPrompt: text(request.currentPrompt, framing + turn),
		toolDefinitions: countTools(request.toolDefinitions ?? [], measure),
		fileAttachments: files.reduce(
			(sum, { uri, content }) => sum + text(content, framing + measure.weigh(uri ?? '')),
			0,
		),
	};
}

function countTools(tools: readonly unknown[], measure: Measure): number {
	if (tools.length === 0) return 0;
	// The documented heuristic counts a definition by its JSON alone, without multiplier or margin.
	if (measure.estimator === 'heuristic')
		return tools.reduce<number>((sum, tool) => sum + Math.ceil(jsonLength(tool) / charactersPerToken), 0);
	const { framing, tools: form } = measure.family;
	const text = (tool: unknown) => (form === 'declarations' ? toolDeclaration(tool) : undefined);
	const weights = tools.map(
		(tool) => measure.weigh(text(tool) ?? jsonText(tool, 'kept').text) + framing.tool,
	);
	return Math.round(framing.toolUse + weights.reduce((sum, weight) => sum + weight, 0));
}

function jsonLength(value: unknown): number {
	return jsonText(value, 'kept').text.length;
}
