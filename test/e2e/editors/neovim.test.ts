import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { removeFolders } from '../../support/app.ts';
import { cleanUp } from '../../support/daemon.ts';
import { needs } from '../../support/needs.ts';
import { editorHome, unpackedEditor, versionOf } from './editorHome.ts';

const client = fileURLToPath(new URL('../../../client-neovim', import.meta.url));
const page = fileURLToPath(new URL('../../../docs/editors.md', import.meta.url));
const script = fileURLToPath(new URL('./neovimClient.lua', import.meta.url));

/** Neovim of Debian 13, and the system's Neovim if it is new enough. */
const programs = [unpackedEditor('nvim'), 'nvim'].filter(
	(program): program is string => program !== undefined && isNew(versionOf(program)),
);

/** Returns whether the plugin works in this version of Neovim. */
function isNew([major, minor]: readonly [number, number] = [0, 0]): boolean {
	return major > 0 || minor >= 10;
}

afterEach(async () => {
	await cleanUp();
	await removeFolders();
});

async function inNeovim(program: string): Promise<Record<string, unknown>> {
	const home = await editorHome();
	const { HOME = '' } = home.environment;
	const out = join(HOME, 'out.json');
	mkdirSync(join(HOME, 'help'));
	cpSync(join(client, 'doc'), join(HOME, 'help', 'doc'), { recursive: true });
	const { stderr } = spawnSync(
		program,
		['--headless', '--clean', '--cmd', `set rtp^=${client}`, '-c', `luafile ${script}`, 'readme.md'],
		{
			cwd: home.workspace,
			encoding: 'utf8',
			env: {
				...home.environment,
				CONTEXTD_TEST_OUT: out,
				CONTEXTD_TEST_DOC: join(HOME, 'help', 'doc'),
				CONTEXTD_TEST_TRANSCRIPT: home.transcript,
			},
		},
	);
	const seen = JSON.parse(readFileSync(out, 'utf8')) as Record<string, unknown>;
	expect([seen.problem, stderr]).toEqual([undefined, expect.not.stringMatching(/\bError\b/)]);
	return seen;
}

/** Returns the block of Vim script in docs/editors.md. */
function vimScriptOfPage(): string {
	const [, script] = /```vim\n(.*?)```/s.exec(readFileSync(page, 'utf8')) ?? [];
	if (script === undefined) throw new Error(`${page} has no block of Vim script`);
	return script;
}

describe.skipIf(versionOf('nvim') === undefined)(
	'the status line of older versions of Neovim',
	needs('Neovim, which scripts/installEditors.sh installs'),
	() => {
		it('shows what contextd status prints, by the lines of docs/editors.md', async () => {
			const { environment, workspace } = await editorHome();
			const out = join(environment.HOME ?? '', 'out.txt');
			const init = join(environment.HOME ?? '', 'init.vim');
			writeFileSync(init, vimScriptOfPage());
			const wait = `call wait(60000, {-> g:ctx != ''})`;
			const write = `call writefile([g:ctx], '${out}')`;
			const parameters = ['--headless', '--clean', '-u', init, '-c', `${wait} | ${write} | qa!`];
			spawnSync('nvim', parameters, { cwd: workspace, env: environment });
			expect(readFileSync(out, 'utf8')).toBe('61% 66k\n');
		});

		it.skipIf(isNew(versionOf('nvim')))('says in :checkhealth which Neovim is needed', async () => {
			const { environment, workspace } = await editorHome();
			const out = join(environment.HOME ?? '', 'health.txt');
			const check = ['-c', 'checkhealth contextd', '-c', `call writefile(getline(1, '$'), '${out}') | qa!`];
			const parameters = ['--headless', '--clean', '--cmd', `set rtp^=${client}`, ...check];
			spawnSync('nvim', parameters, { cwd: workspace, env: environment });
			expect(readFileSync(out, 'utf8')).toContain('ERROR: Neovim 0.10 or later is needed');
		});
	},
);

describe.skipIf(programs.length === 0)(
	'client-neovim',
	needs('Neovim 0.10, which scripts/installEditors.sh unpacks'),
	() => {
		it.each(programs)('shows the meter, compacts, undoes and searches in %s', async (program) => {
			const seen = await inNeovim(program);
			expect(seen).toMatchObject({
				status_at_start: '',
				meter: expect.stringMatching(/^ctx 40% 8\dk$/),
				usage: expect.stringMatching(/% healthy\n[\s\S]*\nWhat fills it\n[\s\S]*\nLargest messages\n/),
				preview: expect.stringMatching(/tokens[\s\S]*\nWhat changed\n/),
				compacted: expect.stringMatching(
					/^Freed \d+k tokens: the context is \d+% full\. :ContextUndo undoes it\.$/,
				),
				meter_after: expect.stringMatching(/^ctx [23]\d% \d+k$/),
				undone: 'Undid the newest compaction.',
				nothing: 'There is nothing to undo.',
				quickfix: expect.stringMatching(/^m\d+ \w+ {2}.*signature/),
				quickfix_title: expect.stringMatching(/^\d+ of \d+ messages with: SIGNATURE \[bracket$/),
				message_name: expect.stringMatching(/^contextd:\/\/ferry\/m\d+$/),
				message_line: expect.stringMatching(/signature/i),
				message_options: [false, false, 'nofile'],
				odd_name: 'contextd://ferry/odd%2f1%20%25%23',
				odd_line: 'zero ? byte, \\u0000 text',
				not_found: 'No message contains: zyxwvut',
				health: expect.stringMatching(
					/OK Neovim 0[\s\S]*OK the daemon answers, version[\s\S]*OK the newest session is ferry/,
				),
				help: 'contextd.txt',
				mirror: expect.stringMatching(
					/^Only Claude Code can change this session\. For a compacted copy run "contextd export -f claude-code --place"/,
				),
				mirror_undo: 'contextd has nothing to undo: only Claude Code can change this session.',
				elsewhere: expect.stringMatching(/^No agent has worked in \S+ yet\.$/),
				bad_setup: [false, 'contextd.setup: unknown setting "cmdd", expected cmd, format, refresh_seconds'],
				bad_type: [false, 'contextd.setup: refresh_seconds: expected a number, got a string'],
				no_command:
					'contextd: cannot find the command "contextd-that-is-nowhere"; install contextd, or set cmd',
				ended: 'contextd has ended; :checkhealth contextd may say why',
			});
		});
	},
);
