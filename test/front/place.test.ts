import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Answer, sessionAnswers } from './fakeDaemon.ts';
import { runCommand, sent } from './runCommand.ts';
import { compactionWith } from './values.ts';

let folder: string;
let transcript: string;

beforeEach(async () => {
	folder = await mkdtemp(join(tmpdir(), 'contextd-test-'));
	transcript = join(folder, 'session.jsonl');
	await writeFile(transcript, '{}\n');
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const answers: Record<string, Answer> = {
	...sessionAnswers(),
	'context/import': () => ({ sessionId: 'imported', source: 'claude-code', messageCount: 2, skipped: [] }),
	'context/discover': () => ({ transcripts: [] }),
	'context/export': () => ({
		text: 'the file',
		messageCount: 1,
		agentSessionId: 'id-1',
		compaction: compactionWith(),
	}),
};

describe('putting a session where its agent finds it', () => {
	it.each([
		['codex', /^\.codex\/sessions\/\d{4}\/\d\d\/\d\d\/rollout-[\dT-]+-id-1\.jsonl$/, /^codex resume id-1$/],
		['gemini-cli', /^\.gemini\/contextd\/id-1\.jsonl$/, /^gemini --session-file \/.*\/id-1\.jsonl$/],
		['copilot-cli', /^\.copilot\/session-state\/id-1\/events\.jsonl$/, /^copilot --resume=id-1$/],
	])(
		'contextd export --place writes a session of %s where its agent finds it',
		async (format, place, command) => {
			const env = { HOME: folder };
			const done = await runCommand(['export', transcript, '-f', format, '--place'], { answers, env });
			expect(done).toMatchObject({ code: 0, err: '' });
			const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((one) =>
				one.isFile(),
			);
			const written = files.map((one) => relative(folder, join(one.parentPath, one.name)));
			expect(written.filter((name) => name.startsWith('.'))).toEqual([expect.stringMatching(place)]);
			expect(done.out.trim().split('Continue with: ')[1]).toMatch(command);
		},
	);

	it.each([
		['model_provider = "azure"\n[profiles.x]\nmodel_provider = "other"\n', 'azure'],
		['model = "gpt-5"\n', undefined],
	])('a session for Codex names the provider of its settings (%j)', async (toml, agentProvider) => {
		await mkdir(join(folder, '.codex'));
		await writeFile(join(folder, '.codex/config.toml'), toml);
		const done = await runCommand(['export', transcript, '-f', 'codex'], { answers, env: { HOME: folder } });
		expect(sent(done, 'context/export')).toMatchObject({
			format: 'codex',
			...(agentProvider && { agentProvider }),
		});
		expect(JSON.stringify(sent(done, 'context/export')).includes('agentProvider')).toBe(
			agentProvider !== undefined,
		);
	});

	it('contextd export --place lets OpenCode import the session, and leaves no file behind', async () => {
		const program = join(folder, 'opencode');
		await writeFile(
			program,
			`#!/bin/sh\necho "$1" > "${folder}/asked"; cat "$2" >> "${folder}/asked"; echo "$2" > "${folder}/path"\n`,
		);
		await chmod(program, 0o755);
		const env = { HOME: folder, PATH: `${folder}:${process.env.PATH}` };
		const done = await runCommand(['export', transcript, '-f', 'opencode', '--place'], { answers, env });
		expect(done).toMatchObject({ code: 0, out: expect.stringContaining('Continue with: opencode -s id-1') });
		expect(await readFile(join(folder, 'asked'), 'utf8')).toBe('import\nthe file');
		await expect(stat((await readFile(join(folder, 'path'), 'utf8')).trim())).rejects.toThrow('ENOENT');
	});

	it('contextd export --place says that OpenCode is missing, or why it refused the session', async () => {
		const place = ['export', transcript, '-f', 'opencode', '--place'];
		const missing = await runCommand(place, { answers, env: { HOME: folder, PATH: folder } });
		expect(missing).toMatchObject({
			code: 1,
			err: expect.stringContaining('opencode was not found on the PATH'),
		});
		const program = join(folder, 'opencode');
		await writeFile(program, '#!/bin/sh\necho no room >&2; exit 3\n');
		await chmod(program, 0o755);
		const refused = await runCommand(place, { answers, env: { HOME: folder, PATH: folder } });
		expect(refused).toMatchObject({
			code: 1,
			err: expect.stringContaining('opencode import failed: no room'),
		});
	});
});
