/**
 * The mod that Claude Code loads. Claude Code checks the source before it runs it: each hook must be an inline function, and
 * its first parameter must be called `$` and must not be passed on.
 */

import { createSessionPorts } from './channel.ts';
import { compactionAnswer } from './compaction.ts';
import { createHeldConversations, storeUsage } from './conversations.ts';
import { createFindDaemon, readPluginStart } from './daemon.ts';
import { compactAtTurnEnd, suggestCompactionAfterIdle } from './earlyCompaction.ts';
import type { HookHost, Host, RegisterHook } from './host.ts';
import { commandAnswer, pinAnswer, recallAnswer, registerLookup, statsAnswer, undoAnswer } from './lookup.ts';
import { retryRefusedStep } from './refusals.ts';
import { sendWithView } from './requests.ts';

/** Returns the hook's host as a plain object, which may be passed to other functions. */
function hostOf($: HookHost): Host {
	return {
		plugin: { root: $.plugin.root },
		process: { spawn: (request) => $.process.spawn(request), hookEnv: () => $.process.hookEnv() },
		http: { fetch: (url, init) => $.http.fetch(url, init) },
		fs: {
			read: (path) => $.fs.read(path),
			size: async (path) => (await $.fs.stat(path)).size,
			bytes: async (path, offset, length) =>
				bytesOf((await $.fs.read(path, { as: 'bytes', offset, length })).base64),
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

function bytesOf(base64: string): Uint8Array {
	return Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0));
}

/** Registers all hooks; Claude Code calls it by this name. */
export function register(on: RegisterHook): void {
	const findDaemon = createFindDaemon(readPluginStart);
	const conversations = createHeldConversations(createSessionPorts(findDaemon));

	on('session.start', async ($, event, next) => {
		// Started early for the first request. That request reports an error.
		void findDaemon(hostOf($)).catch(() => {});
		const start = await readPluginStart(hostOf($)).catch(() => undefined);
		conversations.hasStatusLine = start?.hasStatusLine === true;
		const started = await next(event);
		await registerLookup(hostOf($));
		void suggestCompactionAfterIdle(hostOf($), conversations, Date.now());
		return started;
	});
	on('session.measure', async (_$, event, next) => {
		conversations.window = event.context.window;
		return next(event);
	});
	on('http.fetch', async ($, event, next) => {
		if (next.origin?.plugin !== 'engine') return next(event);
		return sendWithView(hostOf($), event, next, conversations);
	});
	on('turn.step', async function* ($, event, next) {
		const result = yield* retryRefusedStep(hostOf($), event, next, conversations);
		storeUsage(event.agentId, result, conversations);
		return result;
	});
	on('turn.complete', async ($, event, next) => {
		const completed = await next(event);
		if (event.agentId === undefined) await compactAtTurnEnd(hostOf($), conversations);
		return completed;
	});
	on('session.compact', async ($, event, next) => {
		const skip = await compactionAnswer(hostOf($), event, conversations);
		return skip === undefined ? next(event) : { skip };
	});
	on('tool.call', { tool: 'mcp__contextd__contextd_recall' }, async ($, event) => {
		return { result: await recallAnswer(hostOf($), event, conversations) };
	});
	on('tool.call', { tool: 'mcp__contextd__contextd_stats' }, async ($, event) => {
		return { result: await statsAnswer(hostOf($), event, conversations) };
	});
	on('command.run', { command: 'contextd' }, async ($, { args }) => {
		return { text: await commandAnswer(hostOf($), args, conversations), isTextDisplayOnly: true };
	});
	on('command.run', { command: 'contextd-undo' }, async ($, { args }) => {
		return { text: await undoAnswer(hostOf($), args, conversations), isTextDisplayOnly: true };
	});
	on('command.run', { command: 'contextd-pin' }, async ($, { args }) => {
		return { text: await pinAnswer(hostOf($), args, conversations), isTextDisplayOnly: true };
	});
}
