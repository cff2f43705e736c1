/** The newest Claude Code of the registry, for tests of what contextd does inside it. */

import { afterEach, describe } from 'vitest';
import { needs } from '../../support/needs.ts';
import { claudeCode } from '../agents.ts';
import { type Installed, type Newest, newest } from '../install.ts';
import { isKnown, unknown } from './gate.ts';
import { type ClaudeSession, claudeSession, type SetUp } from './session.ts';

/**
 * Sets Claude Code up in a home of its own, which is gone after the test.
 * @param other what is started in place of the newest one
 */
export type Begin = (
	setUp?: SetUp,
	other?: (newest: Installed) => Promise<Installed>,
) => Promise<ClaudeSession>;

/**
 * A group of tests that bears the version's name. They are skipped where real agents are not asked for, where the
 * registry does not answer, and where the version's interface for mods is another one, which `gate.test.ts` fails for;
 * the version that cannot be installed although it is there fails them.
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
