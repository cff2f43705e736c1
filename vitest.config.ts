import { defineConfig } from 'vitest/config';
import { SkipReporter } from './test/support/skipReporter.ts';

const report = process.env.CONTEXTD_TEST_REPORT;

export default defineConfig({
	test: {
		include: ['test/**/*.test.ts'],
		exclude: ['test/bench/**', '**/node_modules/**'],
		testTimeout: 120_000,
		hookTimeout: 120_000,
		// What passes at all does so at once on a machine that has time: the limit is for one that has none.
		expect: { poll: { timeout: 30_000, interval: 10 } },
		reporters: report
			? ['default', ['json', { outputFile: report }], new SkipReporter()]
			: ['default', new SkipReporter()],
	},
});
