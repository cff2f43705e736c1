import { defineConfig } from 'vitest/config';
import { SkipReporter } from './test/support/skipReporter.ts';

const report = process.env.CONTEXTD_TEST_REPORT;

export default defineConfig({
	test: {
		include: ['test/**/*.test.ts'],
		exclude: ['test/bench/**', '**/node_modules/**'],
		testTimeout: 60_000,
		hookTimeout: 60_000,
		reporters: report
			? ['default', ['json', { outputFile: report }], new SkipReporter()]
			: ['default', new SkipReporter()],
	},
});
