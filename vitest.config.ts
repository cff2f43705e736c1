import { defineConfig } from 'vitest/config';
import { SkipReporter } from './test/support/skipReporter.ts';

const report = process.env.CONTEXTD_TEST_REPORT;

/**
 * Tests that leave their process unchanged share one, since loading the product takes longer than most tests. The
 * others start processes, or measure how long the thread is blocked, which depends on the memory of other tests.
 */
const sharing =
	'test/{channel,claude,client,core,eval,hooks,kit,rpc,session,status}/**/!(*-in-slices|stays-responsive).test.ts';
const exclude = ['test/bench/**', '**/node_modules/**'];

export default defineConfig({
	test: {
		maxWorkers: '100%',
		globalSetup: './test/support/temporaryRoot.ts',
		projects: [
			{ extends: true, test: { name: 'sharing', include: [sharing], exclude, isolate: false } },
			{
				extends: true,
				test: { name: 'apart', include: ['test/**/*.test.ts'], exclude: [...exclude, sharing] },
			},
		],
		testTimeout: 120_000,
		hookTimeout: 120_000,
		// What passes at all does so at once on a machine that has time: the limit is for one that has none.
		expect: { poll: { timeout: 30_000, interval: 10 } },
		reporters: report
			? ['default', ['json', { outputFile: report }], new SkipReporter()]
			: ['default', new SkipReporter()],
	},
});
