/**
 * Measures the time that contextd adds to a request of the real Claude Code: the gap between two requests of a turn that calls
 * Bash, in alternating turns with and without the plugin. `npm run bench -- claude`, after `npm run build`. Takes a minute. Fails over budget.
 */

import { claudeCode } from '../agents/agents.ts';
import { type ClaudeProcess, type ClaudeSession, claudeSession } from '../agents/claude/session.ts';
import { install } from '../agents/install.ts';

const [turns, callsPerTurn] = [8, 10];
/** Maximum milliseconds that contextd may add to a request, at the median. */
const budget = 20;

interface Measured {
	session: ClaudeSession;
	claude: ClaudeProcess;
	gaps: number[];
}

/** Lets the model call Bash in one turn, and adds the milliseconds between its requests. */
async function measureTurn({ session, claude, gaps }: Measured, turn: number): Promise<void> {
	const times: number[] = [];
	session.mock.refuseBy(() => void times.push(performance.now()));
	const args = { command: `seq ${turn * 1000} ${turn * 1000 + 300}` };
	const calls = Array.from({ length: callsPerTurn }, () => ({ calls: [{ name: 'Bash', args }] }));
	session.mock.script([...calls, { text: 'Done.' }]);
	await claude.say('Please count.');
	gaps.push(...times.slice(1).map((time, index) => time - (times[index] ?? time)));
}

function median(values: readonly number[]): number {
	return [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
}

const installed = await install(claudeCode);
const sessions: ClaudeSession[] = [];
async function start(isPlain: boolean): Promise<Measured> {
	const session = await claudeSession(installed, { isPlain });
	sessions.push(session);
	return { session, claude: await session.start(), gaps: [] };
}
try {
	const [plain, plugin] = [await start(true), await start(false)];
	for (let turn = 0; turn <= turns; turn++) {
		for (const one of [plain, plugin]) await measureTurn(one, turn);
		// The first turn loads the programs.
		if (turn === 0) for (const one of [plain, plugin]) one.gaps.length = 0;
	}
	const added = median(plugin.gaps) - median(plain.gaps);
	const tokens = plugin.session.mock.exchanges.at(-1)?.request.tokens;
	console.log(`${installed.packageName}, ${plugin.gaps.length} requests each, up to ${tokens} tokens`);
	console.log(`without contextd: median ${median(plain.gaps).toFixed(1)} ms`);
	console.log(`with contextd: median ${median(plugin.gaps).toFixed(1)} ms`);
	if (added > budget) process.exitCode = 1;
	console.log(`added: ${added.toFixed(1)} ms, ${added <= budget ? 'within' : 'BEYOND'} ${budget} ms`);
} finally {
	for (const session of sessions) await session.end();
}
