import { describe, expect, it } from 'vitest';
import { createMessageAnalyses } from '../../../server/core/analysis/message/analyses.ts';
import type { Source } from '../../../server/core/analysis/message/source.ts';
import type { Row } from '../../../server/core/history/row.ts';
import type { Role } from '../../../server/protocol/conversation.ts';
import { addToAnalyses, locateFirstAnswer } from '../../../server/session/compaction/sourceReader.ts';
import { summaryOf } from './summaries.ts';

const plan =
	'1. Add backend/rates.py with the rates of each harbour.\n2. Never change the schema of the ledger.\n3. Always round to two digits.';

/** Returns the sources of a session. */
function sourcesOf(...messages: [role: Role, text: string][]): Source[] {
	const analyses = createMessageAnalyses();
	const rows = messages.map(
		([role], seq) => ({ seq, id: `m${seq}`, role, chars: 10, counts: { calls: 0 } }) as Row,
	);
	locateFirstAnswer(analyses, rows);
	for (const [seq, row] of rows.entries())
		addToAnalyses(analyses, row, { id: row.id, role: row.role, content: messages[seq]![1] });
	return [...analyses.sources.values()];
}

describe('user messages that repeat the agent’s answer', () => {
	it('a plan with JSON in it is still recognized', () => {
		const json = JSON.stringify(
			{ harbours: [1, 2, 3].map((id) => ({ id, name: `quay ${id}`, rate: 12 + id })) },
			undefined,
			2,
		);
		const longPlan = `${plan}\n4. Create rates.json:\n${json}\n${'5. Tell the harbours about the rates.\n'.repeat(9)}`;
		const text = summaryOf(
			sourcesOf(
				['user', 'Charge each harbour its own rate.'],
				['assistant', longPlan],
				['user', longPlan],
				['assistant', 'Applied the plan to backend/rates.py.'],
			),
		);
		expect(text).toContain('Goal (#0): Charge each harbour its own rate.');
		expect(text).not.toContain('Current request (#2)');
	});

	it('a plan with two spaces at the end of each line, as Aider writes it, is recognized', () => {
		const text = summaryOf(
			sourcesOf(
				['user', 'Charge each harbour its own rate.'],
				['assistant', plan.replaceAll('\n', '\r\n')],
				['user', plan.replaceAll('\n', '  \n')],
				['assistant', 'Applied the plan to backend/rates.py.'],
			),
		);
		expect(text).not.toMatch(/Hands off|Current request|Never change the schema.*\n.*#2/);
	});

	it('a repeated answer with another indentation is the user’s message', () => {
		const [, , reply] = sourcesOf(
			['user', 'Write the settings of the harbour.'],
			['assistant', `limits:\nmax: 12\nretry: 3\n# ${plan}`],
			['user', `limits:\n  max: 12\n  retry: 3\n# ${plan}`],
		);
		expect(reply?.isInjected).toBe(false);
	});

	it("rules in a plan that the agent's program hands to another model are not the user's", () => {
		const text = summaryOf(
			sourcesOf(
				['user', 'Charge each harbour its own rate.'],
				['assistant', plan],
				['system', 'Tokens: 2k sent, 1k received.'],
				['user', `${plan}\n`],
				['assistant', 'Applied the plan to backend/rates.py.'],
			),
		);
		expect(text).toContain('Goal (#0): Charge each harbour its own rate.');
		expect(text).not.toContain('Current request (#3)');
		expect(text).not.toContain('[#3 user]');
		expect(text).not.toContain('Hands off');
	});

	it('an answer that the user quotes with a remark is the user’s message', () => {
		const [, , reply] = sourcesOf(
			['user', 'Charge each harbour its own rate.'],
			['assistant', plan],
			['user', `${plan}\n\nDo only the first step.`],
		);
		expect(reply?.isInjected).toBe(false);
	});

	it('a short reply in the agent’s words is the user’s message', () => {
		const [, , reply] = sourcesOf(
			['user', 'Ready?'],
			['assistant', 'Shall we start?'],
			['user', 'Shall we start?'],
		);
		expect(reply?.isInjected).toBe(false);
	});
});
