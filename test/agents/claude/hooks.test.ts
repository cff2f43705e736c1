/** The settings hooks of the plugin in a real Claude Code that runs no mods. */

import { afterEach, expect, it } from 'vitest';
import { needs } from '../../support/needs.ts';
import { claudeCode } from '../agents.ts';
import { installVersion } from '../install.ts';
import { insideClaudeCode } from './inside.ts';
import type { ClaudeSession, Turn } from './session.ts';
import { blocksLike, mainOf, resultText, summariesOf } from './wire.ts';
import { type ClaudeWithoutMods, hasNamespaces, withoutMods } from './withoutMods.ts';

/** The last version of Claude Code that runs no mods. */
const olderVersion = '2.1.286';
const rule = 'Never touch the file settings.ini.';
const failing = 'Error: expected 3 rows, got 4';

/** Runs a session with a rule, a refused plan and a long output, compacts it, and continues. */
async function compacted(session: ClaudeSession): Promise<{ compaction: Turn; later: Turn }> {
	const claude = await session.start();
	const line = 'echo "line $no of the output, in which a queue holds items"';
	const command = `for no in $(seq 1 450); do ${line}; [ $no = 200 ] && echo "${failing}"; done; true`;
	const todos = [
		{ content: 'Write the parser', status: 'pending', activeForm: 'Writing the parser' },
		{ content: 'Measure it', status: 'completed', activeForm: 'Measuring it' },
	];
	session.mock.script([
		{ calls: [{ name: 'Bash', args: { command, description: 'Prints lines' } }] },
		{ calls: [{ name: 'TodoWrite', args: { todos } }] },
		{ text: 'The cause is that the index is built for every row.' },
	]);
	await claude.say(`Make the import faster. ${rule}`);
	const compaction = await claude.say('/compact keep the queue');
	session.mock.script([{ text: 'Done.' }]);
	return { compaction, later: await claude.say('Go on.') };
}

/** Checks the results of the hooks. */
function expectHooksAtWork(
	session: ClaudeSession,
	{ compaction, later }: { compaction: Turn; later: Turn },
): void {
	expect(summariesOf(compaction.exchanges)).toBe(1);
	const [asked] = compaction.exchanges;
	const order = JSON.stringify(asked?.request.body.messages);
	const additional = order.slice(order.indexOf('Additional Instructions:'));
	expect(additional).toContain('keep the queue');
	expect(additional).toContain('<conversation-record>');
	expect(additional).toContain(rule);
	expect(additional).toContain('The cause is that the index is built for every row.');
	const after = JSON.stringify(mainOf(later.exchanges)[0]?.body.messages);
	expect(after).toContain('contextd keeps this of what was said before');
	expect(after).toContain(`- ${rule}`);
	// Versions without mods refuse TodoWrite, so a list of todos is no plan there.
	expect(after).not.toContain('- Write the parser');
	const results = mainOf(session.mock.exchanges).flatMap((request) => blocksLike(request, 'tool_result'));
	const printed = results.map(resultText).find((text) => text.includes('line 1 of the output')) ?? '';
	expect(printed).toContain('line 450 of the output');
	expect(printed).toContain(failing);
	expect(printed).not.toContain('line 300 of the output');
	expect(printed).toMatch(/\[451 lines in all; the whole output is in \S+\]/);
	expect(session.daemons()).toEqual([]);
}

await insideClaudeCode((begin) => {
	let forbidden: ClaudeWithoutMods | undefined;

	afterEach(async () => {
		await forbidden?.end();
		forbidden = undefined;
	});

	it(`the hooks hand over the record and the rules in ${olderVersion}, which runs no mods`, {
		timeout: 230_000,
	}, async () => {
		const session = await begin({}, () => installVersion(claudeCode, olderVersion));
		expectHooksAtWork(session, await compacted(session));
		expect(session.contextd('doctor', 'claude')).toContain(`Claude Code ${olderVersion} runs no mods`);
		const claude = await session.start();
		expect((await claude.say('/contextd')).text).not.toContain('registered /contextd');
	});

	const canForbid = hasNamespaces();
	it.skipIf(!canForbid)(
		'the hooks hand over the record and the rules if an organization allows only its own mods',
		{ timeout: 120_000, ...(canForbid ? {} : needs('Linux, with namespaces of users')) },
		async () => {
			const session = await begin({}, async (installed) => {
				forbidden = await withoutMods(installed);
				return forbidden;
			});
			expectHooksAtWork(session, await compacted(session));
		},
	);

	it('the hooks do nothing while the mod works', { timeout: 120_000 }, async () => {
		const session = await begin();
		const { compaction, later } = await compacted(session);
		expect(compaction.exchanges).toEqual([]);
		const sent = JSON.stringify(mainOf(later.exchanges)[0]?.body.messages);
		expect(sent).not.toContain('contextd keeps this of what was said before');
		expect(sent).not.toContain('the whole output is in');
	});
});
