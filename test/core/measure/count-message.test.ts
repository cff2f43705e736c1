import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMeasure } from '../../../server/core/measure/measure.ts';
import { countMessage } from '../../../server/core/measure/message.ts';
import { lookupTokenFamily } from '../../../server/core/models/tokenFamily.ts';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import { machineSlowness, processorClock } from '../../support/processorClock.ts';

/** Returns a measure whose vocabulary has one token per character, so that sums can be checked by hand. */
function measureOf(model: string) {
	const family = { ...lookupTokenFamily(undefined, model), factor: 1 };
	return createMeasure({ family, estimator: 'exact', countText: (text) => text.length });
}
const gpt = measureOf('gpt-4o');
const claude = measureOf('claude-opus-4-6');
const {
	messageTokens: message,
	toolCallTokens: toolCall,
	parameterTokens: parameter,
	toolResultTokens: toolResult,
} = gpt.family.framing;

const pixel = `iVBORw0KGgoAAAANSUhEUgAABkAAAASwCAYAAAA${'A'.repeat(4000)}`;
const imageOf = (width: number, height: number) => gpt.countImageTokens({ width, height });

describe('a message', () => {
	it('a message counts its text and its framing', () => {
		expect(countMessage({ role: 'assistant', content: 'hello' }, gpt)).toEqual({
			text: 5 + message,
			calls: 0,
			images: 0,
		});
		expect(countMessage({ role: 'tool', content: 'hello', toolCallId: '1' }, gpt).text).toBe(5 + toolResult);
		expect(countMessage({ role: 'user', content: '' }, claude).text).toBe(
			claude.family.framing.userTurnTokens,
		);
	});

	it('the count of a message is scaled to its model', () => {
		const family = lookupTokenFamily('openrouter', 'mistralai/codestral-latest');
		const measure = createMeasure({ family, estimator: 'calibrated', countText: (text) => text.length });
		expect(countMessage({ role: 'user', content: 'x'.repeat(1000) }, measure).text).toBe(1070 + message);
	});

	it('a message counts the arguments of calls as raw values', () => {
		const content = 'say "hi"\n\tand go\n';
		const call = {
			id: 'a',
			name: 'write',
			args: { path: 'a.ts', content, lines: [1, { deep: 'x' }], on: true },
		};
		const nested = '[1,{"deep":"x"}]';
		expect(countMessage({ role: 'assistant', content: '', toolCalls: [call] }, gpt).calls).toBe(
			toolCall +
				'write'.length +
				4 * parameter +
				'a.ts'.length +
				content.length +
				nested.length +
				'true'.length,
		);
	});

	it("a message counts the client's own count unchanged", () => {
		const tokens = { role: 'user', content: 'x'.repeat(99_999), tokens: 7 } as const;
		expect(countMessage(tokens, gpt)).toEqual({ text: 7, calls: 0, images: 0 });
		expect(countMessage({ ...tokens, tokens: Number.NaN, content: 'x' }, gpt).text).toBe(1 + message);
	});

	it('a message does not count calls of an answer that broke off, which are not sent again', () => {
		const toolCalls = [{ id: 'a', name: 'write', args: { content: 'half' } }];
		for (const stopReason of ['error', 'aborted'])
			expect(countMessage({ role: 'assistant', content: 'hm', toolCalls, stopReason }, gpt)).toEqual({
				text: 2 + message,
				calls: 0,
				images: 0,
			});
	});
});

describe('tokens of thinking', () => {
	const content: ChatMessage['content'] = [
		{ type: 'reasoning', text: 'let me see', signature: 'x'.repeat(500) },
		{ type: 'text', text: 'yes' },
	];
	const toolCalls = [{ id: 'a', name: 'b', args: {} }];

	it('thinking counts if the model keeps it', () => {
		expect(countMessage({ role: 'assistant', content }, claude).text).toBe(13);
	});

	it('thinking counts only next to calls if the model drops it at the end of the turn', () => {
		const older = measureOf('claude-sonnet-4-5');
		expect(countMessage({ role: 'assistant', content }, older).text).toBe(3);
		expect(countMessage({ role: 'assistant', content, toolCalls }, older).text).toBe(13);
	});

	it('thinking never counts if it is never sent back', () => {
		const gemini = measureOf('gemini-2.5-pro');
		expect(countMessage({ role: 'assistant', content, toolCalls }, gemini).text).toBe(3 + 1);
	});
});

