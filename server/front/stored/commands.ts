/** The commands on sessions that contextd stores. */

import { type Arguments, helpHint, type ReportForm, reportFormOf } from '../console/arguments.ts';
import { badInput } from '../console/failure.ts';

interface StoredCommand {
	/** An id, or `newest`: the newest session of the working folder. */
	session: string;
	report: ReportForm;
}

/** `contextd compact --session`. */
export interface CompactStoredCommand extends StoredCommand {
	name: 'compact session';
	/** Target size of the history, in tokens. */
	target?: number;
	instructions?: string;
	/** Clears only the outdated results of these files and commands. */
	free?: string[];
}

export interface UndoCommand extends StoredCommand {
	name: 'undo';
	/** The id of a compaction, rewind or rollback; by default the newest that can be undone. */
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
export function sessionCommand(
	name: 'undo' | 'history' | 'recall',
	{ values, positionals }: Arguments,
): SessionCommand {
	if (!values.session) {
		throw badInput(
			`${name}: --session is missing: expected the id of a stored session, or newest; ${helpHint}`,
		);
	}
	const common: StoredCommand = { session: values.session, report: reportFormOf(values) };
	if (name === 'recall') {
		const words = positionals.join(' ').trim();
		if (words === '') throw badInput(`recall: expected words to look for; ${helpHint}`);
		return { name, ...common, words };
	}
	const maxOperands = name === 'undo' ? 1 : 0;
	if (positionals.length > maxOperands) {
		throw badInput(
			`${name}: expected ${maxOperands === 0 ? 'no operand' : 'one STEP'}, got ${positionals.length}; ${helpHint}`,
		);
	}
	return name === 'undo' ? { name, ...common, step: positionals[0] } : { name, ...common };
}
