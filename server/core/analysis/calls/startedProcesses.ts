/** Finds processes that a script left running: `nohup python train.py > train.log 2>&1 &`. */

import type { ToolCall } from '../../../protocol/conversation.ts';
import type { CallOutcome } from '../message/callOutcome.ts';
import type { Source } from '../message/source.ts';
import { reportsFailure } from '../shell/checkOutput.ts';
import { removeDocumentsAndComments } from '../shell/commands.ts';
import { listOutputLines } from '../text/outputLines.ts';

/** Quoted texts, which may contain any operator. */
const quotationPattern = /"(?:\\[\s\S]|[^"\\])*"|'[^']*'/g;
/** Redirections with the operator of a background process in them. */
const mergedOutputPattern = /\d?>&\d?|&>/g;
const separatorPattern = /(&&|\|\|?|&(?=[\s)]|$)|[;\n()])/;
const arithmeticPattern = /\$\(\([^()]{0,200}\)\)/g;
/** What shows that a script means to leave a process running: its output goes elsewhere, its id is read, or the line ends. */
const leavingPattern = /\b(?:nohup|setsid)\b|\$!|>[^&;\n]{1,300}&\s|&[ \t]{0,9}(?:$|[\n)])/;
const wrapperWordPattern = /^(?:nohup|setsid|exec|env|sudo|\w+=.*)$/;
/** Programs that end soon or by themselves, and ends of blocks. */
const shortProgramPattern =
	/^(?:|[{}]|done|fi|cat|cd|cp|curl|disown|echo|git|grep|kill|ls|mkdir|mv|open|printf|rm|sleep|start|tail|timeout|wget|xdg-open)$/;
/** Programs after which a process of the same script has ended. */
const endingProgramPattern = /^(?:wait|fg|kill|pkill|killall)$/;
const logPathPattern = />{1,2}[ \t]{0,4}([^\s>]{1,300})/;
/** The id of a process in the output of the script that started it. */
const processIdPattern = /\b(?:pid|process id)\W{1,5}(\d{2,8})\b|^\[\d{1,3}\] (\d{2,8})$/im;
const printedIdPattern = /^(\d{2,8})$/m;
/** Words of the user and the agent about the end of a process. */
const endWordsPattern =
	/\b(?:training|server|process|job|script|download|worker|daemon|watcher)\b[^.!?\n]{0,60}\b(?:finished|completed?|done|ended|stopped|crash(?:ed)?|died|exited|killed|not running|no longer|failed)\b|\b(?:stopped|killed|ended|terminated|shut down)\b[^.!?\n]{0,40}\b(?:training|server|process|job|script|download|worker|daemon|watcher|it)\b/i;
/** What a log prints at the end of a run, and what a client reports of a server that does not run. */
const finishedPattern = /\b(?:completed?|finished|done|saved|exit(?:ed|ing)?)\b/i;
const refusedPattern = /\bconnection refused\b|\bECONNREFUSED\b|\bfailed to connect\b/i;
/** The shell's report of the end of a process. */
const endReportPattern = /^\[\d{1,3}\][+-]? {1,3}(?:Done|Exit|Killed|Terminated|Stopped)\b/m;

/** Number of newest processes of which an end is searched. */
const maxProcesses = 10;

/** A process that a script left running. */
interface StartedProcess {
	command: string;
	/** The file that receives its output; absent if none is named. */
	logPath?: string;
	outcome: CallOutcome;
}

function findProgram(command: string): string {
	return command.split(/\s+/).find((word) => word !== '' && !wrapperWordPattern.test(word)) ?? '';
}

/** Returns the newest process that a call started and left running; undefined if it left none, or reports a failure. */
function findProcess(outcome: CallOutcome): StartedProcess | undefined {
	const { command: script, failed, hasHiddenFailure, isCheck, result } = outcome;
	if (failed || hasHiddenFailure || isCheck || !script.includes('&')) return undefined;
	const plain = removeDocumentsAndComments(script)
		.replace(quotationPattern, (text) => (text.includes('$!') ? '$!' : '""'))
		.replace(arithmeticPattern, '0')
		.replace(mergedOutputPattern, '>');
	if (!leavingPattern.test(plain)) return undefined;
	const parts = plain.split(separatorPattern);
	if (parts.some((part) => endingProgramPattern.test(findProgram(part)))) return undefined;
	const command = parts.findLast(
		(part, index) => parts[index + 1] === '&' && !shortProgramPattern.test(findProgram(part)),
	);
	if (command === undefined || listOutputLines(readOutput(result)).some(reportsFailure)) return undefined;
	return { command: command.trim(), logPath: logPathPattern.exec(command)?.[1], outcome };
}

/** Returns the output of a call; empty if its result was not recorded. */
function readOutput({ role, text }: Source): string {
	return role === 'tool' ? text : '';
}

/** Returns what the output of a script calls its process, such as `PID 4711`; empty if it names no id. */
function nameProcess({ command, result }: CallOutcome): string {
	const output = readOutput(result);
	const [, named, listed] = processIdPattern.exec(output) ?? [];
	const printed = /\becho "?\$!/.test(command) && printedIdPattern.exec(output)?.[1];
	const id = named ?? listed ?? printed;
	return id ? `PID ${id}` : '';
}

/**
 * Returns the outcomes of calls that left a process running of which no message shows the end, each with the process as
 * `runningId`; oldest first. A process that was started again is listed once. The caller looks for calls that stop processes.
 */
export function listStartedProcesses(
	sources: readonly Source[],
	byCall: ReadonlyMap<ToolCall, CallOutcome>,
): CallOutcome[] {
	const started = new Map<string, StartedProcess>();
	for (const [call, outcome] of byCall) {
		const found = call === outcome.call ? findProcess(outcome) : undefined;
		if (found) started.set(found.command, found);
	}
	const hasEndedLater = ({ logPath, outcome }: StartedProcess): boolean =>
		logPath !== undefined &&
		[...byCall].some(
			([call, { result, reader }]) =>
				call === reader &&
				result.seq > outcome.result.seq &&
				JSON.stringify(call.args).includes(logPath) &&
				listOutputLines(readOutput(result)).some(
					(line) => reportsFailure(line) || finishedPattern.test(line),
				),
		);
	return [...started.values()]
		.slice(-maxProcesses)
		.filter(
			(one) =>
				!hasEndedLater(one) &&
				!sources.some(
					({ seq, role, text }) =>
						seq > one.outcome.result.seq &&
						(role === 'tool'
							? endReportPattern.test(text) || refusedPattern.test(text)
							: endWordsPattern.test(text)),
				),
		)
		.map(({ outcome }) => ({ ...outcome, runningId: nameProcess(outcome) }));
}
