import { expect, it } from 'vitest';
import { contextCompact } from '../../../server/protocol/compact.ts';
import { sharedApp } from '../../support/app.ts';
import { assistantSays, prose, userSays } from '../../support/messages.ts';
import { sessionMaker } from '../../support/talk.ts';

const app = sharedApp();
const session = sessionMaker(app, 'written');
const write = (name: string, parameters: Record<string, string>): string => {
	const tags = Object.entries(parameters).map(([key, value]) => `<parameter=${key}>${value}</parameter>`);
	return [`<function=${name}>`, ...tags, '</function>'].join('\n');
};

it('a call that an agent writes as text is a change of a file, though its output stays visible', async () => {
	const steps = Array.from({ length: 12 }, (_, index) => [
		assistantSays(
			`I look at part ${index}. ${prose(60, index)}\n${write('bash', { command: `cat part${index}.py` })}`,
		),
		userSays(`OBSERVATION:\n${prose(200, index)}`),
	]).flat();
	const edit = write('str_replace_editor', {
		command: 'str_replace',
		path: '/srv/fares.py',
		old_str: '# Pier\npier = 7',
		new_str: '# Quay\nquay = 9',
	});
	const sessionId = await session([
		userSays('Rename the pier.'),
		...steps,
		assistantSays(`I rename it in the fares. ${prose(300)}\n${edit}`),
		userSays(`OBSERVATION:\nThe file /srv/fares.py has been edited. ${prose(900)}`),
	]);
	const compaction = await app.ask(contextCompact, { sessionId, targetTokens: 2000 });
	expect(compaction?.summary?.text).toMatch(/^State: .*changed.*\/srv\/fares\.py/m);
	expect(compaction?.summary?.text).not.toMatch(/<function=|Quay: quay/);
});
