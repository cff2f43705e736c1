/**
 * What sessions cost: how well reads and writes of the provider's cache are predicted, and what each strategy of
 * compacting would have cost. `CONTEXTD_CORPUS` names a folder of recorded sessions; generated ones are always measured.
 * `npm run bench -- money --agents` measures the real Claude Code, OpenCode and pi against a mock instead.
 * docs/cost.md explains the figures.
 */

import { compareSessions } from './money/comparison.ts';
import { readSessions } from './money/corpusSessions.ts';
import { generateSessions } from './money/generatedSessions.ts';
import { predictionLines, statedLines, strategyLines } from './money/report.ts';
import { statedCosts } from './money/statedCosts.ts';

const corpus = process.env.CONTEXTD_CORPUS;
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
