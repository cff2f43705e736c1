import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contextCompact } from '../../../server/protocol/compact.ts';
import type { ChatMessage, Usage } from '../../../server/protocol/conversation.ts';
import { contextCount } from '../../../server/protocol/measuring.ts';
import { type App, removeFolders, startTestApp } from '../../support/app.ts';
import { assistantSays, call, logLines, prose, result, userSays } from '../../support/messages.ts';
import { soundStats } from '../../support/sound.ts';
import { begin, historyIn } from '../../support/talk.ts';

let app: App;

beforeAll(async () => {
	app = await startTestApp();
});

afterAll(async () => {
	await app.stop();
	await removeFolders();
});

/**
 * Returns all messages of a session that its agent compacted: the last prompt has a tenth of their tokens.
 * @param shape returns the usage that the agent's provider reports for a prompt of this many tokens
 */
function compactedByAgent(name: string, shape: (prompt: number) => Usage): ChatMessage[] {
	const turns = Array.from({ length: 60 }, (_, index): ChatMessage[] => {
		const id = `${name}-${index}`;
		// The prompts grow until the agent's own compaction, then start small again.
		const usage = shape(index < 50 ? 700 * (index + 1) : 3000 + 100 * (index - 50));
		return [
			userSays(`${prose(20, index)} part ${index}`),
			call(
				`${id}-call`,
				[id],
				'read',
				{ path: `src/part-${index}.ts` },
				{ content: prose(20, index), usage },
			),
			result(`${id}-result`, id, logLines(15, index), { toolName: 'read' }),
		];
	});
	return [...turns.flat(), assistantSays('All is read.', { usage: shape(4200) }), userSays('Go on.')];
}

const agents = [
	[
		'Claude Code',
		(prompt: number): Usage => ({ input: 3, cacheRead: prompt - 503, cacheWrite: 500, output: 60 }),
	],
	['Codex', (prompt: number): Usage => ({ input: prompt, output: 60 })],
] as const;

/** Counts what would be sent, without any usage of a provider. */
async function countOf(sessionId: string): Promise<number> {
	const messages = (await historyIn(app, sessionId)) as ChatMessage[];
	const { tokens } = await app.ask(contextCount, { messages: messages.map(({ usage: _, ...rest }) => rest) });
	return tokens;
}

describe.each(agents)('sessions of %s with more messages than their last prompt', (agent, shape) => {
	const sessionId = `shorter ${agent}`;

	it('a compaction warns how many tokens remain by our own count', async () => {
		await begin(app, sessionId, compactedByAgent(agent, shape));
		const before = await soundStats(app, sessionId);
		expect(before.estimatedInputTokens).toBeLessThan(5000);
		const done = await app.ask(contextCompact, { sessionId, targetTokens: 3000 });
		const [, tokens] = /by our own count, (\d+) tokens remain/.exec(done?.warnings?.join() ?? '') ?? [];
		const counted = await countOf(sessionId);
		expect(Number(tokens)).toBeGreaterThan(3000);
		expect(Number(tokens)).toBeGreaterThan(0.9 * counted);
	});

	it('a compaction does not warn if the usage covers the whole history', async () => {
		const whole = compactedByAgent(agent, shape).slice(0, 120);
		await begin(app, `whole ${agent}`, whole);
		const done = await app.ask(contextCompact, { sessionId: `whole ${agent}`, targetTokens: 3000 });
		expect(done?.compacted).toBe(true);
		expect(done?.warnings).toBeUndefined();
	});
});
