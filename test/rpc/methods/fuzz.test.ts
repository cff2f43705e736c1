import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { sharedApp } from '../../support/app.ts';
import { soakFactor } from '../../support/soak.ts';
import { begin, conversation, statsIn } from '../../support/talk.ts';

const app = sharedApp();
let methods: string[];

beforeAll(async () => {
	methods = (app.initialized.capabilities.experimental as { contextd: { methods: string[] } }).contextd
		.methods;
	await begin(app, 's', [
		...conversation(12, 60),
		{ role: 'assistant', content: 'x', id: 'u', usage: { input: 900, output: 5 } },
	]);
});

const text = fc.oneof(
	fc.string(),
	fc.string({ unit: 'binary' }),
	fc.constantFrom('', 's', 'u', 'm1', '\ud800', '__proto__', 'a\nb'),
);

const number = fc.oneof(fc.integer(), fc.double(), fc.constantFrom(0, -0, -1, 1, 2 ** 53, 1e300, 5e-324));

const anything = fc.oneof(
	fc.constant(null),
	fc.boolean(),
	number,
	text,
	fc.array(fc.jsonValue()),
	fc.dictionary(text, fc.jsonValue(), { maxKeys: 4 }),
);

const part = fc.oneof(
	fc.record(
		{
			type: fc.constantFrom('text', 'image', 'reasoning', 'opaque', 'tool_use', 'tool_result', 'odd'),
			text: anything,
			value: anything,
			data: anything,
			mediaType: anything,
			width: number,
		},
		{ requiredKeys: ['type'] },
	),
	anything,
);

const message = fc.record(
	{
		id: fc.oneof(text, anything),
		role: fc.oneof(
			{ weight: 6, arbitrary: fc.constantFrom('user', 'assistant', 'tool', 'system', 'model', 'tool_call') },
			anything,
		),
		content: fc.oneof(text, fc.array(part, { maxLength: 3 }), anything),
		parts: fc.array(part, { maxLength: 3 }),
		toolCalls: fc.oneof(
			fc.array(fc.record({ id: text, name: text, args: anything }, { requiredKeys: [] }), { maxLength: 3 }),
			anything,
		),
		toolCallId: fc.oneof(text, anything),
		toolName: anything,
		isError: fc.oneof(fc.boolean(), anything),
		usage: fc.oneof(fc.record({ input: number, output: number, cacheRead: number }), anything),
		timestamp: fc.oneof(number, anything),
		stopReason: fc.oneof(text, anything),
		tokens: fc.oneof(number, anything),
		pinned: fc.oneof(fc.boolean(), anything),
		metadata: fc.oneof(fc.dictionary(text, anything, { maxKeys: 3 }), anything),
	},
	{ requiredKeys: ['role', 'content'] },
);

const request = fc.record(
	{
		systemPrompt: fc.oneof(text, anything),
		currentPrompt: text,
		toolDefinitions: fc.oneof(fc.array(anything, { maxLength: 3 }), anything),
		fileAttachments: fc.array(fc.record({ uri: text, content: text })),
		maxOutputTokens: number,
	},
	{ requiredKeys: [] },
);

const params = fc.record(
	{
		sessionId: fc.oneof(
			{ weight: 8, arbitrary: fc.constant('s') },
			{ weight: 2, arbitrary: fc.constant('other') },
			anything,
		),
		messages: fc.oneof({ weight: 4, arbitrary: fc.array(message, { maxLength: 4 }) }, anything),
		messageId: fc.oneof(fc.constantFrom('m1', 'm4', 'u', 'nope'), anything),
		messageIds: fc.oneof(fc.array(text), anything),
		uris: fc.oneof(fc.array(text), anything),
		pinned: fc.oneof(fc.boolean(), anything),
		format: fc.oneof(
			fc.constantFrom('contextd', 'anthropic', 'openai', 'openai-responses', 'gemini', 'neurolink'),
			text,
		),
		usage: fc.oneof(fc.record({ input: number, output: number }), anything),
		error: anything,
		provider: fc.oneof(fc.constantFrom('anthropic', 'openai', 'google'), text, anything),
		model: fc.oneof(fc.constantFrom('gpt-4o', 'claude-sonnet-4'), text, anything),
		contextWindow: fc.oneof(fc.integer({ min: 1, max: 300_000 }), number),
		maxOutputTokens: number,
		estimator: fc.constantFrom('heuristic', 'calibrated', 'odd'),
		request: fc.oneof(request, anything),
		config: fc.oneof(
			fc.dictionary(
				fc.constantFrom('enablePrune', 'recentCount', 'keepRecentRatio', 'pruneTools', 'x'),
				anything,
			),
			anything,
		),
		targetTokens: number,
		text: fc.oneof(text, anything),
		output: fc.oneof(text, anything),
		maxBytes: number,
		maxLines: number,
		checkpointId: anything,
		compactionId: anything,
		offset: number,
		limit: number,
		search: text,
		includeHidden: fc.boolean(),
		dryRun: fc.boolean(),
		title: anything,
		preserve: fc.oneof(fc.array(text), anything),
	},
	{ requiredKeys: ['sessionId'] },
);

/** Methods whose results contain figures, but no text from a client. */
const figures = new Set(['context/stats', 'context/count', 'context/timeline']);

const runs = 200 * soakFactor;

it('params of any shape cause no internal error, and figures stay finite', async () => {
	// Methods that search for other files, or that end the tested session, are left out.
	const served = methods.filter((method) => !/import|discover|session\/delete|session\/close/.test(method));
	await fc.assert(
		fc.asyncProperty(fc.constantFrom(...served), params, async (method, given) => {
			const { error, result } = await app.start(method, given).reply;
			if (error) expect([error.message, error.code]).not.toEqual([expect.anything(), -32603]);
			else if (figures.has(method)) expect(JSON.stringify(result ?? {})).not.toContain('null');
		}),
		{ numRuns: runs },
	);
	expect(app.errors()).not.toContain('failed:');
	await statsIn(app, 's');
}, 600_000);
