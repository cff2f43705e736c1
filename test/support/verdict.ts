/** What is wrong with a session that several daemons have worked on. */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Daemon, freshHome } from './daemon.ts';
import { compareSessions, partingRecords, playAlone } from './oneDaemon.ts';
import { type AskedWrite, effectsOf, recordsOf } from './writesOfRecords.ts';

/** What became of an append; `refused`: its holder was not heard for 5 s, on a machine that has no time for it. */
export interface Append {
	client: number;
	texts: string[];
	/** Where it stands among all that was sent. */
	sent: number;
	/** `unknown`: its own daemon was killed before it could answer. */
	outcome: 'waiting' | 'done' | 'unknown' | 'refused';
}

/** The number of the process that holds a session; undefined where nobody does. */
export function holderIn(home: string, sessionId: string): number | undefined {
	try {
		const [name = ''] = readdirSync(join(home, 'sessions', `${sessionId}.lock`));
		return Number(name.split('.')[0]);
	} catch {
		return undefined;
	}
}

/** The texts by which messages are known, in the order of a history. */
export function textsOf(result: unknown): string[] {
	const { messages } = result as { messages: { content: unknown; metadata?: Record<string, unknown> }[] };
	return messages.flatMap(({ content, metadata }) => {
		if (metadata?.isSummary || metadata?.isTruncationMarker || metadata?.truncated) return [];
		const word = typeof content === 'string' ? content.split(' ')[0] : undefined;
		return word?.includes('/') ? [word] : [];
	});
}

/** A round as it is judged. */
interface Played {
	daemons: readonly Daemon[];
	sessionId: string;
	home: string;
	appends: readonly Append[];
	asked: readonly AskedWrite[];
	isCalm: boolean;
	start(home?: string): Promise<Daemon>;
}

/** What is wrong with what is left in the end. */
export async function verdict(played: Played): Promise<string[]> {
	const { daemons, sessionId, home, appends, start } = played;
	const wrong: string[] = [];
	const look = async (daemon: Daemon, method: string, params = {}): Promise<unknown> =>
		(await daemon.start(method, { sessionId, ...params }).reply).result;
	const seen = await Promise.all(
		daemons.map((daemon) => look(daemon, 'context/history', { includeHidden: true })),
	);
	const views = await Promise.all(daemons.map((daemon) => look(daemon, 'context/history')));
	for (const daemon of daemons) await daemon.kill();
	if (holderIn(home, sessionId) === undefined) wrong.push('nobody was left to hold the session');
	const fresh = await start();
	const replayed = await look(fresh, 'context/history', { includeHidden: true });
	const view = await look(fresh, 'context/history');
	if ([...seen, ...views].some((one) => one === undefined)) wrong.push('a daemon cannot tell the history');
	if (seen.some((one) => JSON.stringify(one) !== JSON.stringify(replayed)))
		wrong.push('daemons differ from the replay');
	if (views.some((one) => JSON.stringify(one) !== JSON.stringify(view)))
		wrong.push('views differ from the replay');
	wrong.push(...(await besideOne(fresh, played)));
	// Without its steps, the history is all that was ever appended, in order.
	for (;;) {
		const { error } = await fresh.start('context/undo', { sessionId }).reply;
		if (error) break;
	}
	const standing = textsOf(await look(fresh, 'context/history'));
	wrong.push(...faultsOf(standing, appends));
	await fresh.kill();
	return wrong;
}

/** How what is left differs from what one daemon alone makes of the same writes, in the order of the journal. */
async function besideOne(
	fresh: Daemon,
	{ sessionId, home, asked, isCalm, start }: Played,
): Promise<string[]> {
	const records = recordsOf(home, sessionId);
	const { effects, wrong } = effectsOf(records, asked);
	// What a compaction that others wrote beside has chosen depends on the moment in which it looked.
	if (wrong.length > 0 || !isCalm) return wrong;
	const alone = await freshHome();
	const one = await start(alone);
	const names = new Map<string, string>();
	wrong.push(...(await playAlone(one, sessionId, effects, names)));
	wrong.push(...partingRecords(records, recordsOf(alone, sessionId), names));
	if (wrong.length === 0) wrong.push(...(await compareSessions([fresh, one], sessionId, names)));
	await one.kill();
	return wrong;
}

/** Each append stands there once if it was answered, whole, and in the order of its client. */
function faultsOf(standing: readonly string[], appends: readonly Append[]): string[] {
	const wrong: string[] = [];
	const places = new Map(standing.map((one, index) => [one, index]));
	if (places.size !== standing.length)
		wrong.push(`${standing.length - places.size} messages stand there twice`);
	const asked = new Set(appends.flatMap(({ texts }) => texts));
	const strange = standing.filter((one) => !asked.has(one));
	if (strange.length > 0) wrong.push(`nobody appended ${strange[0]}`);
	const last = new Map<number, number>();
	for (const { client, texts, outcome } of [...appends].sort((one, other) => one.sent - other.sent)) {
		const found = texts.map((one) => places.get(one));
		const there = found.filter((one) => one !== undefined);
		if (there.length === 0 && outcome !== 'done') continue;
		if (outcome === 'refused') wrong.push(`${texts[0]} was refused, and stands there`);
		if (there.length !== texts.length) {
			wrong.push(`of ${texts.join(', ')}, ${outcome}, ${there.length} stand there`);
			continue;
		}
		const first = there[0] ?? 0;
		if (there.some((place, index) => place !== first + index)) wrong.push(`${texts[0]} was torn apart`);
		if (outcome !== 'done') continue;
		if (first < (last.get(client) ?? -1))
			wrong.push(`${texts[0]} stands before what its client sent earlier`);
		last.set(client, first);
	}
	return wrong;
}
