import { describe, expect, it } from 'vitest';
import type { ChatMessage } from '../../server/protocol/conversation.ts';
import { createCall, createCommand, createSummary, listKinds } from './checkedHistories.ts';
import { falseStatements } from './falseStatements/falseStatements.ts';

describe('a failed call', () => {
	const edit = {
		file_path: 'src/pump.ts',
		old_string: 'let pressure',
		new_string: 'const pressure = readGauge(7);',
	};
	const refused = createCall('edit', edit, 'String to replace not found', true);
	const booking = createCall('book_seat', { train: 'RX-19', seat: '42' }, 'Error: seat 42 is taken');

	it('a failed call is found if its content is quoted without a failure mark', () => {
		expect(listKinds(refused, createSummary('edit pump.ts: const pressure = readGauge(7);'))).toEqual([
			'failed call',
		]);
	});

	it('a failed call whose failure only its text shows is found by its name and arguments', () => {
		expect(listKinds(booking, createSummary('book_seat RX-19 42'))).toEqual(['failed call']);
	});

	it('a failed call is not found if the same or a neighbouring line of the view says that it failed', () => {
		expect(listKinds(refused, createSummary('failed edit: const pressure = readGauge(7);'))).toEqual([]);
		expect(listKinds(booking, createSummary('book_seat RX-19 42', ' → Error: seat 42 is taken'))).toEqual([]);
	});

	it('a failed call is not found below a line that says so, with which its indented block begins', () => {
		const lines = [
			'[#4 edit pump.ts] (failed)',
			' import gauge',
			' start();',
			' const pressure = readGauge(7);',
		];
		expect(listKinds(refused, createSummary(...lines))).toEqual([]);
		expect(listKinds(refused, createSummary('[#4 edit pump.ts]', ...lines.slice(1)))).toEqual([
			'failed call',
		]);
	});

	it('a failed call is not found if it succeeded later', () => {
		const repeated = [...booking, ...createCall('book_seat', { train: 'RX-19', seat: '42' }, 'booked')];
		expect(listKinds(repeated, createSummary('book_seat RX-19 42'))).toEqual([]);
	});

	it('a failed call is not found in a quotation of what the agent said before', () => {
		const said: ChatMessage = { role: 'assistant', content: 'I propose: const pressure = readGauge(7);' };
		expect(listKinds([said, ...refused], createSummary('const pressure = readGauge(7);'))).toEqual([]);
	});

	it('a failed call is not found in an original message, whose result follows', () => {
		expect(listKinds(booking, booking)).toEqual([]);
	});

	it('a failed call is not found in a message that was cut, if its result follows', () => {
		const [call, result] = refused.slice(-2) as [ChatMessage, ChatMessage];
		const cut = { ...call, content: '[… about 40 tokens cut here]' };
		expect(listKinds(refused, [cut, { ...result, content: '[Tool result cleared; failed]' }])).toEqual([]);
		expect(listKinds(refused, [cut])).toEqual(['failed call']);
	});

	it('a search without hits is not taken for a failed call', () => {
		const search = createCommand('grep -rn pressureValve src', 'Exit code 1', true);
		expect(listKinds(search, createSummary('bash grep -rn pressureValve src'))).toEqual([]);
	});
});

