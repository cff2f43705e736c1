/** A session of about 2,500 messages, put together from a few written blocks by a seeded generator. */

import { readTranscript } from '../../support/transcriptFold.ts';
import type { EvalSession } from '../evalFolder.ts';

const steps = 620;
const areas = ['orders', 'growers', 'invoices', 'pallets', 'harvest', 'weather', 'pickers', 'trucks'];
const verbs = ['list', 'find', 'create', 'update', 'archive', 'count', 'export', 'merge', 'assign'];

/** Messages of the user by step; all other steps are routine. */
const said: Readonly<Record<number, string>> = {
	0: 'Move every handler in src/handlers/ from callbacks to async functions, one file at a time. Rules: never edit src/generated/, it is overwritten by the schema tool; run `make check` after each file; and do not change the text of error messages, the support team searches for them.',
	60: 'Stop using util.promisify for the database calls: pool.promise() of the driver keeps the stack traces. Convert the files that you did with promisify as well.',
	140: 'The export handlers must stream, a grower exported 480,000 rows last year and the process died. Use pipeline from node:stream/promises.',
	230: 'Please skip src/handlers/weather/mergeWeather.js, Bogdana rewrites it in her branch wx-merge. I merge it on 14 May.',
	330: 'From now on put timeouts on outgoing calls: 8 seconds, AbortSignal.timeout(8000). Scratch the 30 seconds that I told you last week.',
	420: 'The nightly job failed: truck 7714 was assigned twice because assignTrucks ran in parallel with mergeTrucks. Serialize both with the advisory lock 90210.',
	480: 'How many handlers are left? And use the name HandlerTimeout for the new error class, not TimeoutError, since that exists in the driver.',
};

/** The agent's answers to these messages, by step. */
const answered: Readonly<Record<number, string>> = {
	60: 'I use pool.promise() from here on and converted the eleven files that used util.promisify; `promisify` no longer appears in src/handlers/.',
	140: 'Exports stream now with pipeline; memory stays at 74 MB for 480,000 rows, before it was 2.1 GB.',
	230: 'I skip mergeWeather.js. It stays on callbacks until the branch wx-merge is merged on 14 May.',
	330: 'Outgoing calls have AbortSignal.timeout(8000). The 30 seconds are gone from src/lib/outgoing.js.',
	420: 'assignTrucks and mergeTrucks take pg_advisory_xact_lock(90210) first; the test "truck 7714 is assigned once" failed before and passes now.',
	480: 'The new class is HandlerTimeout in src/lib/errors.js. mergeWeather.js is the only handler that is skipped on purpose.',
};

/** Returns the session, the same at each call. */
export function longSession(): EvalSession {
	const lines = Array.from({ length: steps }, (_, step) => stepRecords(step)).flat();
	let parentUuid: string | null = null;
	const records = lines.map(({ type, content }, index) => {
		const uuid = `long-${index}`;
		const message = {
			id: `msg-${index}`,
			role: type,
			content,
			...(type === 'assistant' && { model: 'claude-sonnet-4-5' }),
		};
		const record = {
			type,
			uuid,
			parentUuid,
			isSidechain: false,
			sessionId: 'orchard',
			cwd: '/home/ines/orchard',
			message,
		};
		parentUuid = uuid;
		return JSON.stringify(record);
	});
	const read = readTranscript(records.join('\n'));
	if (read === undefined) throw new Error('expected a transcript of Claude Code');
	return { name: 'orchard', outline: read.transcript };
}

interface Line {
	type: 'user' | 'assistant';
	content: unknown;
}

/** Returns a step in which a handler is read, edited and checked. Every ninth edit and every eleventh check fails at first. */
function stepRecords(step: number): Line[] {
	const { path, name } = handlerOf(step);
	const lines: Line[] = [];
	if (said[step] !== undefined) lines.push({ type: 'user', content: said[step] });
	if (answered[step] !== undefined)
		lines.push({ type: 'assistant', content: [{ type: 'text', text: answered[step] }] });
	const old = `exports.${name} = function (request, done) {`;
	const edit = {
		file_path: path,
		old_string: old,
		new_string: `exports.${name} = async function (request) {`,
	};
	lines.push(...call(step, 'read', 'Read', { file_path: path }, handlerText(name, step)));
	if (step % 9 === 4) {
		const wrong = { ...edit, old_string: `${old} // ${step}` };
		lines.push(...call(step, 'wrong', 'Edit', wrong, 'String to replace not found in file.', true));
	}
	lines.push(...call(step, 'edit', 'Edit', edit, `The file ${path} has been updated successfully.`));
	if (step % 11 === 5) {
		const failure = `${checkOutput(step)}\n1 failing\n  ${name} answers once: Error: done is not a function\nmake: *** [check] Error 1`;
		lines.push(...call(step, 'failed', 'Bash', { command: 'make check' }, failure, true));
	}
	lines.push(
		...call(step, 'check', 'Bash', { command: 'make check' }, `${checkOutput(step)}\n${400 + step} passing`),
	);
	return lines;
}

function call(
	step: number,
	suffix: string,
	name: string,
	input: object,
	result: string,
	isError = false,
): Line[] {
	const id = `toolu_${step}_${suffix}`;
	const answer = {
		type: 'tool_result',
		tool_use_id: id,
		content: result,
		...(isError && { is_error: true }),
	};
	return [
		{ type: 'assistant', content: [{ type: 'tool_use', id, name, input }] },
		{ type: 'user', content: [answer] },
	];
}

function handlerOf(step: number): { path: string; name: string } {
	const area = pick(areas, step);
	const verb = pick(verbs, Math.floor(step / areas.length));
	const name = `${verb}${area.charAt(0).toUpperCase()}${area.slice(1)}`;
	return { name, path: `/home/ines/orchard/src/handlers/${area}/${name}.js` };
}

function handlerText(name: string, step: number): string {
	const random = generator(step + 1);
	const table = pick(areas, Math.floor(random() * 8));
	const checks = Array.from({ length: 3 + Math.floor(random() * 6) }, (_, index) => {
		const field = pick(['grower', 'season', 'crate', 'weight', 'depot', 'sort'], index + step);
		return `  if (!request.${field}) return done(new Error('${name}: ${field} is missing (${1000 + step})'));`;
	});
	return [
		`const pool = require('../../lib/pool');`,
		`exports.${name} = function (request, done) {`,
		...checks,
		`  pool.query('select * from ${table} where id = $1', [request.id], function (error, rows) {`,
		'    if (error) return done(error);',
		`    done(null, rows.map((row) => ({ ...row, checked: ${step} })));`,
		'  });',
		'};',
	].join('\n');
}

function checkOutput(step: number): string {
	const random = generator(step + 7);
	return Array.from({ length: 6 }, () => {
		const { name } = handlerOf(Math.floor(random() * steps));
		return `  ✓ ${name} answers once (${Math.floor(random() * 90)} ms)`;
	}).join('\n');
}

function pick(list: readonly string[], index: number): string {
	return list[index % list.length] ?? '';
}

/** Returns a linear congruential generator (Numerical Recipes) of numbers from 0 to 1, the same for the same seed. */
function generator(seed: number): () => number {
	let state = seed >>> 0;
	return () => {
		state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
		return state / 2 ** 32;
	};
}
