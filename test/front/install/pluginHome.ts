/** A home, and a package whose plugins contain only the placeholder for the start of the daemon. */

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Machine } from '../../../server/front/install/parts/agent.ts';
import { freshFolder } from '../../support/app.ts';
import { type FakeProgram, fakeProgram } from './fakeProgram.ts';

/** Makes a home to install into, with these variables. */
export async function pluginHome(env: NodeJS.ProcessEnv = {}, program: FakeProgram = {}): Promise<Machine> {
	const home = freshFolder();
	const packageFolder = join(home, 'package');
	for (const agent of ['opencode', 'pi']) {
		await mkdir(join(packageFolder, agent), { recursive: true });
		await writeFile(join(packageFolder, agent, 'contextd.js'), 'const placed = "__CONTEXTD_START__";\n');
	}
	await writeFile(join(packageFolder, 'contextd.cjs'), fakeProgram(program));
	const { execPath: node, platform } = process;
	return { version: '1.2.3', packageFolder, stateFolder: join(home, 'state'), node, home, platform, env };
}
