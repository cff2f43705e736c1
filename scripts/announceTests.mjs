/** Prints how long `npm test` takes on two cores, and what it skips on this machine. */

import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const editors = process.env.CONTEXTD_EDITORS ?? join(homedir(), '.cache', 'contextd-editors');

/** Tests that need more than a clone and `npm ci`. */
const optional = [
	{
		what: 'tests with real agents',
		minutes: 8,
		isThere: Boolean(process.env.CONTEXTD_REAL_AGENTS),
		need: 'set CONTEXTD_REAL_AGENTS=1; npm installs the agents',
	},
	{
		what: 'tests in real editors',
		minutes: 3,
		isThere: existsSync(join(editors, 'workbench')),
		need: 'run scripts/installEditors.sh floor',
	},
	{
		what: 'tests on recorded sessions',
		minutes: 4,
		isThere: Boolean(process.env.CONTEXTD_CORPUS),
		need: 'name their folder in CONTEXTD_CORPUS',
	},
];
/** Minutes of all checks and of the tests that always run. */
const always = 8;

const minutes = optional.reduce((sum, part) => sum + (part.isThere ? part.minutes : 0), always);
console.log(`npm test takes about ${minutes} minutes on two cores; npm run check alone takes 2 of them.`);
for (const { what, isThere, need } of optional) if (!isThere) console.log(`Skipped: ${what} (${need})`);
