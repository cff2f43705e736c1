/**
 * What sessions cost: how well reads and writes of the provider's cache are predicted, and what each strategy of
 * compacting would have cost. `CONTEXTD_CORPUS` names a folder of recorded sessions; generated ones are always measured.
 * `npm run bench -- money --agents [NAME]` measures the real Claude Code, OpenCode and pi, or one of them, against a mock
 * instead.
 * docs/cost.md explains the figures.
 */

import { agentLines } from './money/agentReport.ts';
import { compareSessions } from './money/comparison.ts';
import { readSessions } from './money/corpusSessions.ts';
import { generateSessions } from './money/generatedSessions.ts';
import { predictionLines, statedLines, strategyLines } from './money/report.ts';
import { statedCosts } from './money/statedCosts.ts';

const option = process.argv.indexOf('--agents');
if (option >= 0) {
	console.log('real agents against a mock with a cache, as multiples of doing nothing');
	for await (const line of agentLines(process.argv[option + 1])) console.log(line);
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
