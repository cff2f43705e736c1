import { describe, expect, it } from 'vitest';
import { formatTokens } from '../../server/core/figures.ts';
import { formatLines } from '../../server/front/output/line.ts';
import {
	checkTemplate,
	fillTemplate,
	renderDefaultLine,
	type StatusFigures,
} from '../../server/status/template.ts';

const minute = 60_000;

function figures(changes: Partial<StatusFigures> = {}): StatusFigures {
	return {
		agent: 'claude-code',
		model: 'claude-sonnet-4-5',
		used: 105_210,
		limit: { window: 200_000, tokens: 167_000, of: 'agent', compacts: 'agent' },
		state: 'healthy',
		cache: {
			warmUntil: 9 * minute,
			lifetimeMs: 5 * minute,
			coldTokens: 104_000,
			coldCostTokens: 119_600,
			coldCost: 0.36,
		},
		idleMs: minute,
		now: 7 * minute,
		...changes,
	};
}

const text = (line: Parameters<typeof formatLines>[0][number]) => formatLines([line], 'plain').trimEnd();

describe('default status line', () => {
	it('the default line shows the percentage, tokens left, and when the cache expires', () => {
		expect(text(renderDefaultLine(figures(), false))).toBe(
			'██████░░░░ 63% · 62k left · cache expires in 2 min: $0.36',
		);
	});

	it('the default line leaves out its last parts on a narrow terminal', () => {
		expect(text(renderDefaultLine(figures(), false, 40))).toBe('██████░░░░ 63% · 62k left');
		expect(text(renderDefaultLine(figures(), false, 20))).toBe('██████░░░░ 63%');
	});

	it('the default line can be limited to ASCII', () => {
		expect(text(renderDefaultLine(figures(), true))).toBe(
			'######---- 63% | 62k left | cache expires in 2 min: $0.36',
		);
	});

	it('the default line shows an expired cache and the idle time', () => {
		const line = renderDefaultLine(figures({ now: 309 * minute, idleMs: 300 * minute }), true);
		expect(text(line)).toBe('######---- 63% | 62k left | cache expired: $0.36 | 5 h ago');
	});

	it('the default line shows the cache only in its last minutes, and only if it costs something', () => {
		const usual = '######---- 63% | 62k left';
		expect(text(renderDefaultLine(figures({ now: 5 * minute }), true))).toBe(usual);
		const cheap = { warmUntil: 9 * minute, lifetimeMs: 5 * minute, coldTokens: 900, coldCostTokens: 1035 };
		expect(text(renderDefaultLine(figures({ cache: { ...cheap, coldCost: 0.003 } }), true))).toBe(usual);
		expect(text(renderDefaultLine(figures({ cache: cheap }), true))).toBe(usual);
		const unknown = { ...cheap, coldTokens: 104_000, coldCostTokens: 119_600 };
		expect(text(renderDefaultLine(figures({ cache: unknown }), true))).toBe(
			`${usual} | cache expires in 2 min: 120k of input`,
		);
	});

	it('the default line marks a percentage of a guessed limit', () => {
		const limit = { window: 200_000, tokens: 167_000, of: 'guess', compacts: 'agent' } as const;
		expect(text(renderDefaultLine(figures({ limit, cache: undefined }), true))).toBe(
			'######---- ~63% | 62k left',
		);
	});

	it('the default line never shows fewer than 0 tokens left', () => {
		expect(text(renderDefaultLine(figures({ used: 190_000, cache: undefined }), true))).toBe(
			'########## 114% | 0 left',
		);
	});

	it('the default line has the colour of the state', () => {
		const colour = (state: StatusFigures['state']) => renderDefaultLine(figures({ state }), false)[0]?.tone;
		expect([colour('healthy'), colour('warning'), colour('critical'), colour('overflow')]).toEqual([
			'green',
			'yellow',
			'red',
			'red',
		]);
	});
});

describe('templates of the status line', () => {
	it('a template is filled with the figures that it names', () => {
		const template =
			'{agent} {model} {percent} {state} {used} of {limit}/{window}, {left} left, {cold}, {cache}, {age}';
		expect(text(fillTemplate(template, figures(), false))).toBe(
			'claude-code claude-sonnet-4-5 63% healthy 105k of 167k/200k, 62k left, 104k, cache expires in 2 min: $0.36, 1 min ago',
		);
	});

	it("a template keeps doubled braces, and can insert the colour's name", () => {
		expect(text(fillTemplate('%F{{{color}}}{percent}%f', figures(), false))).toBe('%F{green}63%%f');
		expect(formatLines([fillTemplate('#[fg={color}]', figures(), false)], 'coloured')).toBe('#[fg=green]\n');
	});

	it('an unknown figure in a template is left empty', () => {
		expect(text(fillTemplate('[{cold}]', figures({ cache: undefined }), false))).toBe('[]');
	});

	it('a template with an unknown placeholder is refused with the known ones', () => {
		expect(() => checkTemplate('status', '{percent} {foo}')).toThrow(
			expect.objectContaining({ exitCode: 2, message: expect.stringMatching(/no \{foo\}, only \{agent\}/) }),
		);
		expect(() => checkTemplate('status', '{{foo}} {percent}')).not.toThrow();
	});
});

it.each([
	[0, '0'],
	[999, '999'],
	[1000, '1k'],
	[61_908, '62k'],
	[999_600, '1M'],
	[1_250_000, '1.25M'],
	[123_456_789, '123M'],
	[3_140_000_000, '3.14B'],
])('%i tokens are written as %s', (tokens, written) => expect(formatTokens(tokens)).toBe(written));
