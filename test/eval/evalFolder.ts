/** Reads a folder with sessions, questions about them, and labels of false statements. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import * as z from 'zod';
import { Failure } from '../../server/core/failure.ts';
import { createOutline, type Outline } from '../../server/core/transcript/outline.ts';
import { openTranscript } from '../../server/node/transcript/openTranscript.ts';
import { applyEvents } from '../support/transcriptFold.ts';

const pattern = z.string().transform((source, context) => {
	try {
		return new RegExp(source, 'giu');
	} catch (error) {
		context.addIssue({ code: 'custom', message: `expected a regular expression: ${error}` });
		return z.NEVER;
	}
});

const question = z.strictObject({
	/** The file name of the session, without its ending. */
	session: z.string(),
	category: z.string(),
	question: z.string(),
	/** The answer as a person wrote it. */
	answer: z.string(),
	/** Patterns that must all appear close to each other. */
	all: z.array(pattern).min(1),
	/** Patterns of which at least one must appear close to the matches of `all`. */
	any: z.array(pattern).default([]),
});

const label = z.strictObject({
	session: z.string(),
	/** Why a matching line is false. */
	statement: z.string(),
	/** Matches lines that make the false statement. */
	pattern,
	/** A line counts as true if this matches that line, the line before it, or one of the two lines after it. */
	unless: pattern.optional(),
	/** A line counts as true if this matches any later line, because a log that corrects itself is not false. */
	correctedBy: pattern.optional(),
});

export type Question = z.infer<typeof question>;
export type Label = z.infer<typeof label>;

/** A session of a folder, read from its transcript. */
export interface EvalSession {
	name: string;
	outline: Outline;
}

export interface EvalFolder {
	sessions: EvalSession[];
	questions: Question[];
	labels: Label[];
	/** Files that are not transcripts of a known agent, with the reason. */
	skipped: { file: string; reason: string }[];
}

const questionsFile = 'questions.jsonl';
const labelsFile = 'labels.jsonl';

/**
 * Reads every transcript of a folder, in the order of their names, and the optional files `questions.jsonl` and
 * `labels.jsonl`. Does not read subfolders. Throws if a line of these two files has the wrong form, or names a missing
 * session.
 *
 * @param generated sessions that belong to the folder and are not files
 */
export async function readEvalFolder(
	folder: string,
	generated: readonly EvalSession[] = [],
): Promise<EvalFolder> {
	const sessions = [...generated];
	const skipped: EvalFolder['skipped'] = [];
	for (const file of transcriptFiles(folder)) {
		try {
			sessions.push(await readSession(join(folder, file)));
		} catch (error) {
			if (!(error instanceof Failure)) throw error;
			skipped.push({ file, reason: error.message });
		}
	}
	const names = new Set(sessions.map(({ name }) => name));
	return {
		sessions,
		questions: readLines(join(folder, questionsFile), question, names),
		labels: readLines(join(folder, labelsFile), label, names),
		skipped,
	};
}

function transcriptFiles(folder: string): string[] {
	const names = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
	return names
		.map(({ name }) => name)
		.filter((name) => /\.jsonl?$/.test(name) && ![questionsFile, labelsFile].includes(name))
		.sort();
}

/** Reads a session, which is named after its file, without the last ending. */
async function readSession(path: string): Promise<EvalSession> {
	const transcript = await openTranscript(path);
	const outline = createOutline();
	try {
		for (let chunk = await transcript.readNext(); chunk; chunk = await transcript.readNext())
			applyEvents(outline, chunk.events);
	} finally {
		await transcript.close();
	}
	return { name: basename(path, extname(path)), outline };
}

function readLines<Shape extends z.ZodType<{ session: string }>>(
	path: string,
	shape: Shape,
	sessions: ReadonlySet<string>,
): z.output<Shape>[] {
	if (!existsSync(path)) return [];
	const lines = readFileSync(path, 'utf8').split('\n');
	return lines.flatMap((line, index) => {
		if (line.trim() === '') return [];
		const read = shape.safeParse(JSON.parse(line));
		if (!read.success) throw new Error(`${path}:${index + 1}: ${z.prettifyError(read.error)}`);
		if (!sessions.has(read.data.session))
			throw new Error(`${path}:${index + 1}: expected the name of a session, got "${read.data.session}"`);
		return [read.data];
	});
}
