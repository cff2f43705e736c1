import { describe, expect, it } from 'vitest';
import { collectOutcomes } from '../../../server/core/analysis/calls/outcomes.ts';
import { collectRemovedLines } from '../../../server/core/analysis/changes/removedLines.ts';
import { createAnalysisCache } from '../../../server/core/analysis/message/analyses.ts';
import type { Source } from '../../../server/core/analysis/message/source.ts';
import { findUndoneWork } from '../../../server/core/analysis/user/userStatements.ts';
import { runToEnd } from '../../../server/core/slices.ts';
import { assistant, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

const path = 'src/shelves.ts';
const before = 'const shelves = loadShelves(yearOf(today));';
const after = 'const shelves = loadShelves(seasonOf(today));';
const later = 'const shelves = loadShelves(monthOf(today));';
const applied = `Applied edit to ${path}\nCommit 3be91d4 fix: Load shelves by season`;

function block(old = before, fresh = after, name = path): string {
	return `${name}\n\`\`\`ts\n<<<<<<< SEARCH\n${old}\n=======\n${fresh}\n>>>>>>> REPLACE\n\`\`\``;
}

function report(seq: number, text: string): Source {
	return { ...user(seq, text), role: 'system' };
}

/** Returns which of `lines` the files lost. */
function removedOf(sources: readonly Source[], ...lines: string[]): string[] {
	const cache = createAnalysisCache();
	const outcomes = runToEnd(collectOutcomes(sources, cache));
	const undone = findUndoneWork(sources);
	const removed = runToEnd(collectRemovedLines(sources, { outcomes, undone, cache }));
	return lines.filter((line) => removed.has(line));
}

describe('code that a SEARCH/REPLACE block replaced', () => {
	it('is not quoted in a summary, unlike its replacement', () => {
		const text = summaryOf(
			[user(1, 'Load shelves.'), assistant(2, `The season decides.\n\n${block()}`), report(3, applied)],
			4000,
		);
		expect(text).not.toContain(before);
		expect(text).toContain(after);
	});

	it('is not quoted although another block of the answer adds the same lines to another file', () => {
		const moved = `${block(before, after)}\n\n${block('// end', `// end\n${before}`, 'src/winter.ts')}`;
		const text = summaryOf(
			[
				user(1, 'Move the shelves.'),
				assistant(2, `They move.\n\n${moved}`),
				report(3, `${applied}\nApplied edit to src/winter.ts`),
			],
			4000,
		);
		expect(text.split(before).length).toBe(2);
		expect(text.indexOf(before)).toBeGreaterThan(text.indexOf(after));
	});

	it('a proposed edit that was not applied is marked, and counts as none of the agent’s work', () => {
		const ask = 'src/shelves.ts\nAdd file to the chat? (Y)es/(N)o [Yes]: y';
		const sources = [
			user(1, 'Load shelves.'),
			assistant(2, `A hook named useSeason loads them.\n\n${block(before, 'useSeason(shelves);')}`),
			report(3, ask),
			assistant(4, `The season decides.\n\n${block()}`),
			report(5, applied),
		];
		const text = summaryOf(sources, 4000);
		expect(text).toMatch(/\[#2\] \(not applied, #3\) A hook named useSeason/);
		expect(text).toMatch(/\[#4\] The season decides/);
		expect(text).not.toContain('work undone');
		// Without any report of an applied edit, the program may report none.
		expect(summaryOf(sources.slice(0, 4), 4000)).not.toContain('not applied');
	});

	it.each([
		'Please always provide EXACTLY ONE action in triple backticks, found 2 actions.',
		'Your output was not formatted correctly. You must always include one discussion and one command.',
	])('an answer whose commands were refused together is marked as not applied: %s', (reply) => {
		const blocks = '```bash\nshelve --all\n```\n\n```bash\nshelve --list\n```';
		const sources = [
			user(1, 'Load shelves.'),
			assistant(2, `The season decides about the shelves.\n\n${blocks}`),
			{ ...user(3, reply), isInjected: true },
			assistant(4, 'One command then: the month decides.'),
		];
		expect(summaryOf(sources, 4000)).toMatch(/\[#2\] \(not applied, #3\) The season decides/);
		const asking = sources.map((one) => (one.seq === 3 ? { ...one, text: 'Go on.' } : one));
		expect(summaryOf(asking, 4000)).not.toContain('not applied');
	});

	it('an edit that failed to match is marked as not applied, unless others of its answer were', () => {
		const mismatch = '# 1 SEARCH/REPLACE block failed to match!';
		const summaryAfter = (refusal: string) =>
			summaryOf(
				[
					user(1, 'Load shelves.'),
					assistant(2, `A hook loads them.\n\n${block()}`),
					report(3, refusal),
					assistant(4, `The season decides.\n\n${block()}`),
					report(5, applied),
				],
				4000,
			);
		expect(summaryAfter(mismatch)).toMatch(/\[#2\] \(not applied, #3\)/);
		expect(
			summaryAfter(`${mismatch}\n# The other 2 SEARCH/REPLACE blocks were applied successfully.`),
		).not.toContain('not applied');
	});

	it('is not quoted from the block even if its lines are short', () => {
		const [old, fresh] = ['loans: {\n  unit: 3,\n},\nshelves,', 'loans: loadLoans(yearOf(today)),\nshelves,'];
		const text = summaryOf(
			[user(1, 'Load loans.'), assistant(2, `Loans follow.\n\n${block(old, fresh)}`), report(3, applied)],
			4000,
		);
		expect(text).not.toContain('unit: 3');
		expect(text).toContain('loans: loadLoans(yearOf(today)),');
	});

	it.each([
		['aider reports the edit', report(3, `${applied}  `)],
		['the client marks the report as its own', user(3, applied, { isInjected: true })],
	])('is removed if %s', (_, after3) => {
		expect(removedOf([assistant(2, block()), after3], before, after)).toEqual([before]);
	});

	it.each([
		['nothing reports the edit', block(), user(3, 'Thanks.')],
		['the user typed the report', block(), user(3, applied)],
		['the report names another file', block(), report(3, 'Applied edit to src/loans.ts')],
		['a block was refused', block(), report(3, `${applied}\n# 1 SEARCH/REPLACE block failed to match!`)],
		['all edits were refused', block(), report(3, `The LLM did not conform to the edit format.\n${applied}`)],
		['the block is quoted', block().replace(/^/gm, '> '), report(3, applied)],
		['the block is incomplete', block().replace('>>>>>>> REPLACE', ''), report(3, applied)],
		['the block is an example for another file', block(before, after, 'docs/example.ts'), report(3, applied)],
	])('is present if %s', (_, text, next) => {
		expect(removedOf([assistant(2, text), next], before)).toEqual([]);
	});

	it('is present if the block is only a draft in thinking', () => {
		const thought = { ...assistant(2, `${block()}\nDone.`), thoughtLength: block().length };
		expect(removedOf([thought, report(3, applied)], before)).toEqual([]);
	});

	it('is present again after the edit was undone', () => {
		const undo = [user(4, '/undo'), report(5, 'Removed: 3be91d4 fix: Load shelves by season')];
		const edited = [assistant(2, block()), report(3, applied)];
		expect(removedOf([...edited, ...undo], before)).toEqual([]);
		const asked = [user(4, 'Why?'), assistant(4, 'The plan says so.')];
		expect(removedOf([...edited, ...asked, ...undo], before)).toEqual([]);
	});

	it('follows the edits that were not undone', () => {
		const sources = [
			...[assistant(2, block()), report(3, applied), user(3, 'By month, please.')],
			...[assistant(4, block(after, later)), report(5, `Applied edit to ${path}\nCommit 7c80da7 fix: Month`)],
		];
		expect(removedOf(sources, before, after, later)).toEqual([before, after]);
		const undo = [user(6, '/undo'), report(7, 'Removed: 7c80da7 fix: Month')];
		expect(removedOf([...sources, ...undo], before, after)).toEqual([before]);
	});

	it('is present if it is on both sides, in another block, or in another file', () => {
		const kept = `- shelf: loaded by season\n`;
		expect(removedOf([assistant(2, block(kept + before, kept + after)), report(3, applied)], kept)).toEqual(
			[],
		);
		const moved = `${block('const loans = 1;', before)}\n\n${block()}`;
		expect(removedOf([assistant(2, moved), report(3, applied)], before)).toEqual([]);
		const both = `${block(after, before, 'src/b.ts')}\n\n${block()}`;
		const reported = report(3, `${applied}\nApplied edit to src/b.ts`);
		expect(removedOf([assistant(2, both), reported], before)).toEqual([]);
	});

	it.each([
		['blocks', `${block()}\n`.repeat(5000)],
		['marks', '<<<<<<< SEARCH\n'.repeat(50_000)],
		['spaces', `${'* '.repeat(149)}x\n`.repeat(1000) + block()],
	])('takes linear time for many %s', (_, text) => {
		const start = performance.now();
		removedOf([assistant(2, text), report(3, `${applied}\n`.repeat(5000))], before);
		expect(performance.now() - start).toBeLessThan(2000);
	});
});
