import { expect, it } from 'vitest';
import { appendMessages } from '../../../server/session/append.ts';
import { recoverFromError } from '../../../server/session/compaction/recover.ts';
import { logLines, system, toolSession, user } from '../../support/messages.ts';
import { historyOf, recordsOf, sessionWith, testWorld, unwatched } from '../../support/world.ts';

const overflow = { status: 400, error: { code: 'context_length_exceeded', message: 'too long' } };
const format = 'contextd' as const;

async function ready(turns = 40) {
	const world = testWorld();
	const session = await sessionWith(world, toolSession(turns), { contextWindow: 40_000 });
	const fail = (error: unknown = overflow, attempt?: number) =>
		recoverFromError(session, { error, attempt, format }, unwatched(session));
	return { world, session, fail };
}

it('recovery from an overflow compacts once and returns a history to send again', async () => {
	const { world, session, fail } = await ready();
	const answer = await fail();
	expect(answer).toMatchObject({ isContextOverflow: true, retryable: true, attempt: 1 });
	expect(answer.messages).toEqual(await historyOf(session));
	expect(world.compacted).toHaveLength(1);
	expect(world.compacted[0]?.summary?.by ?? 'extract').toBe('extract');
});

it.each([undefined, 1])(
	'recovery gives up at the third overflow in a row, whatever attempt the client names (%s)',
	async (attempt) => {
		const { world, fail } = await ready();
		expect(await fail(overflow, attempt)).toMatchObject({ retryable: true, attempt: 1 });
		expect(await fail(overflow, attempt)).toMatchObject({ retryable: true, attempt: 2 });
		const last = await fail(overflow, attempt);
		expect(last).toMatchObject({ retryable: false, attempt: 3, reasonCode: 'attempts_exhausted' });
		expect(last.messages).toBeUndefined();
		expect(world.compacted).toHaveLength(2);
	},
);

it('recovery resets the number of attempts after an append', async () => {
	const { session, fail } = await ready();
	await fail();
	await fail();
	await appendMessages(session, [user('more', logLines(900))], format, { client: session.client });
	expect(await fail()).toMatchObject({ retryable: true, attempt: 1 });
});

it('recovery from an error of another kind counts no attempt and changes nothing', async () => {
	const { world, session, fail } = await ready();
	const before = await historyOf(session);
	const limited = { status: 429, error: { message: 'Rate limit reached, try again in 2s' } };
	for (let times = 0; times < 4; times++) {
		expect(await fail(limited)).toMatchObject({ isContextOverflow: false, retryable: true, attempt: 1 });
	}
	expect(await fail('invalid x-api-key')).toMatchObject({ isContextOverflow: false, retryable: false });
	expect(await historyOf(session)).toEqual(before);
	expect(world.compacted).toEqual([]);
});

it('recovery compacts nothing if auto-compaction is off, and gives the reason', async () => {
	const { world, session, fail } = await ready();
	world.configure({ compaction: { enabled: false } });
	const before = await historyOf(session);
	expect(await fail()).toMatchObject({ isContextOverflow: true, retryable: false, reasonCode: 'disabled' });
	expect(await historyOf(session)).toEqual(before);
});

it('recovery changes nothing if the result would still exceed the window', async () => {
	const world = testWorld();
	const messages = [system('s0', logLines(700)), ...toolSession(4)];
	const session = await sessionWith(world, messages, { contextWindow: 8_000 });
	const answer = await recoverFromError(session, { error: overflow, format }, unwatched(session));
	expect(answer).toMatchObject({
		retryable: false,
		reasonCode: 'insufficient',
		compaction: { compacted: false, tokensSaved: 0, removed: [] },
	});
	expect(answer.messages).toBeUndefined();
	expect(await historyOf(session)).toEqual(messages);
	expect((await recordsOf(world)).some(({ t }) => t === 'step')).toBe(false);
});

it('recovery of a session without messages has nothing to do', async () => {
	const world = testWorld();
	const session = await sessionWith(world, []);
	const answer = await recoverFromError(session, { error: overflow, format }, unwatched(session));
	expect(answer).toMatchObject({ isContextOverflow: true, retryable: false, reasonCode: 'no_messages' });
});

it('recovery cuts the middle out of the newest user message if nothing else is left, with a warning', async () => {
	const world = testWorld();
	const paste = logLines(900);
	const session = await sessionWith(world, [user('u0', paste)], { contextWindow: 20_000 });
	const answer = await recoverFromError(session, { error: overflow, format }, unwatched(session));
	expect(answer.retryable).toBe(true);
	expect(answer.warnings).toEqual([expect.stringContaining('u0')]);
	const [message] = await historyOf(session);
	expect(String(message?.content).length).toBeLessThan(paste.length);
	expect(message?.metadata).toMatchObject({ truncated: true });
});
