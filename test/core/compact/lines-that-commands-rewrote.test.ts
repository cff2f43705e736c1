import { describe, expect, it } from 'vitest';
import type { ToolCall } from '../../../server/protocol/conversation.ts';
import { assistant, call, result, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

const path = 'src/fees.ts';
const old = 'export const pilotFee = computePilotFee(tariff);';
const other = 'export function dockAt(quay) { return quay.docks[0]; }';

/** How agents write the call of a command. */
const shells: [agent: string, createCall: (command: string) => ToolCall][] = [
	['Claude Code', (command) => call('Bash', { command, description: 'Change the fees' })],
	['Codex', (command) => call('shell', { command: ['bash', '-lc', command] })],
	['newer Codex', (command) => call('exec_command', { cmd: command })],
	['Gemini CLI', (command) => call('run_shell_command', { command })],
	['OpenCode and pi', (command) => call('bash', { command })],
];

/** Returns the summary of a session that reads a file and then runs a command. */
function summaryAfter(made: ToolCall, output = '', failed = false): string {
	const read = call('read', { path });
	return summaryOf(
		[
			user(0, 'Work on the fees.'),
			assistant(1, '', read),
			result(2, read, `${old}\n${other}`),
			assistant(3, 'I change the file.', made),
			result(4, made, output, failed),
			assistant(5, 'The file is changed.'),
		],
		4000,
	);
}

const bash = shells[0]?.[1] as (command: string) => ToolCall;

describe('lines that commands rewrote', () => {
	describe.each(shells)('in %s', (_, createCall) => {
		it.each([
			`sed -i 's/pilotFee/pilotCharge/g' ${path}`,
			`grep -rl pilotFee src | xargs sed -i 's/pilotFee/pilotCharge/g'`,
			`find src -name '*.ts' -exec sed -i 's/pilotFee/pilotCharge/g' {} +`,
			`for f in src/*.ts; do sed -i 's/pilotFee/pilotCharge/g' "$f"; done`,
			`sed -i -E 's/pilotFee = .*/pilotFee = 4;/' ${path}`,
			`sed -i '1,9s/pilotFee/pilotCharge/' ${path}`,
			`python3 - <<'EOF'\nfrom pathlib import Path\np = Path('${path}')\np.write_text(p.read_text().replace('pilotFee', 'pilotCharge'))\nEOF`,
			`python3 -c "s = open('${path}').read(); open('${path}', 'w').write(s.replace('pilotFee', 'x'))"`,
			`node -e "const fs = require('fs'); const f = '${path}'; fs.writeFileSync(f, fs.readFileSync(f, 'utf8').replace(/pilotFee/g, 'x'))"`,
		])('only the replaced line of a file is not quoted after %s', (command) => {
			const text = summaryAfter(createCall(command));
			expect(text).not.toContain(old);
			expect(text).toContain(other);
		});

		it.each([
			`cat > ${path} <<'EOF'\nexport const harborFee = 4;\nEOF`,
			`echo 'export const harborFee = 4;' > ${path}`,
			`echo 'export const harborFee = 4;' | tee ${path}`,
			`cp src/fees.example.ts ${path}`,
			`cp "$BACKUP/fees.ts" ${path}`,
			`mv src/fees.next.ts ${path}`,
			`python3 -c "import json; json.dump({}, open('${path}', 'w'))"`,
		])('no line of a file is quoted from before it was rewritten by %s', (command) => {
			const text = summaryAfter(createCall(command));
			expect(text).not.toContain(old);
			expect(text).not.toContain(other);
			expect(text).toMatch(/changed: .*src\/fees\.ts/);
		});
	});

	it.each([
		`echo 'export const harborFee = 4;' >> ${path}`,
		`echo 'export const harborFee = 4;' | tee -a ${path}`,
		`python3 -c "print(open('${path}').read())"`,
		`python3 -c "open('${path}', 'a').write('// end')"`,
		`cp ${path} src/copy.ts`,
		`cat ${path} > /tmp/copy.ts`,
		`grep -rl pilotFee src | xargs sed -n '1p'`,
		`echo "sed -i 's/pilotFee/pilotCharge/' ${path}"`,
	])('the lines of a file stay quoted after %s', (command) => {
		expect(summaryAfter(bash(command))).toContain(old);
	});

	it.each([
		[`cp ${path} /tmp/fees.bak`, `cp /tmp/fees.bak ${path}`],
		[`K=/tmp/kept\nmkdir -p $K\ncp ${path} docs/fees.md $K/`, `K=/tmp/kept; cp $K/fees.ts ${path}`],
	])('a copy that is copied back restores the lines that an edit removed: %s', (saving, restoring) => {
		const read = call('Read', { file_path: path });
		const backup = call('Bash', { command: saving });
		const edit = call('Edit', { file_path: path, old_string: old, new_string: 'export const pilotFee = 9;' });
		const restore = call('Bash', { command: restoring });
		const sources = [read, backup, edit, restore].flatMap((made, index) => [
			assistant(2 * index + 1, '', made),
			result(2 * index + 2, made, made === read ? `${old}\n${other}` : ''),
		]);
		const summary = (end: number): string =>
			summaryOf([user(0, 'Try another fee.'), ...sources.slice(0, end)], 4000);
		expect(summary(6)).not.toContain(old);
		expect(summary(8)).toContain(old);
	});

	it('a short line of a file is not quoted after an edit of it', () => {
		const read = call('read', { path: 'app.yml' });
		const edit = call('edit', { path: 'app.yml', oldText: 'timeout: 30', newText: 'timeout: 45' });
		const text = summaryOf(
			[
				user(0, 'Wait longer.'),
				assistant(1, '', read),
				result(2, read, 'timeout: 30\nretries: 4'),
				assistant(3, '', edit),
				result(4, edit, 'Successfully replaced text in app.yml.'),
			],
			4000,
		);
		expect(text).not.toContain('timeout: 30');
		expect(text).toContain('timeout: 45');
	});

	describe('before a check that fails', () => {
		const failure = 'FAIL test/fees.test.ts\nTests: 1 failed, 3 passed, 4 total';

		it.each(shells)('a replaced line is not quoted, in %s', (_, createCall) => {
			const made = createCall(`sed -i 's/pilotFee/pilotCharge/' ${path} && npm test`);
			expect(summaryAfter(made, `Exit code: 1\n${failure}`, true)).not.toContain(old);
		});

		it.each([
			['sed failed', `sed -i 's/pilotFee/x/' ${path} && npm test`, `sed: can't read ${path}: No such file`],
			['an earlier check failed', `npm run lint && sed -i 's/pilotFee/x/' ${path} && npm test`, failure],
			['no check follows', `sed -i 's/pilotFee/x/' ${path} && ./deploy.sh`, 'no access'],
		])('a line stays quoted if its replacement may not have run: %s', (_, command, output) => {
			expect(summaryAfter(bash(command), output, true)).toContain(old);
		});
	});
});
