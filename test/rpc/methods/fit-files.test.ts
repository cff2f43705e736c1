import { describe, expect, it } from 'vitest';
import * as protocol from '../../../server/protocol/index.ts';
import { desk, lines } from './desk.ts';

describe('context/fitFiles', () => {
	const files = [
		{ path: 'small.txt', content: 'one line\n' },
		{ path: 'large.txt', content: lines(5000) },
		{ path: 'large.txt', content: `another\n${lines(5000)}` },
	];

	it('context/fitFiles uses the file budget of a session', async () => {
		const { app, stats, sessionId } = await desk(16_000);
		const { fileBudget } = await stats();
		const fitted = await app.ask(protocol.contextFitFiles, { sessionId, files });
		expect(fitted.budgetTokens).toBe(fileBudget.remaining);
		expect(fitted.usedTokens).toBeLessThanOrEqual(fitted.budgetTokens);
		expect(fitted.files.map(({ truncated }) => truncated)).toEqual([false, true, true]);
		expect(fitted.notices[0]).toContain('large.txt (1)');
		expect(fitted.notices[1]).toContain('large.txt (2)');
	});

	it('context/fitFiles uses the window of a model, or availableTokens', async () => {
		const { app } = await desk();
		const named = { provider: 'openai', model: 'gpt-4o' };
		const { availableInputTokens } = await app.ask(protocol.contextCount, { text: '', ...named });
		const whole = await app.ask(protocol.contextFitFiles, { files, ...named });
		expect(whole.budgetTokens).toBe(Math.floor(availableInputTokens * 0.6));
		const few = await app.ask(protocol.contextFitFiles, { files, availableTokens: 40 });
		expect(few.budgetTokens).toBe(40);
		expect(few.files.map(({ path }) => path)).toEqual(['small.txt']);
		expect(few.excluded).toHaveLength(2);
	});
});