describe('a stale check', () => {
	const failed = createCommand('npm test', '2 failed, 10 passed\n× pump stops at 4 bar', true);
	const fixed = [...failed, ...createCommand('npm test', '12 passed')];

	it('a stale check is found if the view says that it failed, and it passed later', () => {
		expect(listKinds(fixed, createSummary('npm test: 2 failed'))).toEqual(['stale check']);
	});

	it('a stale check is found if the view says that it passed, and it failed later', () => {
		const broken = [...createCommand('npm test', '12 passed'), ...failed];
		expect(listKinds(broken, createSummary('npm test: 12 passed'))).toEqual(['stale check']);
	});

	it('a stale check is found if a fixed failure is quoted and nothing says that it was fixed', () => {
		expect(listKinds(fixed, createSummary('× pump stops at 4 bar'))).toEqual(['stale check']);
	});

	it('a stale check is not found if the same or a later line of the view says that it passed', () => {
		expect(listKinds(fixed, createSummary('npm test: 2 failed', 'npm test: 12 passed, 0 failed'))).toEqual(
			[],
		);
		expect(listKinds(fixed, createSummary('npm test: 2 failed (passed later)'))).toEqual([]);
		expect(listKinds(fixed, createSummary('npm test: 12 passed; before: 2 failed'))).toEqual([]);
		expect(listKinds(fixed, createSummary('× pump stops at 4 bar', 'all 12 tests pass now'))).toEqual([]);
	});

	it('a check is not stale while its failure is the last outcome', () => {
		expect(listKinds(failed, createSummary('npm test: 2 failed', '× pump stops at 4 bar'))).toEqual([]);
	});

	it('a command with several checks is stale only if all of them passed after it failed', () => {
		const both = createCommand(
			'npm run build && npm run lint',
			'Exit code 1\nsrc/a.ts:4:1: unused name',
			true,
		);
		const summary = createSummary('npm run build && npm run lint: exit 1: src/a.ts:4:1: unused name');
		const [build, lint] = [createCommand('npm run build', 'built'), createCommand('npm run lint', 'clean')];
		expect(listKinds([...lint, ...both, ...build], summary)).toEqual([]);
		expect(listKinds([...both, ...build, ...lint], summary)).toContain('stale check');
	});

	it('a check is not taken for passed if a pipe hides its exit code, or if it still runs', () => {
		const command = 'npm test 2>&1 | tail -3';
		expect(
			listKinds(
				[...failed, ...createCommand(command, 'Debugger attached.')],
				createSummary('npm test: 2 failed'),
			),
		).toEqual([]);
		expect(
			listKinds([...failed, ...createCommand(command, '12 passed')], createSummary('npm test: 2 failed')),
		).toEqual(['stale check']);
		const started = createCommand('npm test', 'Process running with session ID 4');
		expect(listKinds([...failed, ...started], createSummary('npm test: 2 failed'))).toEqual([]);
		expect(listKinds([...failed, ...started], createSummary('npm test: 12 passed'))).toEqual([]);
	});

	it('a check failed if Go marks a test as failed and a pipe cuts its end', () => {
		const output = 'ok  \texample.com/pump\t0.1s\n--- FAIL: TestPump (0.2s)\n    pump_test.go:4: 4 bar';
		const broken = createCommand('go test ./... 2>&1 | head -3', output);
		expect(listKinds(broken, createSummary('go test ./...: --- FAIL: TestPump'))).toEqual([]);
	});

	it('a check failed if its runner marks a test as failed', () => {
		const output = '(pass) pump > starts\n(fail) pump > stops at 4 bar';
		const broken = [...createCommand('bun test', '12 pass'), ...createCommand('bun test', output)];
		expect(listKinds(broken, createSummary('bun test: 12 pass, 0 fail'))).toEqual(['stale check']);
	});

	it('a line of a failed check is not stale if another call shows it as code', () => {
		const code = 'func (p Pump) Stop() error {';
		const lint = createCommand('golangci-lint run', `pump.go:7: exported method\n${code}`, true);
		const history = [...createCall('read', { path: 'pump.go' }, `  7→${code}`), ...lint];
		const later = [...history, ...createCommand('golangci-lint run', '0 issues.')];
		expect(listKinds(later, createSummary(code))).toEqual([]);
		expect(listKinds(later.slice(2), createSummary(code))).toEqual(['stale check']);
	});

	it('a command that searches for failures is not taken for a check', () => {
		const passed = createCommand('npm run check | grep error', '');
		expect(listKinds(passed, createSummary('npm run check | grep error → (no output)'))).toEqual([]);
		expect(listKinds(passed, createSummary('npm run check | grep -E "error" | head'))).toEqual([]);
	});
});

describe('a file that was deleted or recreated', () => {
	const removed = [
		...createCall('write', { file_path: '/w/src/valve.ts', content: 'open();' }, 'ok'),
		...createCommand('git rm -q src/valve.ts', ''),
	];

	it('a deleted file is found if the view mentions it without saying that it is gone', () => {
		expect(listKinds(removed, createSummary('changed: src/valve.ts'))).toEqual(['removed file']);
		expect(
			listKinds(createCommand('mv src/valve.ts src/gate.ts', ''), createSummary('changed: src/valve.ts')),
		).toEqual(['removed file']);
	});

	it('a deleted file is not found if the view says that its folder is gone', () => {
		const moved = createCommand('mv lib/old/valve.ts lib/gate.ts && rmdir lib/old', '');
		expect(listKinds(moved, createSummary('Write lib/old/valve.ts'))).toEqual(['removed file']);
		expect(listKinds(moved, createSummary('Write lib/old/valve.ts', 'removed: lib/old'))).toEqual([]);
		expect(listKinds(moved, createSummary('Write lib/old/valve.ts', 'removed: lib/old/pump.ts'))).toEqual([
			'removed file',
		]);
	});

	it('an existing file is found if the last line about it says that it was removed', () => {
		const restored = [...removed, ...createCommand('git checkout src/valve.ts', '')];
		expect(listKinds(restored, createSummary('removed: src/valve.ts'))).toEqual(['existing file']);
	});

	it('a file that moved to an outer folder, and a temporary file, are not found', () => {
		const moved = createCommand('git mv lib/Makefile.in Makefile.in', '');
		expect(listKinds(moved, createSummary('removed: lib/Makefile.in'))).toEqual([]);
		const tried = createCommand('rm -f /tmp/valve.json', '');
		expect(listKinds(tried, createSummary("Error: '/tmp/valve.json' is not valid"))).toEqual([]);
	});

	it('a file is not found if the view says correctly whether it exists', () => {
		expect(listKinds(removed, createSummary('changed: src/valve.ts', 'removed: src/valve.ts'))).toEqual([]);
		const restored = [...removed, ...createCommand('git checkout src/valve.ts', '')];
		expect(listKinds(restored, createSummary('removed: src/valve.ts', 'restored src/valve.ts'))).toEqual([]);
	});
});

