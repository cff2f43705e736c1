/**
 * The process of `contextd hook`, in its own bundle: Claude Code's settings hook when no mod may run.
 *
 * It has a hard deadline and always exits with 0, since no error here may block a turn.
 */

import { userInfo } from 'node:os';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { writeOutput } from '../status/pipes.ts';
import { createHookAnswer } from './answer.ts';

/** Deadline in milliseconds; Claude Code waits a little longer. */
const deadlineMs = 8_000;

async function answer(): Promise<void> {
	const { values } = parseArgs({
		args: process.argv.slice(3),
		options: { 'settings-from': { type: 'string' } },
	});
	const settingsPath = values['settings-from'];
	if (settingsPath === undefined) return;
	const { platform } = process;
	const context = { settingsPath, platform, home: userInfo().homedir, now: Date.now };
	writeOutput(await createHookAnswer(await text(process.stdin), context));
}

setTimeout(() => process.exit(0), deadlineMs);
answer().then(
	() => process.exit(0),
	// A failed hook prints nothing, since Claude Code would show it or pass it to the model.
	() => process.exit(0),
);
