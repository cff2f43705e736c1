import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { writeCompletionScript } from '../../server/front/completion.ts';
import { commandUsages } from '../../server/front/console/usage.ts';
import { freshFolder, removeFolders } from '../support/app.ts';
import { needs } from '../support/needs.ts';
import { offeredByZsh } from '../support/zsh.ts';
import { runCommand } from './runCommand.ts';

afterEach(removeFolders);

const has = (shell: string) => spawnSync(shell, ['-c', 'true']).status === 0;

/** Returns what bash offers for a line whose last word is being typed. */
function offered(line: string): string[] {
	const words = line.split(' ');
	const script = `${writeCompletionScript('bash')}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')})
COMP_CWORD=${words.length - 1}
_contextd
printf '%s\\n' "\${COMPREPLY[@]}"`;
	const { stdout, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
	expect(stderr).toBe('');
	return stdout.split('\n').filter((word) => word !== '');
}

describe.skipIf(!has('bash'))('completion in bash', needs('bash'), () => {
	it('bash completes the names of commands', () => {
		expect(offered('contextd ')).toEqual(expect.arrayContaining(commandUsages.map(({ name }) => name)));
		expect(offered('contextd st')).toEqual(['stats', 'status', 'statusline']);
	});

	it('bash completes the options of a command', () => {
		expect(offered('contextd compact --')).toEqual(
			expect.arrayContaining(['--target', '--output', '--instructions', '--model', '--help']),
		);
		expect(offered('contextd stats --t')).toEqual([]);
	});

	it('bash completes the values of an option or operand, and files elsewhere', () => {
		expect(offered('contextd export -f cl')).toEqual(['claude-code']);
		expect(offered('contextd completion ')).toEqual(['bash', 'zsh', 'fish']);
		expect(offered('contextd stats packa')).toContain('package.json');
	});
});

describe.skipIf(!has('zsh'))('completion in zsh', needs('zsh'), () => {
	it('the zsh completion is valid zsh', () => {
		const { status, stderr } = spawnSync('zsh', ['-n'], {
			input: writeCompletionScript('zsh'),
			encoding: 'utf8',
		});
		expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
	});

	it('zsh completes commands, options, values and files in a terminal', () => {
		const folder = freshFolder();
		const asked = (line: string) => offeredByZsh(writeCompletionScript('zsh'), line, folder);
		expect(asked('contextd st')).toEqual(['stats', 'status', 'statusline']);
		expect(asked('contextd compact --ta')).toEqual(['--target']);
		expect(asked('contextd undo --')).toEqual(['--session', '--json', '--help']);
		expect(asked('contextd export -f cl')).toEqual(['claude-code']);
		expect(asked('contextd completion ')).toEqual(['bash', 'zsh', 'fish']);
		expect(asked('contextd stats compl')).toEqual(['completion.zsh']);
	});
});

describe.skipIf(!has('fish'))('completion in fish', needs('fish'), () => {
	it('fish completes commands, options, values and files', () => {
		// fish completes only commands that exist.
		const folder = freshFolder();
		writeFileSync(join(folder, 'contextd'), '#!/bin/sh\n', { mode: 0o755 });
		const env = { PATH: `${folder}:${process.env.PATH}`, HOME: folder };
		const asked = (line: string) => {
			const script = `${writeCompletionScript('fish')}\ncomplete -C '${line}'`;
			const { stdout } = spawnSync('fish', ['-c', script], { encoding: 'utf8', env });
			return stdout.split('\n').flatMap((row) => row.split('\t')[0] || []);
		};
		expect(asked('contextd st')).toEqual(['stats', 'status', 'statusline']);
		expect(asked('contextd export --fo')).toEqual(['--format']);
		expect(asked('contextd export -f cl')).toEqual(['claude-code']);
		expect(asked('contextd undo --s')).toEqual(['--session']);
		expect(asked('contextd completion ')).toEqual(expect.arrayContaining(['bash', 'zsh', 'fish']));
		expect(asked(`contextd stats ${folder}/cont`)).toEqual([`${folder}/contextd`]);
	});
});

describe('help', () => {
	it.each(commandUsages.map(({ name }) => name))(
		'help on %s lists its options and examples',
		async (name) => {
			const usage = commandUsages.find((one) => one.name === name);
			const { code, out } = await runCommand(['help', name]);
			expect(code).toBe(0);
			for (const { long } of usage?.options ?? []) expect(out).toContain(long);
			for (const [line] of usage?.examples ?? []) expect(out).toContain(line);
			for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(120);
		},
	);

	it('help without a command lists every command', async () => {
		const { out } = await runCommand(['--help']);
		for (const { name, operand } of commandUsages)
			expect(out).toContain(`contextd ${name} ${operand}`.trim());
	});

	it('help on an unknown command and completion of an unknown shell are refused', async () => {
		expect(await runCommand(['help', 'stat'])).toMatchObject({
			code: 2,
			err: expect.stringContaining('stats'),
		});
		expect(await runCommand(['completion', 'cmd'])).toMatchObject({
			code: 2,
			err: expect.stringContaining('expected one of bash, zsh, fish, got "cmd"'),
		});
	});
});
