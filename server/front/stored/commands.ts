/** Arguments of the commands on sessions that contextd stores. */

import { type Arguments, chooseReportFormat, helpHint, type ReportFormat } from '../console/arguments.ts';
import { createInputFailure } from '../console/failure.ts';

interface StoredCommand {
	/** Id of a stored session, or `newest`: the newest one of the working folder. */
	session: string;
	report: ReportFormat;
}

/** Arguments of `contextd compact --session`. */
export interface CompactStoredCommand extends StoredCommand {
	name: 'compact session';
	/** Target size of the history, in tokens. */
	target?: number;
	instructions?: string;
	/** Files and commands, as typed; if given, only their outdated results are cleared. */
	free?: string[];
}

export interface UndoCommand extends StoredCommand {
	name: 'undo';
	/** Id of a compaction, rewind or rollback; by default the newest that can be undone. */
	step?: string;
}

export interface HistoryCommand extends StoredCommand {
	name: 'history';
}

export interface RecallCommand extends StoredCommand {
	name: 'recall';
	words: string;
}

export type SessionCommand = CompactStoredCommand | UndoCommand | HistoryCommand | RecallCommand;

/** Parses the arguments of `undo`, `history` or `recall`; throws with exit code 2 if they are invalid. */
export function parseSessionArguments(
	name: 'undo' | 'history' | 'recall',
	{ values, positionals }: Arguments,
): SessionCommand {
	if (!values.session) {
		throw createInputFailure(
			`${name}: --session is missing: expected the id of a stored session, or newest; ${helpHint}`,
		);
	}
	const common: StoredCommand = { session: values.session, report: chooseReportFormat(values) };
	if (name === 'recall') {
		const words = positionals.join(' ').trim();
		if (words === '') throw createInputFailure(`recall: expected words to look for; ${helpHint}`);
		return { name, ...common, words };
	}
	const maxOperands = name === 'undo' ? 1 : 0;
	if (positionals.length > maxOperands) {
		throw createInputFailure(
			`${name}: expected ${maxOperands === 0 ? 'no operand' : 'one STEP'}, got ${positionals.length}; ${helpHint}`,
		);
	}
	return name === 'undo' ? { name, ...common, step: positionals[0] } : { name, ...common };
}
