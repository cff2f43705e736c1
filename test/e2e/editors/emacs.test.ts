import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { freshFolder, removeFolders } from '../../support/app.ts';
import { cleanUp } from '../../support/daemon.ts';
import { needs } from '../../support/needs.ts';
import { editorHome, versionOf } from './editorHome.ts';

const client = fileURLToPath(new URL('../../../client-emacs', import.meta.url));
const script = fileURLToPath(new URL('./emacsClient.el', import.meta.url));
const checks = fileURLToPath(new URL('./checkClient.el', import.meta.url));
const hasEmacs = (versionOf('emacs')?.[0] ?? 0) >= 28;

afterEach(async () => {
	await cleanUp();
	await removeFolders();
});

describe.skipIf(!hasEmacs)(
	'client-emacs',
	needs('Emacs 28, which scripts/installEditors.sh installs'),
	() => {
		it('compiles without warnings, and documents everything as checkdoc demands', () => {
			const { status, stdout, stderr } = spawnSync(
				'emacs',
				['-Q', '--batch', '-l', checks, join(client, 'contextd.el')],
				{
					encoding: 'utf8',
					env: { ...process.env, CONTEXTD_TEST_OUT: join(freshFolder(), 'contextd.elc') },
				},
			);
			expect([status, stdout, stderr]).toEqual([0, '', '']);
		});

		it('shows the meter, compacts, undoes and searches', async () => {
			const home = await editorHome();
			const out = join(home.environment.HOME ?? '', 'out.json');
			const { stderr } = spawnSync('emacs', ['-Q', '--batch', '-L', client, '-l', script], {
				cwd: home.workspace,
				encoding: 'utf8',
				env: {
					...home.environment,
					CONTEXTD_TEST_OUT: out,
					CONTEXTD_TEST_TRANSCRIPT: home.transcript,
				},
			});
			const seen = JSON.parse(readFileSync(out, 'utf8')) as Record<string, unknown>;
			expect([seen.problem, stderr]).toEqual([undefined, expect.not.stringMatching(/warning|error/i)]);
			expect(seen).toMatchObject({
				meter: expect.stringMatching(/^ ctx 40% 8\dk$/),
				lighter: seen.meter,
				usage: expect.stringMatching(/^Departures an hour late\n\n[\s\S]*\nWhat fills it\n/),
				question: 'Compact this session? ',
				compacted: expect.stringMatching(
					/^Freed \d+k tokens: the context is \d+% full; M-x contextd-undo undoes it$/,
				),
				'meter-after': expect.stringMatching(/^ ctx [23]\d% \d+k$/),
				undone: 'Undid the newest compaction',
				nothing: 'There is nothing to undo',
				preview: expect.stringMatching(/^Departures an hour late\n\n[\s\S]*\nWhat changed\n/),
				declined: 'There is nothing to undo',
				row: expect.stringMatching(/^m\d+ +\w+ .*signature/),
				'message-name': expect.stringMatching(/^\*contextd message m\d+\*$/),
				'message-at': expect.stringMatching(/^signature$/i),
				'row-nul': expect.stringMatching(/ zero .{1,2}byte, \\u0000 text$/),
				pieces: 'a\\u2400\\n\\u2400\\u2400\\\\u0000 \\u00e4\\\\u0000',
				'not-found': 'No message contains: zyxwvut',
				mirror: expect.stringMatching(
					/^Explain the parser\.\n\nOnly Claude Code can change this session\. For a compacted copy run "/,
				),
				'mirror-undo': 'Contextd has nothing to undo: only Claude Code can change this session',
				elsewhere: expect.stringMatching(/^No agent has worked in \S+\/bin yet$/),
				'meter-off': '',
				'no-command':
					'Cannot find the command contextd-that-is-nowhere; install contextd, or set contextd-command',
				ended: 'Contextd has ended; run "contextd doctor" in a terminal',
			});
		});
	},
);
