import { describe, expect, it } from 'vitest';
import { collectOutcomes } from '../../../server/core/analysis/calls/outcomes.ts';
import { createAnalysisCache } from '../../../server/core/analysis/message/analyses.ts';
import { createSource } from '../../../server/core/analysis/message/messageSource.ts';
import type { Source } from '../../../server/core/analysis/message/source.ts';
import { findUnnamedLists } from '../../../server/core/analysis/records/unnamedLists.ts';
import { runToEnd } from '../../../server/core/slices.ts';
import { assistant, call, user } from './facts-sources.ts';

const harbours = Array.from({ length: 40 }, (_, index) => `Harbour${'ABCDEFGH'[index % 8]}${index}`);
const byName = Object.fromEntries(harbours.map((name, index) => [name, `${520_000 + index}`]));
const table = {
	harbours: harbours.map((name, index) => ({ town: name, pier: `P${300 + index}`, depth: index })),
};

/** Returns a session in which an agent asks for a list. */
function listAll(tool: string, args: object, list: object, request: string): Source[] {
	const made = call(tool, args);
	const row = { seq: 3, id: 'id-3', tool, answers: made.id };
	const content = JSON.stringify(list);
	return [
		user(1, request),
		assistant(2, '', made),
		createSource(row, { id: row.id, role: 'tool', toolCallId: made.id, toolName: tool, content }),
		assistant(4, 'The ferry leaves at 9.'),
	];
}

/** Returns how many harbours are in the lines that matter little. */
function countUnnamed(sources: readonly Source[]): number {
	const outcomes = runToEnd(collectOutcomes(sources, createAnalysisCache()));
	const lines = findUnnamedLists(sources, outcomes).map(({ line }) => line);
	return harbours.filter((name) => lines.some((line) => line.includes(`${name} `))).length;
}

describe('long lists of a service', () => {
	it.each([
		['names and their ids', 'list_harbours', byName],
		['a table', 'mcp__ferries__list_harbours', { ...table, pageSize: 40 }],
	])('matter little if hardly any of their entries is named: %s', (_, tool, list) => {
		expect(countUnnamed(listAll(tool, {}, list, 'Book a ferry to HarbourC2 for me.'))).toBe(40);
	});

	it('matter if the conversation names most of their entries', () => {
		const request = `Which of these have a crane: ${harbours.slice(0, 30).join(' ')}?`;
		expect(countUnnamed(listAll('list_harbours', {}, byName, request))).toBe(0);
	});

	it('matter where most entries of a line are named', () => {
		const request = `Which of these have a crane: ${harbours.slice(0, 12).join(' ')}?`;
		const unnamed = countUnnamed(listAll('list_harbours', {}, byName, request));
		expect(unnamed).toBeGreaterThan(20);
		expect(unnamed).toBeLessThan(29);
	});

	it.each([
		['the output of a command', 'Bash', { command: 'harbours --json' }],
		['the content of a file', 'Read', { file_path: '/srv/harbours.json' }],
		['the result of a change', 'create_harbours', {}],
	])('matter if they are %s', (_, tool, args) => {
		expect(countUnnamed(listAll(tool, args, byName, 'Book a ferry.'))).toBe(0);
	});
});
