/**
 * The cost of a compaction by length of the history, the best of five rounds: elapsed time, processor time, processor time of the
 * main thread (all clients wait for it; V8 compiles and collects garbage in other threads), and the longest time in which nothing
 * else could run. Measured with messages of about 400 characters, and with a session of work.
 * `npm run bench -- compact [--at-once] [WORDS]`; words select measurements by their names. By default the daemon has time to read
 * before the first compaction, as between two requests. `--at-once` measures the worst case: all messages are appended and compacted
 * at once. Garbage is not collected between rounds, because that would discard compiled code. `--against` runs the same rounds in an
 * older checkout.
 */

import { existsSync, readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { CompactResult } from '../../server/protocol/compact.ts';
import type { ChatMessage } from '../../server/protocol/conversation.ts';
import { previewCompaction } from '../../server/session/compaction/preview.ts';
import * as reading from '../../server/session/compaction/readAhead.ts';
import { type CompactOptions, compactSession } from '../../server/session/compaction/request.ts';
import type { Session } from '../../server/session/session.ts';
import { undoStep } from '../../server/session/steps.ts';
import { sessionWith, type TestWorld, testWorld, unwatched } from '../support/world.ts';
import { called } from './eitherCheckout.ts';
import { sessionOfWork } from './sessionOfWork.ts';

const lengths = [1000, 10_000, 100_000];
const rounds = 5;
const stock =
	'the parser reads a token and then the window moves on to file src/module/part.ts at line'.split(' ');

function words(characters: number, seed: number): string {
	let text = '';
	for (let index = seed; text.length < characters; index = (index * 31 + 7) % 100_003) {
		text += index % 9 === 0 ? `name_${index % 997} ` : `${stock[index % stock.length]} `;
	}
	return text;
}

/** Returns a prompt, then turns of a call, its result and a remark on it. */
function messagesOf(count: number): ChatMessage[] {
	return Array.from({ length: count }, (_, index): ChatMessage => {
		if (index % 40 === 0) return { role: 'user', content: words(400, index) };
		if (index % 3 === 0) {
			const args = { command: words(300, index) };
			return {
				role: 'assistant',
				content: words(60, index),
				toolCalls: [{ id: `call-${index}`, name: 'run', args }],
			};
		}
		if (index % 3 === 1 && (index - 1) % 40 !== 0) {
			return { role: 'tool', toolCallId: `call-${index - 1}`, toolName: 'run', content: words(400, index) };
		}
		return { role: 'assistant', content: words(400, index) };
	});
}

type Compaction = (
	world: TestWorld,
	session: Session,
	order: CompactOptions,
) => Promise<CompactResult | null>;

const commit: Compaction = ({ store }, session, order) =>
	called(compactSession, store, session, order, unwatched(session));

const preview: Compaction = async ({ store }, session, order) =>
	(await called(previewCompaction, store, session, order, unwatched(session))).result;

const atOnce = '--at-once';
const args = process.argv.slice(2);
const asked = args.filter((arg) => arg !== atOnce).join(' ');
const readsAhead = !args.includes(atOnce);

/** Returns the processor milliseconds since an earlier reading. */
function processorsSince(before: NodeJS.CpuUsage): number {
	const { user, system } = process.cpuUsage(before);
	return (user + system) / 1000;
}

/** The file in which Linux counts the nanoseconds of the main thread. */
const ownThread = `/proc/self/task/${process.pid}/schedstat`;

/** Returns the milliseconds of the main thread since the start of the process; NaN if the system does not count them. */
function mainThread(): number {
	return existsSync(ownThread) ? Number.parseInt(readFileSync(ownThread, 'utf8'), 10) / 1e6 : Number.NaN;
}

async function measure(
	kind: { name: string; messages: () => ChatMessage[] },
	label: string,
	order: CompactOptions,
	compaction: Compaction,
): Promise<void> {
	const title = `${kind.name}, ${label}`;
	if (!title.includes(asked)) return;
	const world = testWorld();
	const session = await sessionWith(world, kind.messages());
	const idle = () => world.world.pause();
	const before = process.cpuUsage();
	let ahead = '';
	// Older checkouts do not read ahead.
	if (readsAhead && reading.readAhead) {
		await reading.readAhead(session, { waitUntilIdle: idle, isOpen: () => true });
		ahead = `, read ahead in ${processorsSince(before).toFixed(0)} ms`;
	}
	let best = { ms: Number.POSITIVE_INFINITY, cpu: 0, main: 0, block: 0, words: '' };
	let first = 0;
	for (let round = 0; round < rounds; round++) {
		const delay = monitorEventLoopDelay({ resolution: 1 });
		delay.enable();
		const started = performance.now();
		const busy = process.cpuUsage();
		const ran = mainThread();
		const result = await compaction(world, session, order);
		const ms = performance.now() - started;
		const cpu = processorsSince(busy);
		const main = mainThread() - ran;
		await new Promise((done) => setImmediate(done));
		delay.disable();
		if (round === 0) first = cpu;
		if (result?.compactionId) await called(undoStep, world.store, session, world.client, undefined);
		const told = `${result?.tokensBefore} -> ${result?.tokensAfter} (${result?.stagesUsed.join(', ')})`;
		if (round === 0 || cpu < best.cpu) best = { ms, cpu, main, block: delay.max / 1e6, words: told };
	}
	console.log(
		`${title}: processors ${best.cpu.toFixed(0)} ms, main thread ${best.main.toFixed(0)} ms, first ${first.toFixed(0)} ms${ahead}, in all ${best.ms.toFixed(0)} ms, longest block ${best.block.toFixed(0)} ms, ${best.words}`,
	);
}

const work = sessionOfWork(100_000);
const kinds = [
	...lengths.map((count) => ({
		name: `${String(count).padStart(7)} messages`,
		count,
		messages: () => messagesOf(count),
	})),
	{ name: ' 100000 messages of work', count: 100_000, messages: () => work },
];
for (const kind of kinds) {
	const threeQuarters = { targetTokens: Math.floor(kind.count * 75) };
	await measure(kind, 'to the default target', {}, commit);
	await measure(kind, 'to the default target, as a preview', {}, preview);
	await measure(kind, 'to three quarters', threeQuarters, commit);
	await measure(kind, 'to three quarters, as a preview', threeQuarters, preview);
}
