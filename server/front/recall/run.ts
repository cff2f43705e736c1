/** Runs `contextd recall` without `--session`. */

import { spawn } from 'node:child_process';
import { formatAge, formatCount } from '../../core/figures.ts';
import { contextRecall, type RecallMatch } from '../../protocol/history.ts';
import { recorderMessages } from '../../protocol/recorder.ts';
import { type CommandDaemon, type OpenDaemon, useDaemon } from '../console/daemon.ts';
import { createInputFailure } from '../console/failure.ts';
import { resolveStartTime } from '../console/filters.ts';
import { detectColouring, type FrontIo, measureColumns, writeJson, writeLines } from '../console/terminal.ts';
import { clipLine, formatLines, type Line, span } from '../output/line.ts';
import { makePrintable } from '../output/printable.ts';
import type { RecallAllCommand } from './command.ts';

/** Number of messages to show before and after an opened match. */
const neighbourCounts = { before: 3, after: 5 };
const defaultMatchCount = 10;
/** Columns of a match's second line before its text. */
const senderColumns = 12;

/**
 * Searches all recorded sessions, and lists the matches or opens one.
 * @param start connects to the daemon that all clients share
 */
export async function runRecall(command: RecallAllCommand, io: FrontIo, start: OpenDaemon): Promise<void> {
	const {
		words,
		isFolderOnly,
		agent,
		since,
		matchToOpen,
		limit = Math.max(defaultMatchCount, matchToOpen ?? 0),
	} = command;
	const columns = measureColumns(io.stdout, io.env);
	return useDaemon(start, async (daemon) => {
		const result = await daemon.request(contextRecall, {
			query: words,
			limit,
			agent,
			...(command.report === 'text' && { maxExcerpt: chooseExcerptUnits(columns) }),
			...(isFolderOnly && { workspace: process.cwd() }),
			...(since !== undefined && { since: resolveStartTime(since, Date.now()) }),
		});
		if (command.report === 'json') return await writeJson(io.stdout, result);
		const { matches, pending = 0 } = result;
		if (matchToOpen !== undefined) return await openMatch(daemon, matches, matchToOpen, io);
		const lines = matches.flatMap((match, index) => renderMatch(match, index + 1, columns));
		const notes = [
			matches.length === 0
				? `No recorded message contains these words${pending > 0 ? ' so far' : ''}.`
				: 'contextd recall … --open N shows one in full',
			...(pending > 0
				? [`${formatCount(pending, 'session')} still being recorded or indexed: search again in a while`]
				: []),
		];
		await writeLines(io.stdout, [...lines, ...notes.map((note): Line => [span(note, 'gray')])], io.env);
	});
}

/** Returns how many UTF-16 units of an excerpt fit on a line after the sender. */
function chooseExcerptUnits(columns: number): number {
	return Math.min(300, Math.max(100, columns - senderColumns));
}

/** Renders a match in two lines: its session, then its sender and text. */
function renderMatch(match: RecallMatch, number: number, columns: number): Line[] {
	const { label, agent, title, folder, at, role, toolName, excerpt } = match;
	const origin = [folder, title].filter((part) => part !== undefined).map(makePrintable);
	const age = at === undefined ? [] : [formatAge(Date.now() - at)];
	const text = makePrintable(excerpt.replace(/\s+/g, ' '));
	const indent = ' '.repeat(4);
	return [
		[
			span(`${number}`.padEnd(indent.length), 'bold'),
			span(makePrintable(label ?? agent ?? ''), 'bold'),
			span(['', ...age, ...origin].join(' · '), 'gray'),
		],
		[span(`${indent}${makePrintable(toolName ?? role)}  `, 'cyan'), span(text)],
	].map((line) => clipLine(line, columns));
}

async function openMatch(
	daemon: CommandDaemon,
	matches: readonly RecallMatch[],
	number: number,
	io: FrontIo,
): Promise<void> {
	const match = matches[number - 1];
	if (match?.recordingId === undefined) {
		const problem = matches.length === 0 ? 'nothing was found' : `expected a number up to ${matches.length}`;
		throw createInputFailure(`recall: there is no match ${number}: ${problem}`);
	}
	const { recordingId, messageId } = match;
	const { session, messages } = await daemon.request(recorderMessages, {
		recordingId,
		messageId,
		...neighbourCounts,
	});
	const head = [session.label, session.title, session.folder].filter((text) => text !== undefined);
	const lines = messages.flatMap((message): Line[] => {
		const isMatch = message.messageId === messageId;
		const sender = makePrintable(message.toolName ?? message.role);
		const timeText = message.at === undefined ? '' : `  ${new Date(message.at).toLocaleString()}`;
		return [
			[],
			[span(`${isMatch ? '▶ ' : '  '}${sender}`, isMatch ? 'bold' : 'cyan'), span(timeText, 'gray')],
			...message.text.split('\n').map((line): Line => [span(makePrintable(line))]),
		];
	});
	const title: Line = [
		span(head.map(makePrintable).join(' · '), 'bold'),
		span(`  recording:${recordingId}`, 'gray'),
	];
	await showInPager([title, ...lines], io);
}

/** The default pager. It shows colours, and ends at once if the text fits the screen. */
const defaultPager = 'less -RFX';

/** Shows lines in the user's pager; prints them if the output is no terminal or the pager cannot be started. */
async function showInPager(lines: readonly Line[], io: FrontIo): Promise<void> {
	const pager = (io.env.PAGER ?? defaultPager).trim();
	if (io.stdout.isTTY === true && pager !== '' && (await runPager(pager, lines, io))) return;
	await writeLines(io.stdout, lines, io.env);
}

/** Shows lines in a pager; returns whether it could be started. */
function runPager(pager: string, lines: readonly Line[], io: FrontIo): Promise<boolean> {
	return new Promise((resolve) => {
		// PAGER is a command line, which may have options.
		const child = spawn(pager, { shell: true, stdio: ['pipe', 'inherit', 'ignore'], env: io.env });
		child.on('error', () => resolve(false));
		child.on('exit', (code) => resolve(code !== 127 && code !== 126));
		// A user may leave the pager before it has read everything.
		child.stdin.on('error', () => {});
		child.stdin.end(formatLines(lines, detectColouring(io.stdout, io.env)));
	});
}
