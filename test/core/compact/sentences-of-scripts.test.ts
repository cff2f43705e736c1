import { describe, expect, it } from 'vitest';
import { scoreCues } from '../../../server/core/analysis/text/cues.ts';
import { splitSentences } from '../../../server/core/analysis/text/sentences.ts';

const texts = (text: string) => splitSentences(text).map((sentence) => sentence.text);

describe('sentences of scripts without spaces', () => {
	it('short sentences of scripts without spaces stay separate', () => {
		const said = [
			'設定ファイルの値が古いままでした。',
			'そのため起動に失敗しました。',
			'続けて全部の値を確認します。',
		];
		expect(texts(said.join(''))).toEqual(said);
	});

	it('a sentence of one word is joined with the next one', () => {
		const said = ['はい。設定ファイルの値が古いままでした。', 'それが今回の失敗の原因です。'];
		expect(texts(said.join(''))).toEqual(said);
	});
});

describe('scores of Japanese sentences', () => {
	it('a Japanese sentence that announces a step scores lower than one that reports it', () => {
		expect(scoreCues('テストファイルを確認します。')).toBeLessThan(
			scoreCues('テストファイルを確認しました。'),
		);
		expect(scoreCues('次のファイルを修正していきます。')).toBeLessThan(1);
	});
});
