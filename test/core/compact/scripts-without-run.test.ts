import { expect, it } from 'vitest';
import { ran, sectionIn, summaryOf } from './summaries.ts';

it.each([
	"bash: -c: line 42: syntax error near unexpected token `&&'",
	"(eval):7: parse error near `&&'",
	"zsh: parse error near `&&'",
])('a script that the shell could not read ran no check: %s', (complaint) => {
	const text = summaryOf(ran(["python3 - <<'EOF' && pytest -q", `Exit code 2\n${complaint}`, true]), 950);
	expect(sectionIn(text, 'checks')).toBe('');
	expect(text).toContain(`→ exit 2: ${complaint}`);
});
