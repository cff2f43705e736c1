/** Arguments of `contextd restore`. */

import { type Arguments, helpHint, type ReportForm, reportFormOf } from '../console/arguments.ts';
import { restoreForms } from '../console/commandWords.ts';
import { badInput } from '../console/failure.ts';

export type RestoreForm = (typeof restoreForms)[number];

export interface RestoreCommand {
	name: 'restore';
	/** A recording, an agent's session id, a path, or a unique beginning of an id; absent: list what can be restored. */
	session?: string;
	form: RestoreForm;
	/** Absent or `-`: standard output. */
	output?: string;
	/** Whether to put the transcript where its agent finds it. */
	isPlaced: boolean;
	/** Without a session: whether to list the recordings of all folders. */
	all: boolean;
	report: ReportForm;
}

/** Parses the arguments of `restore`; throws with exit code 2 if they are invalid. */
export function restoreCommand({ values, positionals }: Arguments): RestoreCommand {
	const [session, ...others] = positionals;
	if (others.length > 0) {
		throw badInput(`restore: expected one SESSION, got ${positionals.length}; ${helpHint}`);
	}
	const { output, place: isPlaced = false, all = false } = values;
	if (session === '') throw badInput('restore: SESSION is empty');
	if (output === '') throw badInput('restore: -o needs the name of a file');
	if (isPlaced && output !== undefined) throw badInput('restore: --place and -o cannot be combined');
	if (session !== undefined && all) throw badInput(`restore: --all lists recordings, and needs no SESSION`);
	const form = formOf(values);
	if (isPlaced && form !== 'transcript') {
		throw badInput(`restore: --place puts a transcript where its agent finds it, not ${form}`);
	}
	return { name: 'restore', session, form, output, isPlaced, all, report: reportFormOf(values) };
}

const formsByEnding: Readonly<Record<string, RestoreForm>> = { html: 'html', htm: 'html', json: 'json' };

/** The form that `--as` names, else that of `--place` or of the file's name. */
function formOf({ as: named, place, output }: Arguments['values']): RestoreForm {
	if (named === undefined) {
		const ending = /\.([a-z]+)$/i.exec(output ?? '')?.[1]?.toLowerCase() ?? '';
		return place ? 'transcript' : (formsByEnding[ending] ?? 'markdown');
	}
	const form = restoreForms.find((one) => one === named);
	if (form !== undefined) return form;
	throw badInput(`restore: --as: expected one of ${restoreForms.join(', ')}, got "${named}"`);
}
