/** Checks, once per version of Claude Code and before other tests, whether it has the interface that contextd's mod needs. */

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { agentsFolder, type Installed, runAlone } from '../install.ts';
import { journalOf } from './journal.ts';
import { readingSteps } from './script.ts';
import { type ClaudeSession, claudeSession } from './session.ts';
import { mainOf } from './wire.ts';

/** Returns the unmet need of tests that are skipped because the interface changed. */
export function describeUnknownInterface(packageName: string): string {
	return `an interface for mods in ${packageName} that is the known one: gate.test.ts says what differs`;
}

/** Returns whether the interface is as the mod expects. A positive result is cached for the version and the mod. */
export async function hasKnownInterface(installed: Installed): Promise<boolean> {
	const { packageName } = installed;
	const mod = await readFile(resolve('dist/claude/plugin/hooks/register.js'));
	const name = createHash('sha256').update(packageName).update(mod).digest('hex').slice(0, 16);
	const note = join(agentsFolder, `claude-gate-${name}`);
	let isSound = existsSync(note);
	if (isSound) return true;
	await runAlone(note, async () => {
		isSound = existsSync(note) || (await faultsOf(installed)).length === 0;
		if (isSound) await writeFile(note, packageName);
	});
	return isSound;
}

/**
 * Describes what differs from the interface that the mod expects.
 * @param change a change of the installed mod before the check
 */
export async function faultsOf(
	installed: Installed,
	change: (mod: string) => Promise<void> = async () => {},
): Promise<string[]> {
	const session = await claudeSession(installed);
	try {
		await change(join(session.home, '.local/state/contextd/agents/claude/plugin/hooks/register.js'));
		return await faultsIn(session);
	} catch (error) {
		return [`Claude Code does not answer: ${error instanceof Error ? error.message : error}`];
	} finally {
		await session.end();
	}
}

async function faultsIn(session: ClaudeSession): Promise<string[]> {
	const faults: string[] = [];
	const want = (isThere: boolean | undefined, what: string): void => {
		if (isThere !== true) faults.push(what);
	};
	const claude = await session.start();
	session.mock.script(await readingSteps(session, 6, 12_000));
	await claude.say('Please read the documents.');
	const before = mainOf(session.mock.exchanges).at(-1);
	want(session.daemons().length > 0, 'session.start, $.process.spawn: no daemon was started');
	want(before?.tools.has('mcp__contextd__contextd_recall'), '$.tool.register: the model is offered no tool');
	const report = await claude.say('/contextd');
	want(
		/[\d,]+ of [\d,]+ tokens/.test(report.text),
		`$.command.register, command.run, http.fetch: "${report.text}" answers /contextd`,
	);
	const { text, exchanges } = await claude.say('/compact');
	want(text.includes('Context reduced from'), `session.compact: "${text}" answers /compact`);
	want(exchanges.length === 0, `session.compact: /compact asked the model ${exchanges.length} times`);
	for (const words of ['First.', 'Second.']) {
		session.mock.script([{ text: words }]);
		await claude.say(`Say ${words}`);
	}
	const after = mainOf(session.mock.exchanges).at(-1);
	want(before && after && after.tokens < before.tokens, 'http.fetch: what is handed on is not what is sent');
	await claude.end();
	const { stats } = await journalOf(session).catch(() => ({ stats: null }));
	want(stats !== null && stats.source !== 'estimated', 'turn.step: what the provider reported is not told');
	return faults.length === 0 ? [] : [...faults, `Claude Code printed: ${claude.errors().slice(-1000)}`];
}
