import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { removeFolders } from '../../support/app.ts';
import { cleanUp } from '../../support/daemon.ts';
import { needs } from '../../support/needs.ts';
import { type EditorHome, editorHome, unpackedEditor, versionOf } from './editorHome.ts';

const page = fileURLToPath(new URL('../../../docs/editors.md', import.meta.url));
const helix = unpackedEditor('hx') ?? 'hx';
const isThere = versionOf(helix) !== undefined && spawnSync('tmux', ['-V']).status === 0;

/** Returns the TOML blocks in the section about Helix of docs/editors.md. */
function tomlOfPage(): string[] {
	const [, section = ''] = readFileSync(page, 'utf8').split('\n## Helix\n');
	return [...(section.split('\n## ')[0] ?? '').matchAll(/```toml\n(.*?)```/gs)].map(([, text = '']) => text);
}

let server = '';

function tmux(...parameters: string[]): string {
	const { stdout, stderr, status } = spawnSync('tmux', ['-L', server, '-f', '/dev/null', ...parameters], {
		encoding: 'utf8',
	});
	if (status !== 0) throw new Error(`tmux ${parameters[0]}: ${stderr}`);
	return stdout;
}

async function screenLike(pattern: RegExp): Promise<string> {
	await expect.poll(() => tmux('capture-pane', '-p', '-J'), { timeout: 60_000 }).toMatch(pattern);
	return tmux('capture-pane', '-p', '-J');
}

/** Starts Helix in a terminal of 160 columns, with the configuration of docs/editors.md. */
async function startHelix({ environment, workspace }: EditorHome): Promise<void> {
	const folder = join(environment.HOME ?? '', '.config/helix');
	mkdirSync(folder, { recursive: true });
	const [languages = '', keys = ''] = tomlOfPage();
	writeFileSync(join(folder, 'languages.toml'), languages);
	writeFileSync(join(folder, 'config.toml'), keys);
	server = `contextd-${process.pid}`;
	const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
	const command = ['env', ...variables, helix, 'readme.md'].map((word) => `'${word}'`).join(' ');
	tmux('new-session', '-d', '-x', '160', '-y', '20', '-c', workspace, command);
	await screenLike(/hello[\s\S]*NOR/);
}

afterEach(async () => {
	if (server !== '') tmux('kill-server');
	server = '';
	await cleanUp();
	await removeFolders();
});

function run(command: string): void {
	tmux('send-keys', '-l', `:lsp-workspace-command ${command}`);
	tmux('send-keys', 'Enter');
}

describe.skipIf(!isThere)('Helix', needs('Helix and tmux, which scripts/installEditors.sh installs'), () => {
	it('shows, compacts and undoes by commands without arguments, configured as docs/editors.md says', async () => {
		const home = await editorHome();
		await startHelix(home);
		// While a language server is starting, Helix does not know its commands.
		let isStarting = true;
		while (isStarting) {
			run('contextd.showUsage');
			isStarting = /not supported/.test(await screenLike(/not supported|left; mostly/));
			await setTimeout(200);
		}
		await screenLike(/^40% full: \d+k of 136k tokens, 8\dk left; mostly .* · "Departures an hour late"/m);
		run('contextd.compactNewest');
		await screenLike(
			/^Compacted "Departures an hour late" from [\d.]+k to [\d.]+k tokens\. The command contextd\.undoNewest/m,
		);
		// The key that docs/editors.md binds.
		tmux('send-keys', 'Space', 't', 'z');
		await screenLike(/^Undid the newest compaction\. Now 40% full: /m);
		const soon = new Date(Date.now() + 3_600_000);
		utimesSync(home.transcript, soon, soon);
		run('contextd.compactNewest');
		await screenLike(
			/^Only Claude Code can change this session\. For a compacted copy run "contextd export -f claude-code --place"/m,
		);
	});
});
