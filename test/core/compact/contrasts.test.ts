import { describe, expect, it } from 'vitest';
import { findSentences } from '../../../server/core/analysis/text/sentences.ts';

const textsOf = (text: string): string[] => findSentences(text).map((sentence) => sentence.text);

describe('findSentences with contrasts', () => {
	it.each([
		[
			'I can move the counters into a shared module.',
			'**Or** I can leave them where they are for old clients.',
		],
		['Remove the field from the public type today.', '- But keep the name in the migration of old records.'],
		[
			'I should remove the struct from the types file now.',
			'But I need to keep the usage field for parsing.',
		],
		['Ich verschiebe die Zähler in ein eigenes Modul.', 'Oder ich lasse sie für alte Programme dort stehen.'],
		[
			'この設定は新しいファイルに移動することができます。',
			'しかし、古い名前はそのまま残しておく必要があります。',
		],
		['我们可以把这个设置移动到新的配置文件里面去。', '但是旧的名称必须保留，否则旧的客户端无法启动。'],
	])('keeps %j and its contrast together', (first, second) => {
		expect(textsOf(`${first}\n\n${second}`)).toEqual([`${first}\n${second}`]);
	});

	it('keeps a contrast in the same line with the sentence before it', () => {
		const text = 'The struct can go from the types file. But I need to keep the usage field there.';
		expect(textsOf(text)).toEqual([text]);
	});

	it('keeps an empty finding and the hypothesis after it together', () => {
		const text = 'I think I see the issue now. The cache is read before the lock is taken.';
		expect(textsOf(text)).toEqual([text]);
	});

	it.each(['Order the imports by their path first.', 'Button labels come from the theme file.'])(
		'leaves the sentence %j alone',
		(second) => {
			const first = 'The struct can go from the types file today.';
			expect(textsOf(`${first}\n\n${second}`)).toEqual([first, second]);
		},
	);

	it('leaves a contrast alone that would be too long with the sentence before it', () => {
		const first = `The first option moves ${'many '.repeat(40)}counters.`;
		const second = `But the second option keeps ${'many '.repeat(30)}counters.`;
		expect(textsOf(`${first}\n\n${second}`)).toEqual([first, second]);
	});

	it.each([
		['Maybe the cache is read before the lock is taken.', 'But the log proves that the lock is taken first.'],
		['The field is stored in the public types file.', 'Or should I move it to the shared module?'],
		['I see the issue now.', 'Let me fix the order of the two calls.'],
	])('keeps %j apart from %j, because one of them may be dropped', (first, second) => {
		expect(textsOf(`${first}\n\n${second}`)).toEqual([first, second]);
	});

	it('does not join code with the text before it', () => {
		const first = 'The struct can go from the types file today.';
		expect(textsOf(`${first}\n\n\`\`\`\nunless ready { return err }\n\`\`\``)).toHaveLength(2);
	});
});
