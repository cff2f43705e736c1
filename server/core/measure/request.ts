/** Counts the parts of the next model call that surround the history. */

import type { FileAttachment, ModelRequest } from '../../protocol/conversation.ts';
import { type Fields, isFields } from '../shape.ts';
import { extractJsonText } from './jsonText.ts';
import type { Measure, RequestCounts } from './measure.ts';
import { estimateConvertedTokens } from './media/conversionTokens.ts';
import { countTextWithImages } from './message.ts';
import { charactersPerToken, tokensPerMessage } from './text/heuristic.ts';

/** Returns the tokens of each part of a request; whole numbers, 0 for absent parts. */
export function countRequest(request: ModelRequest, measure: Measure): RequestCounts {
	const { messageTokens, userTurnTokens } = measure.family.framing;
	const framing = measure.estimator === 'heuristic' ? tokensPerMessage : messageTokens;
	const turnTokens = measure.estimator === 'heuristic' ? 0 : userTurnTokens;
	const countTokens = (content: string | undefined, framingTokens: number) =>
		content ? Math.round(countTextWithImages(content, measure) + framingTokens) : 0;
	const countFile = ({ uri = '', content, size = 0, mediaType }: FileAttachment) =>
		content === '' && size > 0
			? estimateConvertedTokens({ sizeBytes: size, mediaType, name: uri })
			: countTokens(content, framing + measure.countTextTokens(uri));
	return {
		systemPrompt: countTokens(request.systemPrompt, framing),
		currentPrompt: countTokens(request.currentPrompt, framing + turnTokens),
		toolDefinitions: countTools(request.toolDefinitions ?? [], measure),
		fileAttachments: (request.fileAttachments ?? []).reduce((sum, file) => sum + countFile(file), 0),
	};
}

function countTools(tools: readonly unknown[], measure: Measure): number {
	if (tools.length === 0) return 0;
	// NeuroLink's heuristic counts a definition by its JSON alone, without multiplier or margin.
	if (measure.estimator === 'heuristic')
		return tools.reduce<number>(
			(sum, tool) => sum + Math.ceil(extractJsonText(tool, 'kept').text.length / charactersPerToken),
			0,
		);
	const { framing, tools: toolFormat } = measure.family;
	const write = (tool: unknown) => (toolFormat === 'declarations' ? formatToolDeclaration(tool) : undefined);
	const weights = tools.map(
		(tool) => measure.countTextTokens(write(tool) ?? extractJsonText(tool, 'kept').text) + framing.toolTokens,
	);
	return Math.round(framing.toolUseTokens + weights.reduce((sum, weight) => sum + weight, 0));
}

/** Maximum nesting depth. Real schemas nest a few levels; deeper ones are recursive by mistake. */
const maxSchemaDepth = 32;

/** Returns a tool with a name and a schema as a TypeScript-like declaration, else undefined. */
function formatToolDeclaration(tool: unknown): string | undefined {
	if (!isFields(tool)) return undefined;
	const definition = isFields(tool.function) ? tool.function : tool;
	if (typeof definition.name !== 'string') return undefined;
	const parameters = definition.parameters ?? definition.input_schema ?? definition.inputSchema;
	const output: string[] = [];
	writeComment(definition.description, output);
	output.push(`type ${definition.name} = (`);
	if (isFields(parameters) && isFields(parameters.properties)) {
		output.push('_: ');
		writeType(parameters, maxSchemaDepth, output);
	}
	output.push(') => any;\n');
	return output.join('');
}

function writeType(schema: unknown, depth: number, output: string[]): void {
	if (!isFields(schema) || depth === 0) {
		output.push('any');
		return;
	}
	const choices = schema.anyOf ?? schema.oneOf;
	if (Array.isArray(schema.enum)) output.push(schema.enum.map((value) => JSON.stringify(value)).join(' | '));
	else if (Array.isArray(choices)) {
		for (const [i, choice] of choices.entries()) {
			if (i > 0) output.push(' | ');
			writeType(choice, depth - 1, output);
		}
	} else if (isFields(schema.properties)) writeObject(schema, schema.properties, depth, output);
	else if (schema.type === 'array') {
		writeType(schema.items, depth - 1, output);
		output.push('[]');
	} else if (Array.isArray(schema.type)) output.push(schema.type.join(' | '));
	else output.push(typeof schema.type === 'string' ? schema.type : 'any');
}

function writeObject(schema: Fields, properties: Fields, depth: number, output: string[]): void {
	const required = new Set(Array.isArray(schema.required) ? schema.required : []);
	output.push('{\n');
	for (const [name, property] of Object.entries(properties)) {
		if (isFields(property)) writeComment(property.description, output);
		output.push(name, required.has(name) ? ': ' : '?: ');
		writeType(property, depth - 1, output);
		output.push(',');
		if (isFields(property) && property.default !== undefined)
			output.push(` // default: ${JSON.stringify(property.default)}`);
		output.push('\n');
	}
	output.push('}');
}

function writeComment(description: unknown, output: string[]): void {
	if (typeof description === 'string' && description !== '')
		output.push('// ', description.replaceAll('\n', '\n// '), '\n');
}
