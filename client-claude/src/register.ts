/**
 * The mod that Claude Code loads. Claude Code checks the source before it runs it: each hook must be an inline function, and
 * its first parameter must be called `$` and must not be passed on.
 */

import { createSessionPorts } from './channel.ts';
import { answerCompactEvent } from './compaction.ts';
import { Conversations } from './conversations.ts';
import { createFindDaemon, readPluginStart } from './daemon.ts';
import { compactAtTurnEnd, suggestCompactionAfterIdle } from './earlyCompaction.ts';
import type { HookHost, Host, RegisterHook } from './host.ts';
import { answerCommand, answerPin, answerRecall, answerStats, answerUndo, registerLookup } from './lookup.ts';
import { retryRefusedStep } from './refusals.ts';
import { sendWithView } from './requests.ts';

/** Wraps the host of a hook in a plain object, which may be passed to other functions. */
function wrapHost($: HookHost): Host {
	return {
		plugin: { root: $.plugin.root },
		process: { spawn: (request) => $.process.spawn(request), hookEnv: () => $.process.hookEnv() },
		http: { fetch: (url, init) => $.http.fetch(url, init) },
		fs: {
			read: (path) => $.fs.read(path),
			size: async (path) => (await $.fs.stat(path)).size,
			bytes: async (path, offset, length) =>
				base64ToBytes((await $.fs.read(path, { as: 'bytes', offset, length })).base64),
		},
		clock: { sleep: (ms) => $.clock.sleep(ms) },
		session: {
			cwd: () => $.session.cwd(),
			usage: () => $.session.usage(),
			messages: (args) => $.session.messages(args),
		},
		ui: { status: (text) => $.ui.status(text), log: (text) => $.ui.log(text) },
		command: { register: (command) => $.command.register(command) },
		tool: { register: (tool) => $.tool.register(tool) },
	};
}

function base64ToBytes(base64: string): Uint8Array {
	return Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0));
}

/** Registers all hooks. Claude Code calls this function by its name. */
export function register(on: RegisterHook): void {
	const findDaemon = createFindDaemon();
	const conversations = new Conversations(createSessionPorts(findDaemon));

	on('session.start', async ($, event, next) => {
		// Starts the daemon early. If that fails, the first request reports the error.
		void findDaemon(wrapHost($)).catch(() => {});
		const start = await readPluginStart(wrapHost($)).catch(() => undefined);
		conversations.hasStatusLine = start?.hasStatusLine === true;
		const result = await next(event);
		await registerLookup(wrapHost($));
		void suggestCompactionAfterIdle(wrapHost($), conversations, Date.now());
		return result;
	});
	on('session.measure', async (_$, event, next) => {
		conversations.window = event.context.window;
		return next(event);
	});
	on('http.fetch', async ($, event, next) => {
		if (next.origin?.plugin !== 'engine') return next(event);
		return sendWithView(wrapHost($), event, next, conversations);
	});
	on('turn.step', async function* ($, event, next) {
		const result = yield* retryRefusedStep(wrapHost($), event, next, conversations);
		conversations.reportUsage(event.agentId, result);
		return result;
	});
	on('turn.complete', async ($, event, next) => {
		const result = await next(event);
		if (event.agentId === undefined) await compactAtTurnEnd(wrapHost($), conversations);
		return result;
	});
	on('session.compact', async ($, event, next) => {
		const skip = await answerCompactEvent(wrapHost($), event, conversations);
		return skip === undefined ? next(event) : { skip };
	});
	on('tool.call', { tool: 'mcp__contextd__contextd_recall' }, async ($, event) => {
		return { result: await answerRecall(wrapHost($), event, conversations) };
	});
	on('tool.call', { tool: 'mcp__contextd__contextd_stats' }, async ($, event) => {
		return { result: await answerStats(wrapHost($), event, conversations) };
	});
	on('command.run', { command: 'contextd' }, async ($, { args }) => {
		return { text: await answerCommand(wrapHost($), args, conversations), isTextDisplayOnly: true };
	});
	on('command.run', { command: 'contextd-undo' }, async ($, { args }) => {
		return { text: await answerUndo(wrapHost($), args, conversations), isTextDisplayOnly: true };
	});
	on('command.run', { command: 'contextd-pin' }, async ($, { args }) => {
		return { text: await answerPin(wrapHost($), args, conversations), isTextDisplayOnly: true };
	});
}
