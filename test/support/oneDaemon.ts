/** What several daemons left of a session, beside what one daemon makes of the same writes in the same order. */

import type { JournalRecord } from '../../server/core/history/record.ts';
import type { Daemon } from './daemon.ts';
import type { AskedWrite, Effect } from './writesOfRecords.ts';

/** Ids that a daemon gives by itself, each with what stands for it in both sessions. */
type Names = Map<string, string>;

/** Members that tell when, or for whom, something was done. */
const passing = ['at', 'op', 'createdAt', 'updatedAt', 'lastActivityAt', 'revision'];
/** Where messages are shown, their ids are only if a client gave them; the records have all. */
const passingInView: ReadonlySet<string> = new Set([...passing, 'id']);
const passingInRecord: ReadonlySet<string> = new Set(passing);

/** A value as text, without members that may differ, and with the daemon's own ids by their names. */
function plain(value: unknown, names: Names, left: ReadonlySet<string>): string {
	const text = JSON.stringify(value, (key, member) => (left.has(key) ? undefined : member)) ?? '';
	return text.replace(
		/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g,
		(id) => names.get(id) ?? id,
	);
}

/** Where two texts part, with what stands around. */
function parting(left: string, right: string): string {
	let at = 0;
	while (at < left.length && left[at] === right[at]) at++;
	const around = (text: string): string => text.slice(Math.max(0, at - 80), at + 160);
	return `at ${at}: …${around(left)}… | …${around(right)}…`;
}

/** Asks for what was asked of several daemons, in the order of the records that it left; gives what came out otherwise. */
export async function playAlone(
	one: Daemon,
	sessionId: string,
	effects: readonly Effect[],
	names: Names,
): Promise<string[]> {
	const own = new Map<string, string>();
	await one.start('session/open', { sessionId }).reply;
	for (const [number, { record, write }] of effects.entries()) {
		const { result, error } = await one.start(write.method, {
			sessionId,
			...write.params,
			...told(record, write, own),
		}).reply;
		if (error) return [`alone, ${write.method} (${number}) fails: ${error.message}`];
		const made = result as { compactionId?: string | null; checkpointId?: string };
		const id = made?.compactionId ?? made?.checkpointId;
		const theirs = record.t === 'mark' ? record.id : record.t === 'step' ? record.step.id : undefined;
		if (typeof id !== 'string' || theirs === undefined) continue;
		own.set(theirs, id);
		names.set(theirs, `made ${number}`).set(id, `made ${number}`);
	}
	return [];
}

/** What has to be told so that one daemon names things as several did. */
function told(
	record: JournalRecord,
	{ params }: AskedWrite,
	own: ReadonlyMap<string, string>,
): Record<string, unknown> {
	if (record.t === 'append') {
		const messages = params.messages as object[];
		return { messages: messages.map((message, index) => ({ ...message, id: record.rows[index]?.id })) };
	}
	if (record.t === 'step' && record.step.mark !== undefined)
		return { checkpointId: own.get(record.step.mark) };
	return {};
}

/** All that can be seen of a session. */
const looks: [method: string, params: Record<string, unknown>][] = [
	['context/history', { includeHidden: true }],
	['context/history', {}],
	['context/history', { format: 'anthropic' }],
	['context/stats', {}],
	['context/timeline', {}],
	['context/checkpoints', {}],
	['context/pin', { pinned: true }],
	['context/recall', { query: 'word' }],
	['context/validate', {}],
];

/** Where what two daemons tell of a session differs. */
async function differing(
	daemons: readonly [Daemon, Daemon],
	sessionId: string,
	names: Names,
	when: string,
): Promise<string[]> {
	const wrong: string[] = [];
	for (const [method, params] of looks) {
		const [several, alone] = await Promise.all(
			daemons.map(async (daemon) => {
				const { result, error } = await daemon.start(method, { sessionId, ...params }).reply;
				return plain(error?.message ?? result, names, passingInView);
			}),
		);
		if (several !== alone) wrong.push(`${when}, ${method} differs ${parting(several ?? '', alone ?? '')}`);
	}
	return wrong;
}

/** Compares what two daemons tell of a session, now and after each step that is taken back. */
export async function compareSessions(
	daemons: readonly [Daemon, Daemon],
	sessionId: string,
	names: Names,
): Promise<string[]> {
	const wrong = await differing(daemons, sessionId, names, 'in the end');
	for (let undone = 1; wrong.length === 0; undone++) {
		const [several, alone] = await Promise.all(
			daemons.map(async (daemon) => {
				const { result, error } = await daemon.start('context/undo', { sessionId }).reply;
				return { isOver: error !== undefined, text: plain(error?.message ?? result, names, passingInView) };
			}),
		);
		if (several?.text !== alone?.text)
			wrong.push(`undo ${undone} differs ${parting(several?.text ?? '', alone?.text ?? '')}`);
		if (several?.isOver || alone?.isOver) break;
	}
	if (wrong.length === 0)
		wrong.push(...(await differing(daemons, sessionId, names, 'with all steps taken back')));
	return wrong;
}

/** Where the records of two journals part. */
export function partingRecords(
	several: readonly JournalRecord[],
	alone: readonly JournalRecord[],
	names: Names,
): string[] {
	for (let index = 0; index < Math.max(several.length, alone.length); index++) {
		const [theirs, own] = [
			plain(several[index], names, passingInRecord),
			plain(alone[index], names, passingInRecord),
		];
		if (theirs !== own) return [`record ${index} differs ${parting(theirs, own)}`];
	}
	return [];
}
