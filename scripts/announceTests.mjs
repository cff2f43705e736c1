/**
 * Prints how long `npm test` takes on two cores, and what it skips on this machine; with `--newest`, which versions of
 * the agents `npm run test:newest` tests.
 */

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import process from 'node:process';

const editorsFolder = process.env.CONTEXTD_EDITORS ?? join(homedir(), '.cache', 'contextd-editors');

/** Groups of tests that need more than a clone and `npm ci`. */
const optionalTests = [
	{
		what: 'tests with real agents',
		minutes: 8,
		isInstalled: Boolean(process.env.CONTEXTD_REAL_AGENTS),
		need: 'set CONTEXTD_REAL_AGENTS=1; npm installs the agents',
	},
	{
		what: 'tests in real editors',
		minutes: 3,
		isInstalled: existsSync(join(editorsFolder, 'workbench')),
		need: 'run scripts/installEditors.sh floor',
	},
	{
		what: 'tests on recorded sessions',
		minutes: 4,
		isInstalled: Boolean(process.env.CONTEXTD_CORPUS),
		need: 'name their folder in CONTEXTD_CORPUS',
	},
];
/** Programs that a few tests start. */
const programs = ['bash', 'fish', 'groff', 'python3', 'tmux', 'zsh'];
/** Minutes of the checks and the tests that always run. */
const minMinutes = 8;

function announceTests() {
	const minutes = optionalTests.reduce(
		(sum, group) => sum + (group.isInstalled ? group.minutes : 0),
		minMinutes,
	);
	console.log(`npm test takes about ${minutes} minutes on two cores; npm run check alone takes 2 of them.`);
	for (const { what, isInstalled, need } of optionalTests)
		if (!isInstalled) console.log(`Skipped: ${what} (${need})`);
	const folders = (process.env.PATH ?? '').split(delimiter);
	const missing = programs.filter((name) => !folders.some((folder) => existsSync(join(folder, name))));
	if (missing.length > 0) console.log(`Skipped: tests that start ${missing.join(', ')} (install them)`);
	const isRoot = process.getuid?.() === 0;
	if (isRoot) console.log('Skipped: tests of a user with few rights (run as another user than root)');
	else console.log('Skipped: tests with mounted disks and with two users (run as root)');
}

/** Asks the registry for the newest version of each agent in the tests. */
function announceNewestAgents() {
	console.log(
		`Tests the newest versions of real agents, which takes about ${optionalTests[0].minutes} minutes:`,
	);
	const agents = readFileSync(new URL('../test/agents/agents.ts', import.meta.url), 'utf8');
	for (const [, name, pinned] of agents.matchAll(/packageName: '(.+)@(.+)'/g)) {
		const newest = execFileSync('npm', ['view', name, 'version'], { encoding: 'utf8' }).trim();
		console.log(`${name} ${newest} (pinned: ${pinned})`);
	}
}

if (process.argv[2] === '--newest') announceNewestAgents();
else announceTests();
