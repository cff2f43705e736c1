/**
 * The process of `contextd hook`, in a bundle of its own: what a settings hook of Claude Code starts where no mod may
 * run. It answers in time or not at all, and always ends well: nothing that goes wrong here may hold a turn up.
 */

import { userInfo } from 'node:os';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { writeOutput } from '../status/pipes.ts';
import { hookAnswer } from './answer.ts';

/** Milliseconds; Claude Code waits a little longer. */
const patience = 8_000;

async function answer(): Promise<void> {
	const { values } = parseArgs({
		args: process.argv.slice(3),
		options: { 'settings-from': { type: 'string' } },
	});
	const settings = values['settings-from'];
	if (settings === undefined) return;
	const { platform } = process;
	const around = { settings, platform, home: userInfo().homedir, now: Date.now };
	writeOutput(await hookAnswer(await text(process.stdin), around));
}

setTimeout(() => process.exit(0), patience);
answer().then(
	() => process.exit(0),
	// A hook that fails is none: whatever it would print, Claude Code would show or hand on.
	() => process.exit(0),
);
