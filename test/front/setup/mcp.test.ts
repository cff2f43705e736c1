import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parse } from 'jsonc-parser';
import { afterEach, describe, expect, it } from 'vitest';
import { removeFolders } from '../../support/app.ts';
import { setupHome } from './setupHome.ts';

afterEach(removeFolders);

const start = { command: 'contextd', args: ['mcp'] };

/** The agents with settings in JSON: title, program, file, group and entry. */
const jsonAgents = [
	['Gemini CLI', 'gemini', '.gemini/settings.json', 'mcpServers', start],
	[
		'Copilot CLI',
		'copilot',
		'.copilot/mcp-config.json',
		'mcpServers',
		{ type: 'local', ...start, tools: ['*'] },
	],
	['Qwen Code', 'qwen', '.qwen/settings.json', 'mcpServers', start],
	['Cline', 'cline', '.cline/data/settings/cline_mcp_settings.json', 'mcpServers', start],
	['Zed', 'zed', '.config/zed/settings.json', 'context_servers', { ...start, env: {} }],
] as const;

const codexFile = '.codex/config.toml';
const codexText = '# mine\nmodel = "gpt-5-codex"\n\n[mcp_servers.other]\ncommand = "other"\n';
const codexLines = ['[mcp_servers.contextd]', 'command = "contextd"', 'args = ["mcp"]'];

async function homeWith(program: string, file: string, text?: string) {
	const home = await setupHome(['contextd', program]);
	const path = join(home.home, file);
	if (text !== undefined) {
		await mkdir(dirname(path), { recursive: true });
		await writeFile(path, text);
	}
	return { ...home, path, text: () => readFile(path, 'utf8') };
}

describe.skipIf(process.platform === 'win32')('contextd setup, for agents without a plugin', () => {
	it.each(jsonAgents)(
		'registers the MCP server in %s next to the entries of the user, and --undo restores the file',
		async (title, program, file, group, entry) => {
			const before = `{\n\t// my servers\n\t"${group}": {\n\t\t"other": { "command": "other" }, // needed\n\t},\n}\n`;
			const home = await homeWith(program, file, before);
			const { out } = await home.setup('--yes');
			expect(out).toContain(`Registered the MCP server of contextd in ${home.path}`);
			expect(out).toContain(`Restart ${title}; then ask for something from earlier in a session`);
			const after = await home.text();
			expect(parse(after)[group]).toEqual({ other: { command: 'other' }, contextd: entry });
			expect(after.replace(/\n\t\t"contextd": \{.*?\n\t\t\},/s, '')).toBe(before);
			expect((await home.setup('--yes')).out).toMatch(new RegExp(`^✓ ${title} .*there already$`, 'ms'));
			expect(await home.setup('--undo')).toMatchObject({ code: 0, out: `Restored ${home.path}\n` });
			expect(await home.text()).toBe(before);
		},
	);

	it('registers it in Codex by lines at the end of its settings, and --undo restores the file', async () => {
		const home = await homeWith('codex', codexFile, codexText);
		const dry = await home.setup('--dry-run');
		for (const line of codexLines) expect(dry.out).toContain(`    + ${line}\n`);
		expect(await home.text()).toBe(codexText);
		await home.setup('--yes');
		const after = await home.text();
		expect(after.startsWith(codexText)).toBe(true);
		expect(after).toContain(codexLines.join('\n'));
		expect((await home.setup('--yes')).out).toMatch(/^✓ Codex .*there already$/ms);
		await writeFile(home.path, after.replace('gpt-5-codex', 'gpt-5'));
		expect((await home.setup('--undo')).out).toContain('only what contextd added was removed');
		expect(await home.text()).toBe(codexText.replace('gpt-5-codex', 'gpt-5'));
	});

	it('creates a missing file, keeps what an agent adds to it, and --undo removes only its own entry', async () => {
		const home = await homeWith('gemini', '.gemini/settings.json');
		const before = home.files();
		await home.setup('--yes');
		expect(JSON.parse(await home.text())).toEqual({ mcpServers: { contextd: start } });
		await home.setup('--undo');
		expect(home.files()).toEqual(before);
		await home.setup('--yes');
		await writeFile(home.path, JSON.stringify({ ...JSON.parse(await home.text()), theme: 'dark' }));
		await home.setup('--undo');
		expect(JSON.parse(await home.text())).toEqual({ theme: 'dark' });
	});

	it.each([
		['gemini', '.gemini/settings.json', '{ "mcpServers": ', 'is not valid JSON'],
		['gemini', '.gemini/settings.json', '{ "mcpServers": 1 }', 'has "mcpServers" that is not an object'],
		[
			'gemini',
			'.gemini/settings.json',
			'{"mcpServers":{"contextd":{"command":"mine"}}}',
			'already has another entry for contextd',
		],
		[
			'codex',
			codexFile,
			'[mcp_servers.contextd]\ncommand = "mine"\n',
			'already has another entry for contextd',
		],
		[
			'codex',
			codexFile,
			'mcp_servers = { a = { command = "a" } }\n',
			'already has another entry for contextd',
		],
	])('leaves the settings of %s alone: %s with %s', async (program, file, text, why) => {
		const home = await homeWith(program, file, text);
		const { code, out } = await home.setup('--yes');
		expect(code).toBe(0);
		expect(out.replace(/\s+/g, ' ')).toContain(why);
		expect(await home.text()).toBe(text);
		expect(existsSync(join(home.home, 'state', 'setup'))).toBe(false);
	});

	it('registers nothing without the command on the PATH, and finds agents by their sessions', async () => {
		const transcript = { path: '/t', agent: 'codex', label: 'Codex', size: 1, updatedAt: 1 };
		const home = await setupHome([], [transcript]);
		const { out } = await home.setup('--yes');
		expect(out.replace(/\s+/g, ' ')).toContain('· Codex MCP server');
		expect(out.replace(/\s+/g, ' ')).toContain('the command contextd is not on the PATH');
		expect(existsSync(join(home.home, '.codex'))).toBe(false);
	});

	it('contextd doctor says whether the files have what setup added', async () => {
		const home = await homeWith('zed', '.config/zed/settings.json', '// empty\n{}\n');
		await home.setup('--yes');
		const sound = await home.run(['doctor']);
		expect(sound.out).toContain(`✓ ${home.path} contains what setup added`);
		await writeFile(home.path, '{');
		const broken = await home.run(['doctor']);
		expect(broken.out).toContain(`✗ ${home.path} is not valid JSON`);
		expect((await home.setup('--undo')).code).toBe(1);
		expect(readFileSync(home.path, 'utf8')).toBe('{');
	});
});
