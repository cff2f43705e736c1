import { describe, expect, it } from 'vitest';
import { resolveChain } from '../../../server/core/ask/chain.ts';
import { defaultSettings } from '../../../server/core/settings/schema.ts';
import type { ChainLink } from '../../../server/protocol/chain.ts';

const claude = { provider: 'anthropic', model: 'claude-haiku-4-5' } as const;
const small = { provider: 'openai', model: 'gpt-5-nano' } as const;
const large = { provider: 'openai', model: 'gpt-5' } as const;
const extractive = { provider: 'extractive' } as const;
const client = { provider: 'client' } as const;

function links(chain: readonly ChainLink[], wish = {}, more: { offers?: boolean; useClient?: boolean } = {}) {
	const { offers = true, useClient = true } = more;
	const made = resolveChain({ ...defaultSettings.summarization, chain, useClient }, wish, offers);
	return { ...made, links: made.links.map(({ provider, model }) => model ?? provider) };
}

describe('the chain for a summary', () => {
	it('the default chain for a summary asks only the client, and nobody if it does not offer its model', () => {
		expect(links([])).toMatchObject({ links: ['client'], isExtractive: true, totalTimeoutMs: 120_000 });
		expect(links([], {}, { offers: false })).toMatchObject({ links: [], isExtractive: true });
		expect(links([], {}, { useClient: false })).toMatchObject({ links: [], isExtractive: true });
	});

	it('the chain for a summary is asked in order, up to `extractive`', () => {
		expect(links([claude, client, small, extractive, large])).toMatchObject({
			links: ['claude-haiku-4-5', 'client', 'gpt-5-nano'],
			isExtractive: true,
			warnings: [],
		});
		expect(links([claude])).toMatchObject({ isExtractive: false });
	});

	it('the chain for a summary skips a client that does not offer its model', () => {
		expect(links([client, small], {}, { offers: false }).links).toEqual(['gpt-5-nano']);
	});

	it('the chain for a summary allows a minute per attempt and one retry by default', () => {
		const chain = [claude, { ...small, timeoutMs: 5, maxRetries: 0 }];
		expect(resolveChain({ ...defaultSettings.summarization, chain }, {}, true).links).toMatchObject([
			{ timeoutMs: 60_000, maxRetries: 1 },
			{ timeoutMs: 5, maxRetries: 0 },
		]);
	});
});

describe('a call that selects from the chain', () => {
	const chain = [claude, small, large, extractive];

	it('a call can select entries of the chain by provider', () => {
		expect(links(chain, { summarizationProvider: 'openai' })).toMatchObject({
			links: ['gpt-5-nano', 'gpt-5'],
			isExtractive: true,
			warnings: [],
		});
	});

	it('a call can select entries of the chain by model', () => {
		expect(links(chain, { summarizationModel: 'gpt-5' }).links).toEqual(['gpt-5']);
	});

	it('a call can name another model of a provider in the chain', () => {
		const wish = { summarizationProvider: 'openai', summarizationModel: 'gpt-4.1-mini' };
		expect(links(chain, wish).links).toEqual(['gpt-4.1-mini']);
	});

	it('a call can select no model', () => {
		expect(links(chain, { summarizationProvider: 'extractive' })).toMatchObject({
			links: [],
			isExtractive: true,
			warnings: [],
		});
	});

	it.each([
		[{ summarizationProvider: 'vertex' }],
		[{ summarizationModel: 'gemini-2.5-flash' }],
		[{ summarizationProvider: 'vertex', summarizationModel: 'gpt-5' }],
	])('a selection that matches no entry of the chain is ignored with a warning: %j', (wish) => {
		const made = links(chain, wish);
		expect(made.links).toEqual(['claude-haiku-4-5', 'gpt-5-nano', 'gpt-5']);
		expect(made.warnings).toEqual([expect.stringContaining('names no entry of summarization.chain')]);
	});
});
