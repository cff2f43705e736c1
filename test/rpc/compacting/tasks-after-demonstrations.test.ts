import { expect, it } from 'vitest';
import { contextCompact } from '../../../server/protocol/compact.ts';
import { sharedApp } from '../../support/app.ts';
import { assistantSays, prose, userSays } from '../../support/messages.ts';
import { sessionMaker } from '../../support/talk.ts';

const app = sharedApp();
const session = sessionMaker(app, 'task');
const prompt = '\n\n(Open file: n/a)\n(Current directory: /srv/app)\nbash-$';
const task = `Fix the ferry table. ${'It loses its last row on Sundays. '.repeat(20)}${prompt}`;

it.each([
	['text', task],
	['parts', [{ type: 'text' as const, text: task }]],
])('a task after a demonstration is the goal, and later screens are output: %s', async (_, content) => {
	const steps = Array.from({ length: 40 }, (_unused, index) => [
		assistantSays(`I look at part ${index}.\n${prose(60, index)}\nopen part${index}.ts`),
		userSays(`[File: part${index}.ts]\nconst ferry${index} = ${index};\n${prose(120, index)}${prompt}`),
	]).flat();
	const sessionId = await session([
		userSays(`Here is a demonstration.\n${prose(200)}\n--- END OF DEMONSTRATION ---`),
		{ ...userSays(task), content },
		...steps,
	]);
	const compaction = await app.ask(contextCompact, { sessionId, targetTokens: 4000 });
	expect(compaction?.summary?.text).toMatch(/^Goal \(#1\): Fix the ferry table\./m);
	expect(compaction?.summary?.text).toMatch(/^\[#\d+ output\]/m);
	expect(compaction?.summary?.text).not.toContain('[#1 output]');
});
