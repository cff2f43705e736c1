import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CommandFailure } from '../../server/front/console/failure.ts';
import { parseStatusInput } from '../../server/status/statusline.ts';

const full = {
	session_id: 's',
	transcript_path: '/home/me/.claude/projects/-w/s.jsonl',
	cwd: '/w/inner',
	model: { id: 'claude-opus-5-5', display_name: 'Opus 5.5' },
	workspace: { current_dir: '/w/inner', project_dir: '/w', added_dirs: [] },
	context_window: {
		context_window_size: 1_000_000,
		current_usage: {
			input_tokens: 10,
			output_tokens: 5,
			cache_creation_input_tokens: 2000,
			cache_read_input_tokens: 18_000,
		},
	},
	prompt_cache: { warm: true, ttl: '5m', expires_at: 1000, recache_tokens_if_cold: 20_010 },
};

describe("input of Claude Code's status line", () => {
	it('the input of a status line gives session, model, window, usage, folder and cache', () => {
		expect(parseStatusInput(JSON.stringify(full), 999_000)).toEqual({
			session: 's',
			transcript: '/home/me/.claude/projects/-w/s.jsonl',
			model: 'claude-opus-5-5',
			window: 1_000_000,
			usage: { input: 10, output: 5, cacheRead: 18_000, cacheWrite: 2000 },
			folder: '/w',
			coldTokens: 20_010,
			isCold: false,
			expiresAt: 1_000_000,
			ttl: '5m',
		});
	});

	it('the input of a status line shows an expired cache', () => {
		expect(parseStatusInput(JSON.stringify(full), 1_000_001)).toMatchObject({ isCold: true });
		const cold = { ...full, prompt_cache: { warm: false } };
		expect(parseStatusInput(JSON.stringify(cold), 0)).toMatchObject({ isCold: true });
	});

	it('the input of a status line may lack members, as in older versions and new sessions', () => {
		expect(parseStatusInput('{}', 0)).toMatchObject({ model: '', window: undefined, usage: undefined });
		const fresh = { ...full, context_window: { context_window_size: 200_000, current_usage: null } };
		expect(parseStatusInput(JSON.stringify(fresh), 0)).toMatchObject({ window: 200_000, usage: undefined });
	});

	it.each(['', 'no json', '[]', '"x"', 'null'])(
		'refuses %j as the input of a status line, in one line',
		(text) => {
			expect(() => parseStatusInput(text, 0)).toThrow(
				expect.objectContaining({
					exitCode: 2,
					message: expect.stringContaining('statusline: expected the JSON'),
				}),
			);
		},
	);

	it('any input of the status line gives figures or fails with one line', () => {
		fc.assert(
			fc.property(fc.oneof(fc.json(), fc.string()), (text) => {
				try {
					expect(typeof parseStatusInput(text, 0).model).toBe('string');
				} catch (error) {
					expect(error).toBeInstanceOf(CommandFailure);
				}
			}),
		);
	});
});
