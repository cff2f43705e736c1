/** Arguments of `contextd restore`. */

import { type Arguments, chooseReportFormat, parseOperand, type ReportFormat } from '../console/arguments.ts';
import { restoreForms } from '../console/commandWords.ts';
import { createInputFailure } from '../console/failure.ts';

export type RestoreForm = (typeof restoreForms)[number];

export interface RestoreCommand {
	name: 'restore';
	/** A recording, an agent's session id, a path, or a unique prefix of an id; absent: list what can be restored. */
	session?: string;
	form: RestoreForm;
	/** File to write; absent or `-`: standard output. */
	output?: string;
	/** Whether to write the transcript to where its agent finds it. */
	shouldPlace: boolean;
	/** Without a session: whether to list the recordings of all folders. */
	shouldListAll: boolean;
	report: ReportFormat;
}

/** Parses the arguments of `restore`; throws with exit code 2 if they are invalid. */
export function parseRestoreArguments({ values, positionals }: Arguments): RestoreCommand {
	const session = parseOperand('restore', positionals, 'SESSION');
	const { output, place: shouldPlace = false, all: shouldListAll = false } = values;
	if (session === '') throw createInputFailure('restore: SESSION is empty');
	if (output === '') throw createInputFailure('restore: -o needs the name of a file');
	if (shouldPlace && output !== undefined)
		throw createInputFailure('restore: --place and -o cannot be combined');
	if (session !== undefined && shouldListAll)
		throw createInputFailure(`restore: --all lists recordings, and needs no SESSION`);
	const form = chooseForm(values);
	if (shouldPlace && form !== 'transcript')
		throw createInputFailure(`restore: --place puts a transcript where its agent finds it, not ${form}`);
	return {
		name: 'restore',
		session,
		form,
		output,
		shouldPlace,
		shouldListAll,
		report: chooseReportFormat(values),
	};
}

const formsByEnding: Readonly<Record<string, RestoreForm>> = { html: 'html', htm: 'html', json: 'json' };

/** Returns the form that `--as` names, else the one that `--place` or the file's name implies. */
function chooseForm({ as: formName, place, output }: Arguments['values']): RestoreForm {
	if (formName === undefined) {
		const ending = /\.([a-z]+)$/i.exec(output ?? '')?.[1]?.toLowerCase() ?? '';
		return place ? 'transcript' : (formsByEnding[ending] ?? 'markdown');
	}
	const form = restoreForms.find((one) => one === formName);
	if (form !== undefined) return form;
	throw createInputFailure(`restore: --as: expected one of ${restoreForms.join(', ')}, got "${formName}"`);
}
