/** Claude Code, for tests of contextd inside it. */

import { afterEach, describe } from 'vitest';
import { needs } from '../../support/needs.ts';
import { claudeCode } from '../agents.ts';
import { findAgent, type Installed } from '../install.ts';
import { describeUnknownInterface, hasKnownInterface } from './gate.ts';
import { type ClaudeSession, claudeSession, type SetUp } from './session.ts';

/**
 * Sets Claude Code up in a separate home, which is removed after the test.
 * @param other the program that is started instead of the installed version
 */
export type Begin = (
	setUp?: SetUp,
	other?: (installed: Installed) => Promise<Installed>,
) => Promise<ClaudeSession>;

/**
 * Declares a group of tests named after the version. They are skipped if real agents are not requested, if the registry
 * does not answer, or if the version's interface for mods has changed (then `gate.test.ts` fails). They fail if the
 * pinned version cannot be installed.
 */
export async function insideClaudeCode(tests: (begin: Begin) => void): Promise<void> {
	const found = await findAgent(claudeCode);
	const isMissing = 'missing' in found;
	const name = isMissing ? 'Claude Code' : found.installed.packageName;
	const lack = isMissing
		? found.missing
		: (await hasKnownInterface(found.installed))
			? undefined
			: describeUnknownInterface(name);
	const sessions: ClaudeSession[] = [];
	const begin: Begin = async (setUp, other = async (own) => own) => {
		if (isMissing) throw new Error(found.missing);
		const session = await claudeSession(await other(found.installed), setUp);
		sessions.push(session);
		return session;
	};
	describe.skipIf(lack !== undefined)(
		`contextd inside ${name}`,
		lack === undefined ? {} : needs(lack),
		() => {
			afterEach(async () => {
				for (const session of sessions.splice(0)) await session.end();
			});
			tests(begin);
		},
	);
}
