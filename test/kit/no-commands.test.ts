import { expect, it } from 'vitest';
import { answerContextCommand, createStatsText } from '../../kit/lookups.ts';
import type { Ask } from '../../kit/ports.ts';
import { freshFolder, startingApps } from '../support/app.ts';
import { said } from './conversations.ts';
import { sessionId, startHost, smallWindow as window } from './host.ts';

const { start } = startingApps();

const raw = Array.from({ length: 31 }, (_, index) =>
	said(index % 2 === 0 ? 'user' : 'assistant', `${index}. ${'the queue holds items that wait. '.repeat(40)}`),
);

it('a host without commands names none to its user', async () => {
	const app = await start({ home: freshFolder() });
	const { conversation, warnings } = startHost(() => app);
	const ask = ((method: string, params: object) =>
		app.ask({ kind: 'request', method } as never, params as never)) as unknown as Ask;
	const asked = { sessionId, ask, conversation };
	await conversation.view(raw, window);
	const compacted = await conversation.compact(raw);
	expect(compacted.done).toBe(true);
	const report = await createStatsText(asked, 'person');
	expect(report).toContain('last decision:');
	const texts = [
		compacted.text,
		report,
		await createStatsText(asked, 'model'),
		(await conversation.undo()).text,
		(await conversation.undo()).text,
		await answerContextCommand(asked, 'off'),
		await answerContextCommand(asked, ''),
		(await conversation.compact(raw)).text,
		await answerContextCommand(asked, 'on'),
		...warnings,
	];
	for (const text of texts) expect(text).not.toMatch(/\/contextd|\/compact/);
});
