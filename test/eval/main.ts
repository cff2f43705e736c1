/**
 * `npm run eval [-- [--json | --list] [FOLDER]]`: prints how well compactions preserve the sessions of a folder.
 * `npm run eval -- --sensitivity [--number NAME]… [FOLDER]`: prints the effect of halving and doubling each tuned number.
 */

import { parseArgs } from 'node:util';
import { compareSessions } from '../bench/money/comparison.ts';
import { generateSessions } from '../bench/money/generatedSessions.ts';
import { totalsLine } from '../bench/money/report.ts';
import { readEvalFolder } from './evalFolder.ts';
import { readEvalSet } from './evalSet.ts';
import { evaluate, prepareSessions, scoreViews } from './evaluate.ts';
import { scoreRecall } from './recall/measureRecall.ts';
import { recallTableOf, tableOf, talkTableOf, totalsOf } from './report.ts';
import { measureSensitivity, sensitivityLine } from './sensitivity.ts';
import { scoreTalks } from './talks.ts';

const { values, positionals } = parseArgs({
	options: {
		json: { type: 'boolean' },
		list: { type: 'boolean' },
		sensitivity: { type: 'boolean' },
		number: { type: 'string', multiple: true },
	},
	allowPositionals: true,
});
const [folder] = positionals;
const read = await (folder === undefined ? readEvalSet() : readEvalFolder(folder));
if (values.sensitivity) await printSensitivity();
else await printEvaluation();

async function printSensitivity(): Promise<void> {
	const before = totalsOf(await scoreViews(prepareSessions(read)), read.questions);
	const sizes = before.map(({ size }) => size).join(', ');
	console.log(
		`change of answered questions / grounded facts at ${sizes}, if the number is halved and doubled`,
	);
	for await (const one of measureSensitivity(read, values.number)) console.log(sensitivityLine(one, before));
}

async function printEvaluation(): Promise<void> {
	const evaluation = await evaluate(read);
	const totals = totalsOf(evaluation.views, evaluation.questions);
	const boundaryTotals = totalsOf(evaluation.boundaries, []);
	const talks = folder === undefined ? await scoreTalks() : [];
	const recall = folder === undefined ? await scoreRecall() : undefined;

	if (values.json)
		console.log(
			JSON.stringify(
				{ totals, boundaryTotals, talks, recall, ...evaluation, questions: undefined },
				null,
				'\t',
			),
		);
	else {
		const sessions = new Set(evaluation.views.map(({ session }) => session)).size;
		console.log(`${sessions} sessions, ${evaluation.questions.length} questions`);
		for (const { file, reason } of evaluation.skipped) console.log(`skipped ${file}: ${reason}`);
		for (const line of tableOf(totals)) console.log(line);
		if (boundaryTotals.length > 0) {
			console.log("\nCompactions by the agents themselves; sizes are multiples of the agent's own summary");
			for (const line of tableOf(boundaryTotals)) console.log(line);
		}
		if (talks.length > 0) {
			console.log('\nStatements of users among small talk, after five compactions');
			for (const line of talkTableOf(talks)) console.log(line);
		}
		console.log(`\nGenerated sessions: ${totalsLine(compareSessions(generateSessions(20)))} (docs/cost.md)`);
		if (recall !== undefined) {
			console.log('\nSearches across recorded sessions: share of questions that the first matches answer');
			for (const line of recallTableOf(recall)) console.log(line);
		}
		if (values.list) {
			for (const { talk, size, lost, outdated } of talks)
				for (const line of [...lost, ...outdated.map((one) => `outdated: ${one}`)])
					console.log(`${talk} ${size}: ${line}`);
			console.log('\nFalse statements and noise in the views of contextd');
			for (const { session, size, source, falseStatements = [] } of evaluation.views) {
				if (source !== 'contextd') continue;
				for (const { kind, line, reason } of falseStatements)
					console.log(`${session} ${size} ${kind}: ${line.trim()} (${reason.replaceAll('\n', ' ')})`);
			}
		}
	}
}
