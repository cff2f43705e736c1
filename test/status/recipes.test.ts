/** The settings that `contextd status --help` shows can be pasted unchanged. */

import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { renderStatusHelp } from '../../server/status/line.ts';
import { fillTemplate } from '../../server/status/template.ts';

const help = renderStatusHelp('status').map((line) => line.map(({ text }) => text).join(''));

const figures = {
	agent: 'claude-code',
	model: 'claude-sonnet-4-5',
	used: 47_000,
	limit: { window: 100_000, tokens: 100_000, of: 'agent', compacts: 'agent' },
	state: 'healthy',
	idleMs: 0,
	now: 0,
} as const;

it('the help for starship is a TOML table with one setting a line', () => {
	const from = help.findIndex((line) => line.includes('starship'));
	const lines = help.slice(from, from + 3).map((line) => line.slice(12));
	expect(lines).toEqual(['[custom.context]', `command = "contextd status -f '{percent}'"`, 'when = true']);
});

it('the help for zsh escapes percent signs for prompts', () => {
	const template = /-f "(%F[^"]*)"/.exec(help.find((line) => line.includes('zsh')) ?? '')?.[1] ?? '';
	const text = fillTemplate(template, figures, false)
		.map((one) => one.text)
		.join('');
	expect(text).toBe('%F{green}47%%%f');
});

it.skipIf(process.platform === 'win32')(
	'the help for bash is a prompt that runs the command at each line',
	() => {
		const recipe = help.find((line) => line.trim().startsWith('bash'))?.slice(12) ?? '';
		const script = `PS1='$ '\ncontextd() { echo -n '47% '; }\n${recipe}\necho "\${PS1@P}"`;
		expect(execFileSync('bash', ['-c', script], { encoding: 'utf8' })).toBe('47% $ \n');
	},
);