describe('a row of a record', () => {
	const trips = [
		{ trip_id: 'T-11', leaves: '06:40', price: '129.00', from: 'Arden' },
		{ trip_id: 'T-12', leaves: '09:15', price: '154.00', from: 'Arden' },
	];
	const found = createCall('search_trips', { from: 'Arden' }, JSON.stringify({ trips }));

	it('a row is found if two values of a record are shown without its id', () => {
		expect(listKinds(found, createSummary('leaves 09:15, price 154.00'))).toEqual(['row without key']);
	});

	it('a row has the id that it calls its own, although an id of another record precedes it', () => {
		const seat = { trip_id: 'T-12', place: '14C', fare: '88.20', id: 'S-77' };
		const seats = createCall('list_seats', {}, JSON.stringify([seat]));
		expect(listKinds(seats, createSummary('S-77: place 14C, fare 88.20'))).toEqual([]);
		expect(listKinds(seats, createSummary('place 14C, fare 88.20'))).toEqual(['row without key']);
		const ticket = { id: '5f0c2e', identifier: 'ROW-7', title: 'Rows overlap', author: 'Ines Halloran' };
		const tickets = createCall('create_ticket', {}, JSON.stringify(ticket));
		expect(listKinds(tickets, createSummary('ROW-7: Rows overlap, Ines Halloran'))).toEqual([]);
	});

	it('a row is not found if the line has another id of only this record, or quotes the user', () => {
		const item = { name: 'Lamp', product_id: '77120', item_id: '90431', shade: 'linen' };
		const order = createCall('get_order', { id: 'B-1' }, JSON.stringify({ items: [item] }));
		const stock = createCall('get_stock', {}, JSON.stringify([{ item_id: '90431', left: 4, shelf: 'F-2' }]));
		expect(listKinds([...order, ...stock], createSummary('Lamp (item 90431), linen'))).toEqual([]);
		expect(listKinds([...order, ...stock], createSummary('Lamp, linen'))).toEqual(['row without key']);
		const typed: ChatMessage = { role: 'user', content: 'The Lamp in linen.' };
		expect(listKinds([...order, typed], createSummary('[#4 user] The Lamp in linen.'))).toEqual([]);
	});

	it('a row is not found in a sentence with common words and small numbers', () => {
		const line = createCall('jq', {}, JSON.stringify({ entry_id: 'E-4', line: 372, type: 'user' }));
		expect(listKinds(line, createSummary('Line 372 is the result, a message of the user'))).toEqual([]);
	});

	it('a row is not found with its id in the same or the previous line, or if its values belong to several records', () => {
		expect(listKinds(found, createSummary('T-12 leaves 09:15, price 154.00'))).toEqual([]);
		expect(listKinds(found, createSummary('T-12', 'leaves 09:15, price 154.00'))).toEqual([]);
		expect(listKinds(found, createSummary('from Arden to Arden, price 154.00'))).toEqual([]);
	});
});

describe('noise', () => {
	it.each([
		'});',
		'  42→',
		'1461:',
		' 1482: …',
		'[#13 open src/fields.py 1474] 1461:',
		'[#13 open] [File: src/fields.py (1997 lines total)] …',
		'(1456 more lines above)',
		'[#40 Bash] --- PASS: TestTotals (0.06s) …',
		'100 12.3M  100 12.3M    0     0  4012k      0  0:00:03 --:--:--',
		'[459 more lines in file. Use offset=80 to continue.]',
		'@@ -1,4 +1,6 @@',
		'exec_command ls yield_time_ms=10000',
		'-rw-r--r-- 1 ada ada 120 notes.txt',
		'\u001b[32mgreen\u001b[0m',
	])('noise is found in %j', (line) => {
		expect(listKinds([], createSummary(line))).toEqual(['noise']);
	});

	it('noise is not found in a line that a user typed', () => {
		const typed: ChatMessage = { role: 'user', content: 'What is this?\n@@ -1,4 +1,6 @@' };
		expect(listKinds([typed], createSummary('user: What is this?', '@@ -1,4 +1,6 @@'))).toEqual([]);
	});
});

describe('a labelled statement', () => {
	const label = {
		session: 's',
		statement: 'The limit is 6.',
		pattern: /limit is 4/giu,
		correctedBy: /limit is 6/giu,
	};

	it('a labelled statement is found if the compaction wrote it', () => {
		const found = falseStatements([], createSummary('The limit is 4 bar.'), [label]);
		expect(found).toEqual([{ kind: 'label', line: 'The limit is 4 bar.', reason: 'The limit is 6.' }]);
	});

	it('a labelled statement is not found in an original message, or if a later line corrects it', () => {
		const original: ChatMessage = { role: 'assistant', content: 'The limit is 4 bar.' };
		expect(falseStatements([original], [original], [label])).toEqual([]);
		expect(falseStatements([], createSummary('The limit is 4 bar.', 'The limit is 6 bar.'), [label])).toEqual(
			[],
		);
	});
});
