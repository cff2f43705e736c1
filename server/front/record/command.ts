/** `contextd record`. */

import { resolve } from 'node:path';
import type { RecorderSetParams } from '../../protocol/recorder.ts';
import { type Arguments, helpHint, type ReportForm, reportFormOf } from '../console/arguments.ts';
import { recordActions } from '../console/commandWords.ts';
import { badInput } from '../console/failure.ts';

export type RecordCommand = { name: 'record'; report: ReportForm } & (
	| { action: 'on'; settings: Omit<RecorderSetParams, 'recording'> }
	| { action: 'off' | 'status' }
	/** A recording's id or its beginning, the agent's id of the session, or a path. */
	| { action: 'pin' | 'unpin'; session: string }
);

/** Parses the arguments after `record`; throws with exit code 2 if they are invalid. */
export function recordCommand({ values, positionals }: Arguments): RecordCommand {
	const [word, session, ...others] = positionals;
	const action = recordActions.find((one) => one === word);
	if (action === undefined) {
		throw badInput(`record: expected one of ${recordActions.join(', ')}, got "${word ?? ''}"; ${helpHint}`);
	}
	const common = { name: 'record', report: reportFormOf(values) } as const;
	const isPin = action === 'pin' || action === 'unpin';
	if (isPin && session !== undefined && others.length === 0) return { ...common, action, session };
	if (isPin || session !== undefined) {
		throw badInput(`record ${action}: expected ${isPin ? 'one SESSION' : 'no operand'}; ${helpHint}`);
	}
	if (action === 'on') return { ...common, action, settings: settingsOf(values) };
	const option = (['exclude', 'max-size', 'max-days'] as const).find((name) => values[name] !== undefined);
	if (option !== undefined) throw badInput(`record ${action}: --${option} belongs to record on; ${helpHint}`);
	return { ...common, action };
}

function settingsOf(values: Arguments['values']): Omit<RecorderSetParams, 'recording'> {
	const { exclude, 'max-size': size, 'max-days': days } = values;
	if (exclude?.some((folder) => folder.trim() === '')) throw badInput('record: --exclude needs a folder');
	return {
		...(exclude && { excludedFolders: exclude.map((folder) => resolve(folder)) }),
		...(size !== undefined && { maxBytes: sizeOf(size) }),
		...(days !== undefined && { maxDays: daysOf(days) }),
	};
}

const units: Readonly<Record<string, number>> = { m: 2 ** 20, g: 2 ** 30, t: 2 ** 40 };

function sizeOf(text: string): number {
	const [, digits = '', unit = ''] = /^(\d{1,6})([mgt])b?$/i.exec(text.trim()) ?? [];
	const bytes = Number(digits) * (units[unit.toLowerCase()] ?? 0);
	if (bytes > 0) return bytes;
	throw badInput(`record: --max-size: expected a size such as 500m or 5g, got "${text}"`);
}

function daysOf(text: string): number {
	const days = Number(text);
	if (Number.isInteger(days) && days >= 1 && days <= 36_500) return days;
	throw badInput(`record: --max-days: expected a number of days from 1 to 36500, got "${text}"`);
}
