import { describe, expect, it } from 'vitest';
import { appendMessages } from '../../../server/session/append.ts';
import { prepareHistory } from '../../../server/session/compaction/prepare.ts';
import { readStats } from '../../../server/session/stats.ts';
import { answer, prose, toolSession, user } from '../../support/messages.ts';
import { previewNow, sessionWith, testWorld, unwatched } from '../../support/world.ts';

/** Returns a session whose history takes this share of the available tokens. */
async function filled(share: number, messages = toolSession(40)) {
	const test = testWorld();
	const session = await sessionWith(test, messages);
	const { tokensBefore } = await previewNow(session);
	session.state.info.contextWindow = Math.round(tokensBefore / share / 0.65);
	return {
		test,
		session,
		prepared: () => prepareHistory(session, { format: 'contextd' }, unwatched(session)),
	};
}

describe('prepare with a profile', () => {
	it('prepare does nothing to a healthy session with a profile', async () => {
		const { test, prepared } = await filled(0.7);
		test.configure({ compaction: { profile: 'balanced' } });
		expect((await prepared()).compaction).toBeNull();
	});

	it('prepare with a profile prunes results at the warning level, and hides nothing', async () => {
		const { test, prepared } = await filled(0.78);
		test.configure({ compaction: { profile: 'balanced', pruneProtectTokens: 1000, pruneMinimumSavings: 0 } });
		const { compaction } = await prepared();
		expect(compaction?.stagesUsed).toEqual(['prune']);
		expect(compaction?.removed.every((one) => one.change === 'shortened')).toBe(true);
	});

	it('prepare summarizes from the profile’s threshold on, even at the warning level', async () => {
		const { test, prepared } = await filled(0.82);
		test.configure({ compaction: { profile: 'balanced', enablePruning: false } });
		expect((await prepared()).compaction?.stagesUsed).toContain('summarize');
	});

	it('prepare may run every stage at the critical level except the emergency cut', async () => {
		const { test, prepared } = await filled(0.9);
		test.configure({ compaction: { profile: 'balanced', enablePruning: false } });
		const { compaction, stats } = await prepared();
		expect(compaction?.stagesUsed).toContain('summarize');
		expect(stats?.state).toBe('healthy');
	});

	it('prepare and stats see a compaction as due at the critical level, below a higher threshold', async () => {
		const { test, session, prepared } = await filled(0.9);
		test.configure({ compaction: { profile: 'balanced', threshold: 0.93, enablePruning: false } });
		expect((await readStats(session, session.client))?.shouldCompact).toBe(true);
		expect((await prepared()).compaction?.stagesUsed).toContain('summarize');
	});
});

describe('prepare at the warning level', () => {
	const quick = { pruneProtectTokens: 1000, pruneMinimumSavings: 0 } as const;

	it('prepare does nothing at the warning level without a profile', async () => {
		const { test, prepared } = await filled(0.78);
		test.configure({ compaction: quick });
		expect((await prepared()).compaction).toBeNull();
	});

	it('prepare prunes at the warning level without a profile if onWarning is "prune"', async () => {
		const { test, prepared } = await filled(0.78);
		test.configure({ compaction: { ...quick, onWarning: 'prune' } });
		const { compaction } = await prepared();
		expect(compaction?.stagesUsed).toEqual(['prune']);
		expect(compaction?.removed.every((one) => one.change === 'shortened')).toBe(true);
	});

	it('prepare does nothing at the warning level with a profile if onWarning is "none"', async () => {
		const { test, prepared } = await filled(0.78);
		test.configure({ compaction: { ...quick, profile: 'balanced', onWarning: 'none' } });
		expect((await prepared()).compaction).toBeNull();
	});

	it('prepare compacts what is due by the threshold whatever onWarning says', async () => {
		const { test, prepared } = await filled(0.82);
		test.configure({ compaction: { onWarning: 'prune', enablePruning: false } });
		expect((await prepared()).compaction?.stagesUsed).toContain('summarize');
	});
});

describe('compaction.threshold', () => {
	const thresholdOf = async (compaction: Parameters<ReturnType<typeof testWorld>['configure']>[0]) => {
		const test = testWorld();
		test.configure(compaction);
		return (await readStats(await sessionWith(test, toolSession(2)), test.client))?.thresholds.compact;
	};

	it.each([
		[{}, 0.8],
		[{ profile: 'conservative' }, 0.75],
		[{ profile: 'balanced' }, 0.8],
		[{ profile: 'aggressive' }, 0.85],
		[{ profile: 'aggressive', threshold: 0.8 }, 0.8],
		[{ threshold: 0.6 }, 0.6],
	] as const)('the threshold with the settings %j is %d', async (set, at) => {
		expect(await thresholdOf({ compaction: set })).toBe(at);
	});
});

describe('a history that hardly shrinks', () => {
	const mostlyPrompt = [
		user('u', prose(9000)),
		answer('a', 'yes'),
		answer('b', prose(30)),
		user('v', 'go on'),
	];

	it('a history that hardly shrinks is reported once and left alone until it has grown', async () => {
		const { session, prepared } = await filled(0.85, mostlyPrompt);
		const first = await prepared();
		expect(first.warnings.join()).toMatch(/nothing could be compacted|will not help/);
		const records = session.state.version;
		const second = await prepared();
		expect(second.compaction).toBeNull();
		expect(second.warnings).toContain(
			'compaction has stalled: the history is left unchanged until it differs',
		);
		expect(session.state.version).toBe(records);
		await appendMessages(session, [answer('c', prose(900)), user('w', 'more')], 'contextd', {
			client: session.client,
		});
		expect((await prepared()).compaction).not.toBeNull();
	});
});
