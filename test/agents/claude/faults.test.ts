/** No turn and no decision is lost, even if the daemon is killed, hangs or cannot start. */

import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { insideClaudeCode } from './inside.ts';
import { readAndCompacted } from './script.ts';
import { isContinuedBy, mainOf, problemsOf, summariesOf } from './wire.ts';

/** Programs that run in place of the daemon. */
const programs = {
	'prints garbage': `process.stdout.write('{"version":\\u0000\\n<html>');setInterval(() => {}, 1000);`,
	'ends at once': 'process.exit(3);',
	'answers garbage': `
		const { createServer } = require('node:http');
		const { mkdirSync, writeFileSync } = require('node:fs');
		const { dirname } = require('node:path');
		const socket = process.argv[process.argv.indexOf('--http-socket') + 1];
		mkdirSync(dirname(socket), { recursive: true });
		writeFileSync(socket + '.key', 'ab'.repeat(32));
		createServer((request, answer) => answer.end('{"proof": 7, "nonce": [')).listen(socket, () =>
			console.log(JSON.stringify({ version: 1, socket, key: socket + '.key', pid: process.pid })));`,
	'answers after 11 seconds': `
		const { createServer } = require('node:http');
		const { mkdirSync, writeFileSync } = require('node:fs');
		const { dirname } = require('node:path');
		const socket = process.argv[process.argv.indexOf('--http-socket') + 1];
		mkdirSync(dirname(socket), { recursive: true });
		writeFileSync(socket + '.key', 'ab'.repeat(32));
		createServer((request, answer) => setTimeout(() => answer.end('{}'), 11000)).listen(socket, () =>
			console.log(JSON.stringify({ version: 1, socket, key: socket + '.key', pid: process.pid })));`,
};

await insideClaudeCode((begin) => {
	it('the plugin loses no turn and no decision when the daemon is killed, and starts it again', {
		timeout: 120_000,
	}, async () => {
		const session = await begin();
		const claude = await session.start();
		const first = await readAndCompacted(session, claude);
		const daemons = session.daemons();
		expect(daemons.length).toBeGreaterThan(0);
		for (const daemon of daemons) process.kill(daemon, 'SIGKILL');
		session.mock.script([{ text: 'Second.' }]);
		const { text, exchanges } = await claude.say('Say Second.');
		expect(text).toBe('Second.');
		const [second] = mainOf(exchanges);
		if (first === undefined || second === undefined) throw new Error('no request');
		expect(isContinuedBy(first, second)).toBe(true);
		expect(problemsOf(second)).toEqual([]);
		session.mock.script([{ text: 'Third.' }]);
		const [third] = mainOf((await claude.say('Say Third.')).exchanges);
		expect(third && isContinuedBy(second, third)).toBe(true);
		expect(session.daemons().length).toBeGreaterThan(0);
		expect((await claude.say('/contextd')).text).toMatch(/last decision: [\d,]+ → [\d,]+ tokens/);
	});

	it('the plugin loses no turn and no decision if another program runs in place of the daemon, or its file is damaged', {
		timeout: 240_000,
	}, async () => {
		const session = await begin();
		const state = join(session.home, '.local/state/contextd');
		const start = join(state, 'agents/claude/plugin/daemon.json');
		const right = await readFile(start, 'utf8');
		const wrong = join(session.home, 'wrong.cjs');
		const first = await session.start();
		let before = await readAndCompacted(session, first);
		await first.end();

		/** Sends a prompt in a new process. Returns the request that the model gets. */
		const resumed = async (words: string) => {
			const claude = await session.start();
			session.mock.script([{ text: words }]);
			const { text, exchanges } = await claude.say(`Say ${words}`);
			await claude.end();
			expect(text).toBe(words);
			expect(summariesOf(exchanges)).toBe(0);
			expect(mainOf(exchanges)).toHaveLength(1);
			expect(mainOf(exchanges).flatMap(problemsOf)).toEqual([]);
			return mainOf(exchanges)[0];
		};
		for (const [what, program] of Object.entries(programs)) {
			await writeFile(wrong, program);
			await writeFile(
				start,
				JSON.stringify({ ...JSON.parse(right), argv: [process.execPath, wrong], stateFolder: state }),
			);
			const next = await resumed(`A daemon that ${what}.`);
			expect(before && next && isContinuedBy(before, next), what).toBe(true);
			before = next;
		}

		await writeFile(start, right);
		const [view = ''] = await readdir(join(state, 'views'));
		const file = join(state, 'views', view);
		await writeFile(file, (await readFile(file, 'utf8')).replace('The queue of', 'The heap of'));
		const mended = await resumed('Mended.');
		expect(JSON.stringify(mended?.body)).not.toContain('The heap of');
		expect(mended?.tokens).toBeLessThan(1.1 * Number(before?.tokens));
	});
});
