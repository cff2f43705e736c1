/** OpenCode and pi, for tests of contextd inside them. */

import { afterEach, describe } from 'vitest';
import { needs } from '../../support/needs.ts';
import { findAgent } from '../install.ts';
import { hosts, type PluginHost, type PluginSession, startPluginSession } from './session.ts';

/** Tokens of the window, if a test names no other. */
const defaultWindow = 32_000;
/** Maximum milliseconds for one test. */
export const timeout = 300_000;

/**
 * Sets the agent up with contextd in a separate home, which is removed after the test.
 * @param window tokens
 */
export type Begin = (window?: number) => Promise<PluginSession>;

/** The agent inside which a group of tests runs. */
export interface Inside {
	host: PluginHost;
	begin: Begin;
}

/**
 * Declares a group of tests for each of the agents, named after the version. They are skipped if real agents are not
 * requested, or if the registry does not answer.
 */
export async function insideAgents(
	tests: (inside: Inside) => void,
	agents: readonly PluginHost[] = hosts,
): Promise<void> {
	for (const host of agents) {
		const found = await findAgent(host.agent);
		const isMissing = 'missing' in found;
		const name = isMissing ? host.agent.name : found.installed.packageName;
		const sessions: PluginSession[] = [];
		const begin: Begin = async (window = defaultWindow) => {
			if (isMissing) throw new Error(found.missing);
			const session = await startPluginSession(host, found.installed, window);
			sessions.push(session);
			return session;
		};
		describe.skipIf(isMissing)(`contextd inside ${name}`, isMissing ? needs(found.missing) : {}, () => {
			afterEach(async () => {
				for (const session of sessions.splice(0)) await session.end();
			});
			tests({ host, begin });
		});
	}
}
