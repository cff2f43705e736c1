/** Nothing breaks: whatever becomes of the daemon, no turn is lost, and no decision that was made. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { needs } from '../../support/needs.ts';
import { claudeCode } from '../agents.ts';
import { type Installed, install } from '../install.ts';
import { readingSteps } from './script.ts';
import { type ClaudeSession, claudeSession } from './session.ts';
import { goesOn, mainOf, problemsOf, summariesOf } from './wire.ts';

const isWanted = Boolean(process.env.CONTEXTD_REAL_AGENTS);
const needsAgents = needs('real agents from the npm registry: set CONTEXTD_REAL_AGENTS=1');

/** Programs in the place of the daemon. */
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

describe.skipIf(!isWanted)(`contextd inside ${claudeCode.packageName}`, isWanted ? {} : needsAgents, () => {
	let installed: Installed;
	let session: ClaudeSession;

	beforeAll(async () => {
		installed = await install(claudeCode);
	}, 170_000);

	afterEach(() => session.end());

	it('loses no turn and no decision where the daemon is killed, and starts it again', {
		timeout: 120_000,
	}, async () => {
		session = await claudeSession(installed);
		const claude = await session.start();
		session.mock.script(await readingSteps(session, 12, 12_000));
		await claude.say('Please read the documents.');
		await claude.say('/compact');
		session.mock.script([{ text: 'First.' }]);
		const [first] = mainOf((await claude.say('Say First.')).exchanges);
		const daemons = session.daemons();
		expect(daemons.length).toBeGreaterThan(0);
		for (const daemon of daemons) process.kill(daemon, 'SIGKILL');
		session.mock.script([{ text: 'Second.' }]);
		const { text, exchanges } = await claude.say('Say Second.');
		expect(text).toBe('Second.');
		const [second] = mainOf(exchanges);
		if (first === undefined || second === undefined) throw new Error('no request');
		expect(goesOn(first, second)).toBe(true);
		expect(problemsOf(second)).toEqual([]);
		session.mock.script([{ text: 'Third.' }]);
		const [third] = mainOf((await claude.say('Say Third.')).exchanges);
		expect(third && goesOn(second, third)).toBe(true);
		expect(session.daemons().length).toBeGreaterThan(0);
		expect((await claude.say('/contextd')).text).toMatch(/last compaction: \d+k to \d+k/);
	});

	it.each(Object.entries(programs))(
		'loses no turn where the daemon %s',
		{ timeout: 120_000 },
		async (_what, program) => {
			session = await claudeSession(installed);
			const start = join(session.home, '.local/state/contextd/agents/claude/plugin/daemon.json');
			const wrong = join(session.home, 'wrong.cjs');
			await writeFile(wrong, program);
			const state = join(session.home, '.local/state/contextd');
			const settings = join(state, 'agents/settings.json');
			await writeFile(
				start,
				JSON.stringify({ argv: [process.execPath, wrong], stateFolder: state, settings }),
			);
			const claude = await session.start();
			session.mock.script(await readingSteps(session, 2, 2000));
			const { text, exchanges } = await claude.say('Please read the documents.');
			expect(text).toBe('All documents were read.');
			expect(mainOf(exchanges)).toHaveLength(2);
			expect(mainOf(exchanges).flatMap(problemsOf)).toEqual([]);
			expect(summariesOf(exchanges)).toBe(0);
		},
	);
});
