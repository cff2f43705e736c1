/** The lines that setup adds, in real shells and a real tmux, with a command that prints a fixed line. */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { listSnippets } from '../../../server/front/setup/snippets.ts';
import { freshFolder, removeFolders } from '../../support/app.ts';
import { eventually } from '../../support/eventually.ts';
import { needs } from '../../support/needs.ts';
import { pluginHome } from '../install/pluginHome.ts';

afterEach(removeFolders);

const has = (program: string, option: string) => spawnSync(program, [option]).status === 0;

/** Prints 47% in the format of the template, and records its folder argument. */
const stand = `#!/bin/sh
echo "$4" >> "$HOME/asked"
printf '%s' "$3" | /bin/sed 's/{percent}/47%/; s/{{{color}}}/{green}/; s/{color}/green/; s/{number}/47/'
`;

/** Returns a home with the stand-in on the PATH, and the lines of a program in a file. */
async function homeWith(title: string, before = '') {
	const home = freshFolder();
	writeFileSync(join(home, 'contextd'), stand, { mode: 0o755 });
	const { lines = [] } = listSnippets(await pluginHome()).find((one) => one.title === title) ?? {};
	const text = `${lines.join('\n')}\n`;
	const file = join(home, 'rc');
	// The lines occur twice, because users reload their configuration.
	writeFileSync(file, `${before}${text}${text}`);
	return { home, file, env: { HOME: home, PATH: `${home}:${process.env.PATH}`, TERM: 'xterm' } };
}

describe.skipIf(!has('bash', '--version'))('the lines for bash', needs('bash'), () => {
	it('the lines for bash show the figure once in front of the prompt, and keep the exit status', async () => {
		const { file, env } = await homeWith('bash', "PS1='[$?] '\n");
		const args = ['--rcfile', file, '-i', '-c', `false; printf "%s" "\${PS1@P}"`];
		expect(spawnSync('bash', args, { encoding: 'utf8', env }).stdout).toBe('47% [1] ');
	});

	it('the lines for bash change nothing in a shell without a prompt, and in another shell', async () => {
		const { file, env } = await homeWith('bash');
		for (const shell of ['bash', 'sh']) {
			const { stdout, stderr } = spawnSync(shell, ['-c', `. '${file}'; echo "<$PS1>"`], {
				encoding: 'utf8',
				env,
			});
			expect(stderr).toBe('');
			expect(stdout).not.toContain('contextd');
		}
	});
});

describe.skipIf(!has('zsh', '--version'))('the lines for zsh', needs('zsh'), () => {
	it('the lines for zsh show the coloured figure once, in front of the right prompt', async () => {
		const { file, env } = await homeWith('zsh', 'RPROMPT=mine\n');
		const args = ['-f', '-c', `source '${file}'; print -P -- $RPROMPT`];
		const { stdout, stderr } = spawnSync('zsh', args, { encoding: 'utf8', env });
		expect({ stdout, stderr }).toEqual({ stdout: '\u001b[32m47%\u001b[39m mine\n', stderr: '' });
	});
});

describe.skipIf(!has('fish', '--version'))('the lines for fish', needs('fish'), () => {
	it.each([
		['', '47%'],
		['function fish_right_prompt; echo -n "mine $status"; end\n', 'mine 1 47%'],
	])(
		'the lines for fish show the figure once, after the right prompt %j, and keep the exit status',
		async (before, expected) => {
			const { file, env } = await homeWith('fish', before);
			const args = ['-i', '--no-config', '-c', `source '${file}'; false; fish_right_prompt`];
			expect(spawnSync('fish', args, { encoding: 'utf8', env }).stdout).toBe(expected);
		},
	);
});

describe.skipIf(!has('tmux', '-V'))('the lines for tmux', needs('tmux'), () => {
	it('the lines for tmux ask once for the folder of the pane, whatever its name, and keep the status line', async () => {
		const { home, file, env } = await homeWith('tmux', "set -g status-right 'mine'\n");
		const folder = join(home, `a b'c"$(touch pwned)`);
		mkdirSync(folder);
		const tmux = (...args: string[]) =>
			spawnSync('tmux', ['-S', join(home, 'socket'), '-f', file, ...args], {
				encoding: 'utf8',
				env,
				cwd: home,
			});
		try {
			tmux('new-session', '-d', '-c', folder);
			tmux('source-file', file);
			const shown = tmux('show', '-gv', 'status-right').stdout;
			expect(shown).toMatch(/^mine #\(contextd status [^()]*\)\n$/);
			expect(tmux('show', '-gv', 'status-right-length').stdout).toBe('60\n');
			await eventually(() => {
				tmux('display', '-p', '#{T:status-right}');
				// Before the pane's shell has started, tmux may give another folder.
				expect(readFileSync(join(home, 'asked'), 'utf8').split('\n')).toContain(folder);
			});
			expect(existsSync(join(folder, 'pwned')) || existsSync(join(home, 'pwned'))).toBe(false);
		} finally {
			tmux('kill-server');
		}
	});
});
