import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createMeasure } from '../../../server/core/measure/measure.ts';
import { countMessage } from '../../../server/core/measure/message.ts';
import { createCalibratedCount } from '../../../server/core/measure/text/textCounter.ts';
import { lookupTokenFamily } from '../../../server/core/models/tokenFamily.ts';
import type { ChatMessage, ContentPart } from '../../../server/protocol/conversation.ts';
import { needsCorpus } from '../../support/needs.ts';

const folder = join(process.env.CONTEXTD_CORPUS ?? '../shared/corpus', 'sessions');
const files = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith('.jsonl')) : [];

interface Step {
	/** Tokens that the provider reported for the prompt before this message; 0 if none. */
	prompt: number;
	/** Our count of the message. */
	tokens: number;
}

function stepsOf(file: string): Step[] {
	const lines = readFileSync(join(folder, file), 'utf8').split('\n').filter(Boolean);
	const [header, ...rows] = lines.map((line) => JSON.parse(line));
	const family = lookupTokenFamily(header.provider, header.model ?? undefined);
	const measure = createMeasure({
		family,
		estimator: 'calibrated',
		countText: createCalibratedCount(family.vocabulary),
	});
	return rows.map(({ thinking, meta, content, usage, ...rest }) => {
		const parts: ContentPart[] = [
			{ type: 'reasoning', text: thinking },
			{ type: 'text', text: content },
		];
		const message: ChatMessage = { ...rest, content: thinking ? parts : content };
		if (meta?.kind?.startsWith('stop-')) message.stopReason = meta.kind.slice('stop-'.length);
		const { text, calls, images } = countMessage(message, measure);
		const prompt = usage ? usage.input + (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0) : 0;
		return { prompt, tokens: text + calls + images };
	});
}

/**
 * Ratios of our count to the provider's, one for each 20,000 tokens of growth between restarts of the agent.
 */
function growth(steps: readonly Step[]): number[] {
	const ratios: number[] = [];
	let first: { prompt: number; counted: number } | undefined;
	let last = 0;
	let counted = 0;
	for (const { prompt, tokens } of steps) {
		if (prompt > 0) {
			if (prompt < last * 0.8) first = undefined;
			first ??= { prompt, counted };
			if (prompt - first.prompt > 20_000) ratios.push((counted - first.counted) / (prompt - first.prompt));
			last = prompt;
		}
		counted += tokens;
	}
	return ratios;
}

const quantile = (sorted: readonly number[], share: number) => sorted[Math.floor(share * sorted.length)]!;

describe.skipIf(files.length === 0)('real sessions', needsCorpus, () => {
	it('the growth of real sessions is counted like their provider does', () => {
		const ratios = files.flatMap((file) => growth(stepsOf(file))).sort((a, b) => a - b);
		expect(ratios.length).toBeGreaterThan(100);
		expect(quantile(ratios, 0.5)).toBeGreaterThan(0.95);
		expect(quantile(ratios, 0.5)).toBeLessThan(1.05);
		expect(quantile(ratios, 0.1)).toBeGreaterThan(0.75);
		expect(quantile(ratios, 0.95)).toBeLessThan(1.2);
	});
});
