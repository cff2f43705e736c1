/** Finds the line with which a shell begins most outputs, such as a complaint of its start-up file. It is no result of a command. */

import { getOrInsert } from '../../getOrInsert.ts';
import type { MadeCall, Source } from '../message/source.ts';
import { findShellCommand } from '../shell/commands.ts';

/** The first line that a command printed, after the lines that agents write above it. */
const firstLinePattern =
	/^(?:(?:Exit code|Wall time|Chunk ID|Process exited|Original token count|Total output lines|Command:|Directory:|<\w{1,20}>|Output:(?=\n))[^\n]{0,400}\n){0,8}(?:Output: )?([^\n]{12,300})/;
/** The program of a command, after a change of the folder. */
const programPattern = /^\s{0,9}(?:cd \S{1,300} (?:&&|;) )?(\S{1,80})/;
/** Minimum number of different programs before whose output the line is printed. An error is that of one or two programs. */
const minPrograms = 3;

/**
 * Returns the line that is the first in most outputs of a session's commands, also of one that did not fail; undefined if
 * there is none. O(results).
 * @param callsByResult the calls of the session, as `pairResults` returns them
 */
export function findStartUpLine(callsByResult: ReadonlyMap<Source, MadeCall>): string | undefined {
	const uses = new Map<string, { count: number; programs: Set<string>; isHarmless: boolean }>();
	let commandCount = 0;
	for (const [source, { call }] of callsByResult) {
		const command = findShellCommand(call);
		if (command === undefined) continue;
		commandCount++;
		const use = getOrInsert(uses, findFirstLine(source.text), () => ({
			count: 0,
			programs: new Set<string>(),
			isHarmless: false,
		}));
		use.count++;
		use.programs.add(programPattern.exec(command)?.[1] ?? '');
		use.isHarmless ||= !source.failed && !/^Exit code:? [1-9]/.test(source.text);
	}
	for (const [line, { count, programs, isHarmless }] of uses)
		if (line !== '' && isHarmless && programs.size >= minPrograms && 2 * count > commandCount) return line;
	return undefined;
}

function findFirstLine(text: string): string {
	return firstLinePattern.exec(text)?.[1] ?? '';
}

/** Returns a result without this line if it is the first. */
export function removeStartUpLine(result: Source, line: string | undefined): Source {
	if (line === undefined || findFirstLine(result.text) !== line) return result;
	return { ...result, text: result.text.replace(line, '') };
}
