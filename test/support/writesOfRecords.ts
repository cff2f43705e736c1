/** Which of the writes that clients asked for left which record of a journal, and whether that is an order for them. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JournalRecord, StoredRow, StoredStep } from '../../server/core/history/record.ts';

/** A write as a client sent it, and what became of it. */
export interface AskedWrite {
	method: string;
	params: Record<string, unknown>;
	/** Where it stands among all that was sent and answered. */
	sent: number;
	/** Absent where no answer came: its own daemon was killed. */
	answered?: number;
	/** Absent where the answer was an error. */
	result?: Record<string, unknown>;
}

/** A record that somebody asked for; what became of compactions and the like is told by the write itself. */
export interface Effect {
	record: JournalRecord;
	write: AskedWrite;
}

/** Records of a journal, in order. */
export function recordsOf(home: string, sessionId: string): JournalRecord[] {
	const lines = readFileSync(join(home, 'sessions', `${sessionId}.jsonl`), 'utf8').split('\n');
	return lines
		.filter((line) => line.startsWith('{"crc":'))
		.map((line) => (JSON.parse(line) as { record: JournalRecord }).record);
}

/** What a daemon writes by itself. */
const ownRecords: ReadonlySet<JournalRecord['t']> = new Set(['open', 'unmark', 'recount', 'recounted']);

/** Gives each record that somebody asked for its write, and what is wrong about the two. */
export function effectsOf(
	records: readonly JournalRecord[],
	asked: readonly AskedWrite[],
): { effects: Effect[]; wrong: string[] } {
	const rows: StoredRow[] = [];
	const left = new Set(asked);
	const effects: Effect[] = [];
	const wrong: string[] = [];
	for (const record of records) {
		if (record.t === 'append') rows.push(...record.rows);
		if (ownRecords.has(record.t)) continue;
		if (isPinOfNothing(record)) {
			effects.push({ record, write: pinOfNothing });
			continue;
		}
		const fitting = [...left].filter((write) => fits(record, write, rows));
		// Where several may be meant, they ask for the same: one whose answer tells of an effect is sure to have left one.
		const write = fitting.find(leavesRecord) ?? fitting[0];
		if (write) {
			left.delete(write);
			effects.push({ record, write });
		} else wrong.push(`nobody asked for the record ${JSON.stringify(record).slice(0, 300)}`);
	}
	const lost = [...left].filter(leavesRecord);
	wrong.push(
		...lost.map(
			({ method, result }) => `${method} was answered by ${JSON.stringify(result)}, and left nothing`,
		),
	);
	wrong.push(...outOfOrder(effects));
	return { effects, wrong };
}

/** Whether a record may be that of a write; an answer decides where there is one. */
function fits(record: JournalRecord, write: AskedWrite, rows: readonly StoredRow[]): boolean {
	const { method, params, result } = write;
	const mayBe = write.answered === undefined || result !== undefined;
	if (!mayBe) return false;
	if (record.t === 'append') {
		return method === 'session/append' && (params.messages as { id: string }[])[0]?.id === record.rows[0]?.id;
	}
	if (record.t === 'mark') {
		return method === 'context/checkpoint' && (!result || result.checkpointId === record.id);
	}
	if (record.t === 'undo') {
		return method === 'context/undo' && (!result || `${result.undone}` === `${record.steps}`);
	}
	if (record.t === 'pin') return method === 'context/pin' && isPin(record, params, rows);
	return record.t === 'step' && isStep(record.step, write, rows);
}

function isPin(
	record: Extract<JournalRecord, { t: 'pin' }>,
	{ messageIds = [], uris = [], pinned }: AskedWrite['params'],
	rows: readonly StoredRow[],
): boolean {
	const isSame = `${record.rows.map((seq) => rows[seq]?.id)}` === `${messageIds}`;
	return record.on === pinned && isSame && `${record.uris}` === `${uris}`;
}

/** Of files that were not pinned, nothing is said where their pins are taken off. */
function isPinOfNothing(record: JournalRecord): boolean {
	return record.t === 'pin' && !record.on && record.rows.length === 0 && record.uris.length === 0;
}

const pinOfNothing: AskedWrite = {
	method: 'context/pin',
	params: { uris: ['file:///never-pinned'], pinned: false },
	sent: 0,
};

function isStep(
	step: StoredStep,
	{ method, params, result }: AskedWrite,
	rows: readonly StoredRow[],
): boolean {
	if (step.cause === 'compact') {
		if (method !== 'context/compact') return false;
		return result ? result.compactionId === step.id : params.targetTokens === step.receipt?.targetTokens;
	}
	if (step.cause === 'rollback') {
		return method === 'context/rollback' && params.checkpointId === step.mark;
	}
	const last = rows[(step.sheet?.patches[0]?.from ?? 0) - 1];
	return step.cause === 'rewind' && method === 'session/rewind' && params.messageId === last?.id;
}

/** Whether a write that was answered in this way has changed something. */
function leavesRecord({ method, params, result }: AskedWrite): boolean {
	if (!result) return false;
	if (method === 'context/pin') return params.pinned === true;
	if (method === 'context/compact') return typeof result.compactionId === 'string';
	if (method === 'session/rewind') return (result.hidden as string[]).length > 0;
	if (method === 'context/rollback') return (result.discarded as string[]).length > 0;
	return true;
}

/** Whether a record can be that of one write alone: rewinds, rollbacks and pins may ask for the same. */
function isCertain({ method, answered }: AskedWrite): boolean {
	if (method === 'session/append') return true;
	return answered !== undefined && ['context/compact', 'context/undo', 'context/checkpoint'].includes(method);
}

/** Writes that stand behind one that was sent only after they were answered. */
function outOfOrder(effects: readonly Effect[]): string[] {
	const wrong: string[] = [];
	let latest: AskedWrite | undefined;
	for (const { write } of effects) {
		if (!isCertain(write)) continue;
		if (latest && write.answered !== undefined && write.answered < latest.sent) {
			wrong.push(`${write.method} was answered before ${latest.method} was sent, and stands behind it`);
		}
		if (!latest || write.sent > latest.sent) latest = write;
	}
	return wrong;
}
