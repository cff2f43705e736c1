/** Prints which versions of the agents `npm run test:newest` tests. */

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const agents = readFileSync(new URL('../test/agents/agents.ts', import.meta.url), 'utf8');
for (const [, name, pinned] of agents.matchAll(/packageName: '(.+)@(.+)'/g)) {
	const newest = execFileSync('npm', ['view', name, 'version'], { encoding: 'utf8' }).trim();
	console.log(`${name} ${newest} (pinned: ${pinned})`);
}
