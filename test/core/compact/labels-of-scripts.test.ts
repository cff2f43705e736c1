import { expect, it } from 'vitest';
import { assistant, call, done, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

const output = 'signing.key = 53FE8A\nsigning.format = openpgp\nno agent.conf here';

it.each([
	['git config --get signing.key; cat ~/.gnupg/agent.conf 2>/dev/null || echo "no agent.conf here"', false],
	['cat ~/.gnupg/agent.conf', true],
])('the label of an output names a file only if the output shows nothing else: %s', (command, isNamed) => {
	const text = summaryOf(
		[
			user(1, 'Sign the commit.'),
			...done(2, [call('Bash', { command }), output]),
			assistant(4, 'It is not signed.'),
		],
		4000,
	);
	expect(text).toContain('signing.key = 53FE8A');
	expect(/^\[#3 Bash agent\.conf/m.test(text)).toBe(isNamed);
});