describe('tokens of images', () => {
	const inAny = (content: ChatMessage['content']) => countMessage({ role: 'user', content }, gpt);

	it('images count by size, as stated or read from the bytes', () => {
		expect(inAny([{ type: 'image', mediaType: 'image/png', width: 2048, height: 4096 }])).toEqual({
			text: message,
			calls: 0,
			images: 1105,
		});
		expect(inAny([{ type: 'image', mediaType: 'image/png', data: pixel }]).images).toBe(imageOf(1600, 1200));
		const uri = `data:image/png;base64,${pixel}`;
		expect(inAny([{ type: 'image', mediaType: 'image/png', uri }]).images).toBe(imageOf(1600, 1200));
		expect(inAny([{ type: 'image', mediaType: 'image/png', uri: 'file:///a.png' }]).images).toBe(
			imageOf(1024, 1024),
		);
	});

	it('images count separately from the text around them', () => {
		const text = `see data:image/png;base64,${pixel} and data:image/png;base64,${pixel}!`;
		expect(inAny(text)).toEqual({
			text: 'see  and !'.length + message,
			calls: 0,
			images: 2 * imageOf(1600, 1200),
		});
		expect(inAny(JSON.stringify({ url: text })).images).toBe(2 * imageOf(1600, 1200));
	});

	it('mentions of images in prose count as prose', () => {
		for (const text of [
			'data:image/png;base64,…',
			'data:image',
			'data:image/png;base64,AAAA',
			'data:image/png;base64,',
		])
			expect(inAny(text)).toEqual({ text: text.length + message, calls: 0, images: 0 });
	});

	it('images are found in opaque parts and arguments', () => {
		const values: unknown[] = [
			{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } },
			{ inlineData: { mimeType: 'image/png', data: pixel } },
			{ type: 'image_url', image_url: { url: `data:image/png;base64,${pixel}` } },
			[{ type: 'image', data: pixel, mimeType: 'image/png' }],
		];
		for (const value of values) {
			const opaque = inAny([{ type: 'opaque', value }]);
			expect(opaque.images).toBe(imageOf(1600, 1200));
			expect(opaque.text).toBeLessThan(120);
			const args = { value };
			const call = countMessage(
				{ role: 'assistant', content: '', toolCalls: [{ id: 'a', name: 'b', args }] },
				gpt,
			);
			expect(call.images).toBe(imageOf(1600, 1200));
			expect(call.calls).toBeLessThan(140);
		}
	});

	it('other base64 does not count as an image, but as text, or as nothing in an opaque part', () => {
		expect(inAny(pixel).text).toBe(pixel.length + message);
		const value = { type: 'redacted_thinking', data: pixel };
		expect(inAny([{ type: 'opaque', value }]).text).toBeLessThan(60);
	});

	it('a base64 document counts by its size', () => {
		const value = {
			type: 'document',
			source: { type: 'base64', media_type: 'application/pdf', data: 'A'.repeat(400_000) },
		};
		const { text } = inAny([{ type: 'opaque', value }]);
		expect(text).toBeGreaterThan(3000);
		expect(text).toBeLessThan(3200);
	});

	it('documents, audio or video behind a data URL do not count as text', () => {
		const bytes = 'A'.repeat(400_000);
		const weigh = (media: string): number =>
			inAny([
				{ type: 'opaque', value: { type: 'file', file: { file_data: `data:${media};base64,${bytes}` } } },
			]).text;
		expect(weigh('application/pdf')).toBeGreaterThan(3000);
		expect(weigh('application/pdf;name=a.pdf')).toBeLessThan(3200);
		expect(weigh('audio/wav')).toBeLessThan(500);
		expect(weigh('video/mp4')).toBeLessThan(1000);
	});

	it('words after something like a data URL count as words', () => {
		const value = { type: 'note', text: `data:text/plain;base64,${'A'.repeat(300)} and more words` };
		expect(inAny([{ type: 'opaque', value }]).text).toBeGreaterThan(300);
	});
});

describe('the documented heuristic', () => {
	const countText = (text: string) => Math.ceil(Math.ceil(text.length / 4) * 1.15);
	const heuristic = createMeasure({
		family: lookupTokenFamily('openai', 'gpt-4o'),
		estimator: 'heuristic',
		countText,
	});

	it('the documented heuristic adds 4 per message and 1,024 per image, and counts arguments', () => {
		expect(countMessage({ role: 'user', content: 'x'.repeat(400) }, heuristic).text).toBe(115 + 4);
		expect(
			countMessage({ role: 'user', content: [{ type: 'image', mediaType: 'image/png' }] }, heuristic).images,
		).toBe(1024);
		const toolCalls = [{ id: 'a', name: 'read', args: { path: 'x'.repeat(385) } }];
		expect(countMessage({ role: 'assistant', content: '', toolCalls }, heuristic).calls).toBe(115);
	});
});

it('the count of any message is a whole number', () => {
	const role = fc.constantFrom('user', 'assistant', 'tool', 'system');
	const part = fc.oneof(
		fc.jsonValue(),
		fc.record({ type: fc.constantFrom('text', 'reasoning', 'image', 'opaque', 'odd') }),
		fc.record({ type: fc.constantFrom('text', 'reasoning'), text: fc.jsonValue() }),
		fc.record({ type: fc.constant('opaque'), value: fc.jsonValue() }),
		fc.record({ type: fc.constant('image'), data: fc.jsonValue(), uri: fc.string(), width: fc.double() }),
	);
	const call = fc.oneof(
		fc.jsonValue(),
		fc.record({ id: fc.string(), name: fc.jsonValue(), args: fc.jsonValue() }),
	);
	const content = fc.oneof(fc.string(), fc.array(part), fc.jsonValue());
	const odd = fc.record(
		{ role, content, toolCalls: fc.oneof(fc.array(call), fc.jsonValue()), tokens: fc.double() },
		{ requiredKeys: ['role'] },
	);
	fc.assert(
		fc.property(odd, fc.constantFrom(gpt, claude), (given, measure) => {
			const counts = countMessage(given as ChatMessage, measure);
			for (const count of Object.values(counts)) expect(Number.isInteger(count) && count >= 0).toBe(true);
		}),
		{ numRuns: 300 },
	);
});

it('deep and huge arguments are counted quickly, without stack overflow', () => {
	let deep: unknown = 'x';
	for (let depth = 0; depth < 50_000; depth++) deep = [deep];
	const wide = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`k${i}`, i]));
	const spent = processorClock();
	for (const args of [
		deep,
		{ deep },
		wide,
		'x'.repeat(10_000_000),
		`data:image/${'data:image/png;base64,'.repeat(100_000)}`,
	])
		countMessage({ role: 'assistant', content: '', toolCalls: [{ id: 'a', name: 'b', args }] }, gpt);
	expect(spent()).toBeLessThan(2000 * machineSlowness());
});
