import { describe, expect, it } from 'vitest';
import { replaceDataUrls } from '../../../server/core/measure/embeddedImages.ts';
import { contextCompact } from '../../../server/protocol/compact.ts';
import { contextOriginal } from '../../../server/protocol/history.ts';
import { sharedApp } from '../../support/app.ts';
import { assistantSays, userSays } from '../../support/messages.ts';
import { machineSlowness, processorClock } from '../../support/processorClock.ts';
import { soundStats } from '../../support/sound.ts';
import { historyIn, sessionMaker } from '../../support/talk.ts';

const app = sharedApp();
const session = sessionMaker(app, 'pictures');

const picture = (length: number): string =>
	`data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAABAAAAAQACAYAAAB/${'Q'.repeat(length)}`;

describe('images in text', () => {
	it.each([40, 300, 3000])('an image of %i characters in text is left out of summaries', async (length) => {
		const turns = Array.from({ length: 12 }, (_, index) => [
			userSays(`fix src/page${index}.ts, see ${picture(length)} where TypeError: x${index} stands`),
			assistantSays('', {
				toolCalls: [{ id: `c${index}`, name: 'save', args: { html: `<img src="${picture(length)}">` } }],
			}),
			{ role: 'tool' as const, toolCallId: `c${index}`, content: `Error: shot ${index} ${picture(length)}` },
		]).flat();
		const id = await session([userSays('the task'), ...turns, userSays('go on')]);
		const result = await app.ask(contextCompact, { sessionId: id, targetTokens: 3000 });
		expect(result).toMatchObject({ stagesUsed: ['summarize'] });
		expect(result?.summary?.text).not.toContain('base64');
		expect(result?.summary?.text).toContain('TypeError: x3');
		const stats = await soundStats(app, id);
		expect(stats.breakdown.conversationHistory).toBeLessThanOrEqual(3000);
		expect(stats.history.images).toBe(0);
	});

	it('pruning first removes images from the text of a result, whose original can be read again', async () => {
		const content = `the shot ${picture(4000)} shows a red button`;
		const messages = [
			userSays('look'),
			assistantSays('', { toolCalls: [{ id: 'c', name: 'shot', args: {} }] }),
			{ id: 'shot', role: 'tool' as const, toolCallId: 'c', content },
			assistantSays('I see'),
			userSays('go on'),
		];
		const id = await session(messages);
		const config = { enableSummarize: false, pruneProtectTokens: 0, pruneMinimumSavings: 0 };
		const result = await app.ask(contextCompact, { sessionId: id, config });
		expect(result).toMatchObject({ stagesUsed: ['prune'] });
		const shown = JSON.stringify(await historyIn(app, id));
		expect(shown).toContain('the shot [image/png] shows a red button');
		expect((await soundStats(app, id)).history.images).toBe(0);
		const original = await app.ask(contextOriginal, { sessionId: id, messageId: 'shot' });
		expect(original.content).toBe(content);
	});
});

describe('data URLs in text', () => {
	const bytes = 'A'.repeat(100);

	it.each([
		['', ''],
		['plain words, base64, and a comma', 'plain words, base64, and a comma'],
		[`a data:image/png;base64,${bytes} b`, 'a [image/png] b'],
		[`data:image/svg+xml;charset=utf-8;base64,${bytes}`, '[image/svg+xml]'],
		[`url(data:font/woff2;base64,${bytes}) data:audio/wav;base64,${bytes}`, 'url([font/woff2]) [audio/wav]'],
		['data:image/png;base64,short', 'data:image/png;base64,short'],
		[`base64,${bytes}`, `base64,${bytes}`],
	])('only data URLs in a text are replaced: %j', (text, expected) => {
		expect(replaceDataUrls(text)).toBe(expected);
	});

	it('data URLs in a text are replaced in linear time', () => {
		const hard = ['base64,', 'data:image/png;', 'data:a/b;base64,', `data:a/b;base64,${bytes} `];
		for (const one of hard) {
			const spent = processorClock();
			replaceDataUrls(one.repeat(1_000_000 / one.length));
			expect(spent()).toBeLessThan(2000 * machineSlowness());
		}
	});
});
