/** The newest Claude Code of the registry, for tests of contextd inside it. */

import { afterEach, describe } from 'vitest';
import { needs } from '../../support/needs.ts';
import { claudeCode } from '../agents.ts';
import { type Installed, type Newest, newest } from '../install.ts';
import { isKnown, unknown } from './gate.ts';
import { type ClaudeSession, claudeSession, type SetUp } from './session.ts';

/**
 * Sets Claude Code up in a separate home, which is removed after the test.
 * @param other the program that is started instead of the newest version
 */
export type Begin = (
	setUp?: SetUp,
	other?: (newest: Installed) => Promise<Installed>,
) => Promise<ClaudeSession>;

/**
 * Declares a group of tests named after the version. They are skipped if real agents are not requested, if the registry
 * does not answer, or if the version's interface for mods has changed (then `gate.test.ts` fails). They fail if the
 * version exists but cannot be installed.
 */
export async function insideClaudeCode(tests: (begin: Begin) => void): Promise<void> {
	const found: Newest = process.env.CONTEXTD_REAL_AGENTS
		? await newest(claudeCode)
		: { missing: 'real agents from the npm registry: set CONTEXTD_REAL_AGENTS=1' };
	const isMissing = 'missing' in found;
	const name = isMissing ? 'Claude Code' : found.packageName;
	const lack = isMissing ? found.missing : (await isKnown(found)) ? undefined : unknown(name);
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
