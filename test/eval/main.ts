/** `npm run eval [-- [--json | --list] [FOLDER]]`: prints how well compactions preserve the sessions of a folder. */

import { parseArgs } from 'node:util';
import { readEvalFolder } from './evalFolder.ts';
import { readEvalSet } from './evalSet.ts';
import { evaluate } from './evaluate.ts';
import { tableOf, totalsOf } from './report.ts';

const { values, positionals } = parseArgs({
	options: { json: { type: 'boolean' }, list: { type: 'boolean' } },
	allowPositionals: true,
});
const [folder] = positionals;
const evaluation = await evaluate(await (folder === undefined ? readEvalSet() : readEvalFolder(folder)));
const totals = totalsOf(evaluation.views, evaluation.questions);
const boundaryTotals = totalsOf(evaluation.boundaries, []);

if (values.json)
	console.log(JSON.stringify({ totals, boundaryTotals, ...evaluation, questions: undefined }, null, '\t'));
else {
	const sessions = new Set(evaluation.views.map(({ session }) => session)).size;
	console.log(`${sessions} sessions, ${evaluation.questions.length} questions`);
	for (const { file, reason } of evaluation.skipped) console.log(`skipped ${file}: ${reason}`);
	for (const line of tableOf(totals)) console.log(line);
	if (boundaryTotals.length > 0) {
		console.log("\nCompactions by the agents themselves; sizes are multiples of the agent's own summary");
		for (const line of tableOf(boundaryTotals)) console.log(line);
	}
	if (values.list) {
		console.log('\nFalse statements and noise in the views of contextd');
		for (const { session, size, source, falseStatements = [] } of evaluation.views) {
			if (source !== 'contextd') continue;
			for (const { kind, line, reason } of falseStatements)
				console.log(`${session} ${size} ${kind}: ${line.trim()} (${reason.replaceAll('\n', ' ')})`);
		}
	}
}
