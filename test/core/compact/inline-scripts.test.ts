import { describe, expect, it } from 'vitest';
import { assistant, call, done, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

const write = call('write', {
	path: '/shop/src/cues.py',
	content: 'def flicker_ratio(window):\n    return window.flicker / window.total\n',
});
const script = [
	"cd /shop && python3 - <<'EOF'",
	'import pathlib',
	"p = pathlib.Path('src/cues.py'); s = p.read_text()",
	"s = s.replace('''def flicker_ratio(window):''', '''def flicker_prominence(window):''')",
	'p.write_text(s)',
	"p = pathlib.Path('src/limits.py'); s = p.read_text()",
	"s = s.replace('ratio_threshold = 4', 'prominence_threshold = 4')",
	'p.write_text(s)',
	'EOF',
	'python3 src/selftest.py 2>&1 | tail -40',
].join('\n');
const scriptCall = call('bash', { command: script });
const filler = Array.from({ length: 8 }, (_, index) => assistant(20 + index, `Step ${index} is done.`));
const text = summaryOf([
	user(1, 'Measure how far the flicker stands out.'),
	...done(2, [write]),
	...done(4, [scriptCall]),
	...filler,
]);

describe('a script inside a command that changes files', () => {
	it('is shown by the files that it writes and the command behind it', () => {
		expect(text).toContain('(writes src/cues.py, src/limits.py) EOF python3 src/selftest.py');
	});

	it('removes the names that it replaces from their file', () => {
		expect(text).not.toContain('defined in cues.py: flicker_ratio');
	});

	it('changes each file that it reads, replaces words in, and writes', () => {
		expect(text).toMatch(/State: changed[^;]*src\/limits\.py/);
	});

	it('is newer than the last edit that shows its text', () => {
		expect(text).not.toContain('(the newest edit)');
	});
});
