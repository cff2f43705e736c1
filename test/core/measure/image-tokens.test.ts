import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { computeImageTokens } from '../../../server/core/measure/imageTokens.ts';
import { lookupTokenFamily } from '../../../server/core/models/tokenFamily.ts';

const ofModel = (provider: string, model: string) => lookupTokenFamily(provider, model).imageRule;
const claude = ofModel('anthropic', 'claude-sonnet-4-5');
const newClaude = ofModel('anthropic', 'claude-opus-4-7');
const gpt4o = ofModel('openai', 'gpt-4o');

describe('images of Claude', () => {
	it.each([
		[100, 100, 16, 16],
		[1000, 1000, 1296, 1296],
		[1092, 1092, 1521, 1521],
		[1920, 1080, 1560, 2691],
		[3840, 2160, 1560, 4784],
		[200, 8000, 112, 276],
		[1, 1, 1, 1],
	])('an image of Claude of %i x %i counts %i tokens, from 4.7 on %i', (width, height, older, newer) => {
		expect(computeImageTokens({ width, height }, claude)).toBe(older);
		expect(computeImageTokens({ width, height }, newClaude)).toBe(newer);
	});
});

describe('images of OpenAI', () => {
	it.each([
		[512, 512, 255],
		[513, 512, 425],
		[1024, 1024, 765],
		[1920, 1080, 1105],
		[2048, 4096, 1105],
		[4096, 4096, 765],
	])('an image for gpt-4o of %i x %i counts %i tokens in high detail', (width, height, tokens) => {
		expect(computeImageTokens({ width, height, detail: 'high' }, gpt4o)).toBe(tokens);
	});

	it('images of OpenAI count only the base in low detail, and small ones in auto', () => {
		expect(computeImageTokens({ width: 4000, height: 4000, detail: 'low' }, gpt4o)).toBe(85);
		expect(computeImageTokens({ width: 512, height: 512, detail: 'auto' }, gpt4o)).toBe(85);
		expect(computeImageTokens({ width: 512, height: 512 }, gpt4o)).toBe(85);
		expect(computeImageTokens({ width: 513, height: 512, detail: 'auto' }, gpt4o)).toBe(425);
	});

	it.each([
		['gpt-4.1', 765],
		['gpt-5', 630],
		['gpt-5.2-codex', 630],
		['o3', 675],
		['gpt-4o-mini', 25_501],
		['gpt-4.1-mini', 1659],
		['gpt-5-mini', 1659],
		['gpt-5-nano', 2520],
		['o4-mini', 1762],
		['gpt-5.5', 1229],
	])('an image by the rule of %s for 1024 x 1024 counts %i', (model, tokens) => {
		expect(computeImageTokens({ width: 1024, height: 1024, detail: 'high' }, ofModel('openai', model))).toBe(
			tokens,
		);
	});

	it('images with too many patches are scaled for patch models', () => {
		const tokens = computeImageTokens({ width: 8000, height: 4000 }, ofModel('openai', 'gpt-4.1-mini'));
		expect(tokens).toBeLessThanOrEqual(Math.ceil(1536 * 1.62));
		expect(tokens).toBeGreaterThan(1400 * 1.62);
	});
});

describe('images of others', () => {
	it.each([
		['gemini-2.5-pro', 384, 384, 258],
		['gemini-2.5-pro', 385, 100, 258],
		['gemini-2.0-flash', 1000, 1000, 1032],
		['gemini-3-pro-preview', 1000, 1000, 1120],
		['gemini-3.8-flash', 10, 10, 1120],
	])('an image for %s of %i x %i counts %i', (model, width, height, tokens) => {
		expect(computeImageTokens({ width, height }, ofModel('google', model))).toBe(tokens);
	});

	it('images of low resolution for Gemini 3 count at their own rate', () => {
		expect(computeImageTokens({ detail: 'low' }, ofModel('google', 'gemini-3-pro-preview'))).toBe(280);
	});

	it('images for an unknown model count the largest result of all rules', () => {
		const size = { width: 1000, height: 1000 };
		const unknown = computeImageTokens(size, ofModel('nobody', 'nothing'));
		for (const model of [
			'claude-opus-4-7',
			'claude-sonnet-4',
			'gpt-4o',
			'gpt-5-nano',
			'gemini-2.5-pro',
			'gemini-3-pro',
		])
			expect(unknown).toBeGreaterThanOrEqual(computeImageTokens(size, ofModel('', model)));
	});
});

it('missing or invalid sizes of images count as 1024, and huge ones are limited', () => {
	const usual = computeImageTokens({ width: 1024, height: 1024 }, claude);
	for (const side of [undefined, 0, -3, Number.NaN, Number.POSITIVE_INFINITY])
		expect(computeImageTokens({ width: side, height: side }, claude)).toBe(usual);
	expect(computeImageTokens({ width: 100_000, height: 100_000 }, gpt4o)).toBe(765);
});

it('the tokens of an image are a positive whole number by every rule for any size', () => {
	const side = fc.option(fc.oneof(fc.double(), fc.integer({ min: 0, max: 20_000 })), { nil: undefined });
	const model = fc.constantFrom(
		'claude-opus-4-7',
		'gpt-4o',
		'gpt-5-mini',
		'gpt-5.5',
		'gemini-2.5-pro',
		'gemini-3',
		'x',
	);
	const detail = fc.constantFrom('low', 'high', 'auto', undefined);
	fc.assert(
		fc.property(side, side, model, detail, (width, height, name, asked) => {
			const tokens = computeImageTokens({ width, height, detail: asked }, ofModel('', name));
			expect(Number.isInteger(tokens) && tokens > 0 && tokens < 200_000).toBe(true);
		}),
	);
});
