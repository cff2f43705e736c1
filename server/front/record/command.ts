/** Arguments of `contextd record`. */

import { resolve } from 'node:path';
import type { RecorderSetParams } from '../../protocol/recorder.ts';
import { type Arguments, chooseReportFormat, helpHint, type ReportFormat } from '../console/arguments.ts';
import { recordActions } from '../console/commandWords.ts';
import { createInputFailure } from '../console/failure.ts';

export type RecordCommand = { name: 'record'; report: ReportFormat } & (
	| { action: 'on'; settings: Omit<RecorderSetParams, 'recording'> }
	| { action: 'off' | 'status' }
	/** `session`: a recording's id or a prefix of it, the agent's id of the session, or a path. */
	| { action: 'pin' | 'unpin'; session: string }
);

/** Parses the arguments after `record`; throws with exit code 2 if they are invalid. */
export function parseRecordArguments({ values, positionals }: Arguments): RecordCommand {
	const [word, session, ...others] = positionals;
	const action = recordActions.find((one) => one === word);
	if (action === undefined) {
		throw createInputFailure(
			`record: expected one of ${recordActions.join(', ')}, got "${word ?? ''}"; ${helpHint}`,
		);
	}
	const common = { name: 'record', report: chooseReportFormat(values) } as const;
	const isPin = action === 'pin' || action === 'unpin';
	if (isPin && session !== undefined && others.length === 0) return { ...common, action, session };
	if (isPin || session !== undefined) {
		throw createInputFailure(
			`record ${action}: expected ${isPin ? 'one SESSION' : 'no operand'}; ${helpHint}`,
		);
	}
	if (action === 'on') return { ...common, action, settings: parseRecorderSettings(values) };
	const option = (['exclude', 'max-size', 'max-days'] as const).find((name) => values[name] !== undefined);
	if (option !== undefined)
		throw createInputFailure(`record ${action}: --${option} belongs to record on; ${helpHint}`);
	return { ...common, action };
}

function parseRecorderSettings(values: Arguments['values']): Omit<RecorderSetParams, 'recording'> {
	const { exclude, 'max-size': size, 'max-days': days } = values;
	if (exclude?.some((folder) => folder.trim() === ''))
		throw createInputFailure('record: --exclude needs a folder');
	return {
		...(exclude && { excludedFolders: exclude.map((folder) => resolve(folder)) }),
		...(size !== undefined && { maxBytes: parseSize(size) }),
		...(days !== undefined && { maxDays: parseDays(days) }),
	};
}

const bytesByUnit: Readonly<Record<string, number>> = { m: 2 ** 20, g: 2 ** 30, t: 2 ** 40 };

function parseSize(text: string): number {
	const [, digits = '', unit = ''] = /^(\d{1,6})([mgt])b?$/i.exec(text.trim()) ?? [];
	const bytes = Number(digits) * (bytesByUnit[unit.toLowerCase()] ?? 0);
	if (bytes > 0) return bytes;
	throw createInputFailure(`record: --max-size: expected a size such as 500m or 5g, got "${text}"`);
}

function parseDays(text: string): number {
	const days = Number(text);
	if (Number.isInteger(days) && days >= 1 && days <= 36_500) return days;
	throw createInputFailure(`record: --max-days: expected a number of days from 1 to 36500, got "${text}"`);
}
