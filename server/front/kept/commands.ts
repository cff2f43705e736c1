/** The commands on sessions that contextd itself keeps, as they stand in every window. */

import { type Arguments, type ReportForm, reportOf, seeHelp } from '../console/arguments.ts';
import { badInput } from '../console/failure.ts';

interface KeptCommand {
	/** An id, or `newest`: the newest that belongs to the working folder. */
	session: string;
	report: ReportForm;
}

/** `contextd compact --session`. */
export interface CompactKeptCommand extends KeptCommand {
	name: 'compact session';
	/** Tokens that the history should have afterwards. */
	target?: number;
	instructions?: string;
}

export interface UndoCommand extends KeptCommand {
	name: 'undo';
	/** A compaction, rewind or rollback; the newest that can be undone where absent. */
	step?: string;
}

export interface HistoryCommand extends KeptCommand {
	name: 'history';
}

export interface RecallCommand extends KeptCommand {
	name: 'recall';
	words: string;
}

export type SessionCommand = CompactKeptCommand | UndoCommand | HistoryCommand | RecallCommand;

/** Reads what stands behind `undo`, `history` or `recall`; fails with exit code 2 where that makes no sense. */
export function sessionCommand(
	name: 'undo' | 'history' | 'recall',
	{ values, positionals }: Arguments,
): SessionCommand {
	if (!values.session) {
		throw badInput(
			`${name}: --session is missing: expected the id of a session that contextd keeps, or newest; ${seeHelp}`,
		);
	}
	const kept: KeptCommand = { session: values.session, report: reportOf(values) };
	if (name === 'recall') {
		const words = positionals.join(' ').trim();
		if (words === '') throw badInput(`recall: expected words to look for; ${seeHelp}`);
		return { name, ...kept, words };
	}
	const most = name === 'undo' ? 1 : 0;
	if (positionals.length > most) {
		throw badInput(
			`${name}: expected ${most === 0 ? 'no operand' : 'one STEP'}, got ${positionals.length}; ${seeHelp}`,
		);
	}
	return name === 'undo' ? { name, ...kept, step: positionals[0] } : { name, ...kept };
}
