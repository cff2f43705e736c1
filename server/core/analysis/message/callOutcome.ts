/** How the calls of a session ended, as plain values. */

import type { ToolCall } from '../../../protocol/conversation.ts';
import type { CheckRun } from '../shell/checkRuns.ts';
import type { GitCommand } from '../shell/gitCommands.ts';
import type { Source } from './source.ts';

/** How a call ended, judged by its result alone. */
export interface CallEnd {
	result: Source;
	/** The command of a shell tool's call; empty if the call has none. */
	command: string;
	/** The git commands in `command`. */
	gitCommands: readonly GitCommand[];
	exitCode?: number;
	failed: boolean;
	/** Whether the output reports a failure that the exit code hides: a pipe returns the exit code of its last command. */
	hasHiddenFailure: boolean;
	/** Whether the user refused the call, its agent cancelled it, or it has no result. It may have done nothing. */
	wasStopped: boolean;
	/** Whether the tool's own rules rejected the call, which says nothing about the work. */
	isToolRejection: boolean;
	/** The line that states the outcome; empty if no line does. */
	message: string;
	/** Whether the command checks or measures the work. */
	isCheck: boolean;
	/** The checks that the call ran. */
	checkRuns: readonly CheckRun[];
	/** Whether the call succeeded. False for a check if its failure may be hidden, or if it still ran. */
	hasPassed: boolean;
	/** The key of the call's action, as `computeActionKey` returns it. */
	actionKey?: string;
	/** Set if the command still ran when the call returned: its id, or an empty text if it has none. */
	runningId?: string;
	/** The command with which the call started, restarted or deployed a service; absent if it did none of these. */
	serviceStart?: string;
	/** The folder of the call's command, if the call names one. */
	folder?: string;
}

/** How a call ended, judged by the whole session. */
export interface CallOutcome extends CallEnd {
	call: ToolCall;
	/** The message that contains the call. */
	caller: Source;
	/** The call that `result` answers: a later call if it reads the rest of a running command's output. */
	reader: ToolCall;
	/** Whether the call ran while git had put the session's changes aside: what it reports does not concern them. */
	isStashed?: boolean;
	/** For a failed call: the later result in which the same action or check passed. */
	settledBy?: Source;
	/** For a passed check: the result of its newest run if that failed. */
	brokenBy?: Source;
}

/** The outcomes of all ended calls, by result and by call. */
export interface Outcomes {
	byResult: ReadonlyMap<Source, CallOutcome>;
	byCall: ReadonlyMap<ToolCall, CallOutcome>;
	/** The calls that failed or were refused, as `collectFailedCalls` returns them. */
	failedCalls: ReadonlySet<ToolCall>;
	/** The outcomes of checks, in the order of their results. */
	checks: readonly CallOutcome[];
	/** The line with which the shell begins most outputs, if there is one. */
	startUpLine?: string;
}
