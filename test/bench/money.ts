/**
 * The cost of sessions: the accuracy of predicted reads and writes of the provider's cache, and the cost of each strategy of
 * compacting. `CONTEXTD_CORPUS` names a folder of recorded sessions; generated sessions are always measured.
 * `npm run bench -- money --agents [NAME]` instead measures the real Claude Code, OpenCode and pi, or one of them, against a mock.
 * `--cycles NAME [GROWTH [SUMMARY]]` measures one of these agents until its own compaction has run three times. GROWTH is the
 * growth of the prompt per request (by default three values), SUMMARY the minimum tokens of a summary (by default 3,000).
 * docs/cost.md explains the figures.
 */

import { cycleLines } from './money/agentCycles.ts';
import { agentLines } from './money/agentReport.ts';
import { compareSessions } from './money/comparison.ts';
import { readSessions } from './money/corpusSessions.ts';
import { generateSessions } from './money/generatedSessions.ts';
import { predictionLines, statedLines, strategyLines } from './money/report.ts';
import { statedCosts } from './money/statedCosts.ts';

const agents = process.argv.indexOf('--agents');
const cycles = process.argv.indexOf('--cycles');
if (agents >= 0) {
	console.log('real agents against a mock with a cache, as multiples of doing nothing');
	for await (const line of agentLines(process.argv[agents + 1])) console.log(line);
} else if (cycles >= 0) {
	const [name = '', ...figures] = process.argv.slice(cycles + 1);
	for await (const line of cycleLines(name, ...figures.map(Number))) console.log(line);
} else printSessions(process.env.CONTEXTD_CORPUS);

function printSessions(corpus: string | undefined): void {
	if (corpus !== undefined) {
		const sessions = readSessions(corpus);
		console.log(`recorded sessions of ${corpus}`);
		for (const line of predictionLines(sessions)) console.log(line);
		console.log('costs that agents stated');
		for (const line of statedLines(statedCosts(corpus, sessions))) console.log(line);
		for (const line of strategyLines(compareSessions(sessions))) console.log(line);
		console.log('');
	}
	console.log('generated sessions');
	for (const line of strategyLines(compareSessions(generateSessions(60)))) console.log(line);
}
