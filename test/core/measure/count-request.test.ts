import { describe, expect, it } from 'vitest';
import { createMeasure } from '../../../server/core/measure/measure.ts';
import { countRequest } from '../../../server/core/measure/request.ts';
import { lookupTokenFamily } from '../../../server/core/models/tokenFamily.ts';

const measureOf = (model: string) =>
	createMeasure({
		family: { ...lookupTokenFamily(undefined, model), factor: 1 },
		estimator: 'exact',
		countText: (text) => text.length,
	});
const gpt = measureOf('gpt-4o');
const claude = measureOf('claude-opus-4-6');

const schema = {
	type: 'object',
	properties: {
		path: { type: 'string', description: 'Where' },
		mode: { enum: ['r', 'w'] },
		lines: { type: 'array', items: { type: 'object', properties: { at: { type: ['number', 'null'] } } } },
		or: { anyOf: [{ type: 'string' }, { type: 'boolean' }], default: false },
	},
	required: ['path'],
};
const declared = `// Reads
type read = (_: {
// Where
path: string,
mode?: "r" | "w",
lines?: {
at?: number | null,
}[],
or?: string | boolean, // default: false
}) => any;
`;

describe('a request', () => {
	it('an empty request counts 0', () => {
		const nothing = { systemPrompt: 0, currentPrompt: 0, toolDefinitions: 0, fileAttachments: 0 };
		expect(countRequest({}, gpt)).toEqual(nothing);
		expect(countRequest({ systemPrompt: '', toolDefinitions: [], fileAttachments: [] }, claude)).toEqual(
			nothing,
		);
	});

	it('a request counts each of its parts', () => {
		const counts = countRequest(
			{
				systemPrompt: 'be good',
				currentPrompt: 'go',
				fileAttachments: [{ uri: 'a', content: 'xyz' }, { content: 'q' }],
			},
			gpt,
		);
		expect(counts).toEqual({
			systemPrompt: 7 + 4,
			currentPrompt: 2 + 4,
			toolDefinitions: 0,
			fileAttachments: 5 + 8,
		});
	});

	it('tools of a request for GPT models count as declarations', () => {
		const { toolTokens: tool, toolUseTokens: toolUse } = gpt.family.framing;
		const description = 'Reads';
		const shapes = [
			{ type: 'function', function: { name: 'read', description, parameters: schema } },
			{ type: 'function', name: 'read', description, parameters: schema },
			{ name: 'read', description, input_schema: schema },
		];
		for (const shape of shapes)
			expect(countRequest({ toolDefinitions: [shape] }, gpt).toolDefinitions).toBe(
				declared.length + tool + toolUse,
			);
	});

	it('tools of a request for other models count as JSON', () => {
		const definition = { name: 'read', input_schema: schema };
		const { toolTokens: tool, toolUseTokens: toolUse } = claude.family.framing;
		expect(countRequest({ toolDefinitions: [definition] }, claude).toolDefinitions).toBe(
			JSON.stringify(definition).length + tool + toolUse,
		);
	});

	it('the heuristic counts tools by the documented formula', () => {
		const definition = { name: 'read', input_schema: schema };
		const family = lookupTokenFamily('anthropic', 'claude-opus-4');
		const measure = createMeasure({ family, estimator: 'heuristic', countText: (text) => text.length });
		expect(countRequest({ toolDefinitions: [definition] }, measure).toolDefinitions).toBe(
			Math.ceil(JSON.stringify(definition).length / 4),
		);
	});

	it('unusual tool definitions are counted without failing', () => {
		const recursive: Record<string, unknown> = { type: 'object', properties: {} };
		let inner = recursive;
		for (let depth = 0; depth < 1000; depth++) {
			const next = { type: 'object', properties: {} };
			(inner.properties as Record<string, unknown>).in = next;
			inner = next;
		}
		for (const odd of [
			null,
			5,
			'x',
			[],
			{},
			{ name: 3 },
			{ name: 'a' },
			{ name: 'a', parameters: recursive },
		]) {
			const { toolDefinitions } = countRequest({ toolDefinitions: [odd] }, gpt);
			expect(Number.isInteger(toolDefinitions) && toolDefinitions > 0).toBe(true);
		}
	});
});
