import { link, mkdir, mkdtemp, open, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkOutput } from '../../server/front/console/checkOutput.ts';
import { runCommand } from './runCommand.ts';

let folder: string;
let input: string;
let agent: string;

beforeEach(async () => {
	folder = await mkdtemp(join(tmpdir(), 'contextd-test-'));
	input = join(folder, 'session.jsonl');
	agent = join(folder, 'home', '.agent');
	await mkdir(agent, { recursive: true });
	await writeFile(input, '{"role":"user","content":"hi"}\n');
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const nowhere = { stdin: Readable.from([]), transcriptFolders: [] };

describe('-o', () => {
	it.each([
		['compact', []],
		['export', ['-f', 'contextd']],
	])('-o of contextd %s refuses the input file, without starting a daemon', async (command, more) => {
		const { code, err, fake } = await runCommand([command, ...more, '-o', input, input]);
		expect({ code, fake }).toEqual({ code: 2, fake: undefined });
		expect(err).toBe(`contextd: -o ${input}: the input is the same file; choose another one\n`);
		expect(await readFile(input, 'utf8')).toBe('{"role":"user","content":"hi"}\n');
	});

	it('-o recognizes the input file by every name', async () => {
		await symlink(input, join(folder, 'soft.jsonl'));
		await link(input, join(folder, 'hard.jsonl'));
		await symlink(folder, join(folder, 'around'));
		for (const other of ['soft.jsonl', 'hard.jsonl', 'around/session.jsonl', './home/../session.jsonl']) {
			const name = `${folder}/${other}`;
			await expect(checkOutput(name, input, nowhere), other).rejects.toThrow('input is the same file');
			await expect(checkOutput(input, name, nowhere), other).rejects.toThrow('input is the same file');
		}
		await checkOutput(join(folder, 'other.jsonl'), input, nowhere);
	});

	it('-o of a command without FILE refuses the newest session, which would be the input', async () => {
		const newest = { path: input, agent: 'pi', label: 'pi', title: 'It', size: 31, updatedAt: 1 };
		const answers = { 'context/discover': () => ({ transcripts: [newest] }) };
		const stdin = Object.assign(Readable.from([]), { isTTY: true });
		const { code, err } = await runCommand(['compact', '-o', input], { answers, stdin });
		expect(code).toBe(2);
		expect(err).toContain(`-o ${input}: the input is the same file`);
		expect(await readFile(input, 'utf8')).toBe('{"role":"user","content":"hi"}\n');
	});

	it('-o recognizes the file behind the standard input', async () => {
		const file = await open(input);
		const stdin = Object.assign(Readable.from([]), { fd: file.fd });
		try {
			await expect(checkOutput(input, '-', { ...nowhere, stdin })).rejects.toThrow('input is the same file');
			await expect(checkOutput(input, undefined, { ...nowhere, stdin })).rejects.toThrow(
				'input is the same file',
			);
			await checkOutput(join(folder, 'other.jsonl'), '-', { ...nowhere, stdin });
		} finally {
			await file.close();
		}
	});

	it('-o refuses a place in the folder that is read, and the database that holds the session', async () => {
		await expect(checkOutput(join(agent, 'new.json'), agent, nowhere)).rejects.toThrow(
			'input is the same file',
		);
		await expect(checkOutput(input, `${input}#ses_1`, nowhere)).rejects.toThrow('input is the same file');
	});

	it("-o refuses places in folders of an agent's transcripts, also new files and links into them", async () => {
		const kept = { ...nowhere, transcriptFolders: [agent, join(folder, 'kept.db')] };
		const transcript = join(agent, 'deep', 't.jsonl');
		await mkdir(join(agent, 'deep'));
		await writeFile(transcript, '');
		await symlink(transcript, join(folder, 'link.jsonl'));
		await symlink(agent, join(folder, 'linked'));
		for (const place of [
			transcript,
			join(agent, 'new.jsonl'),
			join(folder, 'link.jsonl'),
			join(folder, 'linked', 'new.jsonl'),
			join(folder, 'kept.db'),
		]) {
			await expect(checkOutput(place, input, kept), place).rejects.toThrow(
				'where an agent stores its transcripts',
			);
		}
		await checkOutput(join(folder, 'home', '.agent-notes.jsonl'), input, kept);
		expect((await readdir(agent)).sort()).toEqual(['deep']);
	});

	it('-o refuses a place in an agent folder that is itself a link', async () => {
		await symlink(agent, join(folder, 'elsewhere'));
		const kept = { ...nowhere, transcriptFolders: [join(folder, 'elsewhere')] };
		await expect(checkOutput(join(agent, 'new.jsonl'), input, kept)).rejects.toThrow(
			'stores its transcripts',
		);
	});
});
