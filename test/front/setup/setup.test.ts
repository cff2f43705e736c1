import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { removeFolders } from '../../support/app.ts';
import { sessionAnswers } from '../fakeDaemon.ts';
import { endedHomes } from '../install/claudeHome.ts';
import { statsWith } from '../values.ts';
import { setupHome } from './setupHome.ts';

afterEach(removeFolders);

const claudeHomeWith = endedHomes();

const cursorTranscript = { path: '/t', agent: 'cursor', label: 'Cursor', size: 1, updatedAt: 1 };

describe.skipIf(process.platform === 'win32')('contextd setup', () => {
	it('prints the plan, writes nothing and succeeds without a terminal', async () => {
		const home = await setupHome(['contextd', 'opencode', 'tmux', 'nvim'], [cursorTranscript]);
		await writeFile(join(home.home, '.bashrc'), 'alias l=ls\n');
		const before = home.files();
		const { code, out, err } = await home.setup();
		expect({ code, err }).toEqual({ code: 0, err: '' });
		expect(out).toMatch(/^\+ OpenCode {2}plugin: .* · new$/m);
		expect(out).toMatch(/^\+ bash .* ·\s+.*\/\.bashrc$/m);
		expect(out).toMatch(/^\+ tmux .* ·\s+.*\/\.tmux\.conf$/m);
		expect(out).toMatch(/^· Cursor .* · nothing to install$/m);
		expect(out).toMatch(/^· Neovim /m);
		expect(out).not.toMatch(/^\S (?:pi|zsh|fish|Emacs|VS Code)\b/m);
		expect(out).toContain('"contextd setup --yes" sets up OpenCode, bash, tmux');
		expect(home.files()).toEqual(before);
		expect(existsSync(join(home.home, 'state', 'setup'))).toBe(false);
	});

	it('sets up every part with --yes, says so when run again, and --undo restores every file', async () => {
		const home = await setupHome(['contextd', 'opencode', 'pi', 'code', 'hx']);
		await writeFile(join(home.home, '.bashrc'), 'no line end', { mode: 0o640 });
		await writeFile(join(home.home, '.zshrc'), Buffer.from([0xff, 0x0a, 0x80]), { mode: 0o600 });
		await mkdir(join(home.home, '.config', 'fish'), { recursive: true });
		const before = home.files();
		const first = await home.setup('--yes');
		expect(first).toMatchObject({ code: 0, err: '' });
		expect(first.out).toContain('Restart OpenCode, pi; then type /contextd there');
		expect(first.out).toContain('Helix, for ~/.config/helix/config.toml');
		expect(await readFile(join(home.home, 'code.version'), 'utf8')).toBe('1.2.3\n');
		expect(home.files()['.bashrc']).toMatch(/^640 no line end\n# >>> contextd >>>/);
		const after = home.files();
		const manifest = join(home.home, 'state', 'setup', 'manifest.json');
		expect(readFileSync(manifest, 'utf8')).not.toContain('undefined');
		const again = await home.setup('--yes');
		expect(again.out.match(/there already$/gm)).toHaveLength(6);
		expect(again.out).not.toMatch(/^\+/m);
		expect(home.files()).toEqual(after);
		expect(await home.setup('--undo')).toMatchObject({ code: 0, err: '' });
		expect(home.files()).toEqual(before);
		expect(existsSync(manifest)).toBe(false);
		expect((await home.setup('--undo')).out).toBe('There is nothing to revert.\n');
	});

	it('--dry-run prints exactly the lines that --yes adds, and writes nothing', async () => {
		const home = await setupHome(['contextd', 'opencode', 'tmux']);
		await writeFile(join(home.home, '.bashrc'), 'a\n');
		const before = home.files();
		const { out } = await home.setup('--dry-run');
		expect(home.files()).toEqual(before);
		const plus = out.split('\n').filter((line) => line.startsWith('    + '));
		await home.setup('--yes');
		const written = ['.bashrc', '.tmux.conf']
			.map((name) => readFileSync(join(home.home, name), 'utf8'))
			.join('');
		expect(plus.map((line) => line.slice(6)).join('\n')).toBe(
			written.replaceAll('\t', '    ').replace('a\n', '').trimEnd(),
		);
	});

	it('--dry-run prints the lines that Claude Code and setup change in its settings', async () => {
		const text =
			'{\n  "theme": "dark",\n  "statusLine": {\n    "type": "command",\n    "command": "mine"\n  }\n}\n';
		const home = await claudeHomeWith(text);
		const { out } = await home.run('setup', '--dry-run');
		expect(await readFile(home.settings, 'utf8')).toBe(text);
		await home.run('install', 'claude');
		const after = (await readFile(home.settings, 'utf8')).split('\n').map((line) => line.replace(/,$/, ''));
		const changed = out.split('\n').filter((line) => /^ {4}[+-] /.test(line));
		const added = changed
			.filter((line) => line.startsWith('    + '))
			.map((line) => line.slice(6).replace(/,$/, ''));
		expect(changed.slice(0, 2)).toEqual([
			'    -     "command": "mine"',
			expect.stringContaining('--below mine'),
		]);
		for (const line of added.slice(0, 12)) expect(after).toContain(line);
		expect(added.join()).toContain('"contextd@contextd": true');
	});

	it.each([
		['y\n', true],
		['\n', true],
		['n\n', false],
		['what\n', false],
		['', false],
	])('asks once at a terminal; the answer %j means %s', async (text, isYes) => {
		const home = await setupHome(['contextd', 'opencode']);
		const { code, out } = await home.answer(text);
		expect(code).toBe(0);
		expect(out.match(/Set up OpenCode\?/g)).toHaveLength(1);
		expect(existsSync(join(home.home, '.config/opencode/plugin/contextd.js'))).toBe(isYes);
		expect(out.includes('Nothing was written')).toBe(!isYes);
	});

	it('asks once whether to record sessions, never with --yes, and --undo stops it', async () => {
		const home = await setupHome(['contextd', 'opencode']);
		const settings = join(home.home, 'state', 'recorder', 'settings.json');
		expect((await home.setup('--yes')).out).not.toContain('Record');
		expect(existsSync(settings)).toBe(false);
		const yes = await home.answer(' ', 'y\n');
		expect(yes.out.replace(/\s+/g, ' ')).toContain('which only you can read');
		expect(yes.out).toContain('Recording sessions.\n');
		expect(readFileSync(settings, 'utf8')).toBe('{"recording":true}');
		expect((await home.answer(' ')).out).not.toContain('Record');
		expect((await home.setup('--undo')).out).toMatch(
			/^Stopped recording sessions\. What is recorded stays in /m,
		);
		expect(readFileSync(settings, 'utf8')).toBe('{"recording":false}');
		expect((await home.answer('y\n')).out).not.toContain('Record');
	});

	it('shows the meter of the sample session on a machine without agents, and what to do next', async () => {
		const home = await setupHome(['contextd']);
		const answers = {
			...sessionAnswers(),
			'context/discover': () => ({ transcripts: [] }),
			'context/stats': () => statsWith(),
		};
		const { code, out, fake } = await home.run(['setup'], { answers });
		expect(code).toBe(0);
		expect(out).toContain('No agent was found here. This is the meter of a sample session:');
		expect(out).toMatch(/65% healthy\n88,400 of 136,000 tokens/);
		expect(out).toMatch(/Next\n {2}Use Claude Code, OpenCode, pi, Codex or another agent/);
		expect(fake?.messages.find(({ method }) => method === 'context/import')?.params).toMatchObject({
			path: join(home.home, 'examples', 'session.jsonl'),
		});
	});

	it('edits the target of a link, and leaves the link', async () => {
		const home = await setupHome(['contextd', 'opencode']);
		await mkdir(join(home.home, 'dotfiles'));
		await writeFile(join(home.home, 'dotfiles', 'bashrc'), 'mine\n');
		await symlink('dotfiles/bashrc', join(home.home, '.bashrc'));
		const before = home.files();
		const { out } = await home.setup('--yes');
		expect(out).toContain(`${home.home}/.bashrc -> ${home.home}/dotfiles/bashrc`);
		expect(home.files()['dotfiles/bashrc']).toContain('mine\n# >>> contextd >>>');
		expect(home.files()['.bashrc']).toMatch(/^link /);
		await home.setup('--undo');
		expect(home.files()).toEqual(before);
	});

	it('does not change read-only files, folders, half-marked files, or files that already call contextd status', async () => {
		const home = await setupHome(['contextd', 'opencode']);
		await writeFile(join(home.home, '.bashrc'), 'a\n');
		await chmod(join(home.home, '.bashrc'), 0o444);
		await mkdir(join(home.home, '.zshrc'));
		await writeFile(join(home.home, '.tmux.conf'), '# >>> contextd >>>\nset -g status on\n');
		await mkdir(join(home.home, '.config/fish/conf.d'), { recursive: true });
		await writeFile(join(home.home, '.config/fish/conf.d/contextd.fish'), 'contextd status\n');
		const before = home.files();
		const { code, out } = await home.run(['setup', '--yes'], { env: { COLUMNS: '400' } });
		expect(code).toBe(0);
		expect(out).toMatch(/^· bash .*is read-only; it was left unchanged$/m);
		expect(out).toMatch(/^· zsh .*is not a file; it was left unchanged$/m);
		expect(out).toMatch(/^· tmux .*only one of the two marker comments/m);
		expect(out).toMatch(/^· fish .*calls contextd status already$/m);
		const { '.config/opencode': _, '.config/opencode/plugin': __, ...rest } = home.files();
		delete rest['.config/opencode/plugin/contextd.js'];
		expect(rest).toEqual(before);
	});

	it('names a link that leads in a circle, and --undo skips it', async () => {
		const home = await setupHome(['contextd', 'opencode']);
		await symlink('.bashrc', join(home.home, '.bashrc'));
		await mkdir(join(home.home, '.tmux.conf'));
		const { code, out } = await home.run(['setup', '--yes'], { env: { COLUMNS: '400', SHELL: '/bin/bash' } });
		expect(code).toBe(0);
		expect(out).toMatch(/^· bash .*\.bashrc cannot be read: .*; it was left unchanged$/m);
		expect(out).toMatch(/^· tmux .*is not a file; it was left unchanged$/m);
		expect(await home.setup('--undo')).toMatchObject({ code: 0, err: '' });
	});

	it('sets up no shell without the command on the PATH', async () => {
		const home = await setupHome(['opencode']);
		await writeFile(join(home.home, '.bashrc'), 'a\n');
		expect((await home.setup()).out).toMatch(/^· bash .*the command contextd is not on the PATH/m);
	});

	it('continues with the other parts if one fails, names it, and exits with 1', async () => {
		const home = await setupHome(['contextd', 'opencode']);
		await mkdir(join(home.home, '.config/opencode/plugin'), { recursive: true });
		await writeFile(join(home.home, '.config/opencode/plugin/contextd.js'), '// mine');
		await writeFile(join(home.home, '.bashrc'), '');
		const { code, out, err } = await home.setup('--yes');
		expect(code).toBe(1);
		expect(out).toMatch(/^✗ OpenCode: .*is not a file of contextd; it was left unchanged$/m);
		expect(err).toBe('contextd: 1 of 2 parts could not be set up\n');
		expect(home.files()['.bashrc']).toContain('contextd status');
		await home.setup('--undo');
		expect(home.files()).toMatchObject({
			'.bashrc': '644 ',
			'.config/opencode/plugin/contextd.js': '644 // mine',
		});
	});

	it('--undo keeps a plugin and an extension that were there before setup', async () => {
		const home = await setupHome(['contextd', 'opencode', 'pi', 'code']);
		await home.run(['install', 'opencode']);
		await writeFile(join(home.home, 'code.version'), '1.0.0\n');
		const { out } = await home.setup('--yes');
		expect(out).toMatch(/^\+ VS Code .* · update from 1\.0\.0$/m);
		await home.setup('--undo');
		expect(existsSync(join(home.home, '.config/opencode/plugin/contextd.js'))).toBe(true);
		expect(existsSync(join(home.home, '.pi'))).toBe(false);
		expect(existsSync(join(home.home, 'code.version'))).toBe(true);
	});

	it('an interrupted setup is continued by the next run, and reverted by --undo', async () => {
		const home = await setupHome(['contextd', 'opencode', 'pi']);
		await writeFile(join(home.home, '.bashrc'), 'a');
		const before = home.files();
		await home.setup('--yes');
		// The state after a process that ended between recording a change and making it.
		await writeFile(join(home.home, '.bashrc'), 'a', { mode: 0o644 });
		await rm(join(home.home, '.pi'), { recursive: true });
		await rm(join(home.home, 'state/agents'), { recursive: true });
		await rm(join(home.home, '.config'), { recursive: true });
		expect((await home.setup('--undo')).code).toBe(0);
		expect(home.files()).toEqual(before);
		expect((await home.setup('--yes')).code).toBe(0);
		await writeFile(join(home.home, '.bashrc'), 'a');
		expect((await home.setup('--yes')).code).toBe(0);
		expect(home.files()['.bashrc']).toMatch(/^644 a\n# >>> contextd/);
		await home.setup('--undo');
		expect(home.files()).toEqual(before);
	});

	it('refuses a damaged manifest by name, and options that exclude each other', async () => {
		const home = await setupHome(['contextd']);
		await mkdir(join(home.home, 'state/setup'), { recursive: true });
		await writeFile(join(home.home, 'state/setup/manifest.json'), '{"files":[{}]}');
		expect(await home.setup('--undo')).toMatchObject({
			code: 1,
			err: expect.stringContaining('state/setup/manifest.json is damaged'),
		});
		expect(await home.setup('--yes', '--undo')).toMatchObject({
			code: 2,
			err: expect.stringContaining('setup: --yes and --undo cannot be combined'),
		});
		expect((await home.setup('all')).code).toBe(2);
	});
});
