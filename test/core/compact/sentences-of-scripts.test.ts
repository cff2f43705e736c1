import { describe, expect, it } from 'vitest';
import { cueScore } from '../../../server/core/compact/thread/cues.ts';
import { sentencesOf } from '../../../server/core/compact/thread/sentences.ts';

const texts = (text: string) => sentencesOf(text).map((sentence) => sentence.text);

describe('sentences of scripts without spaces', () => {
	it('stand by themselves where they say as much as a longer one in another script', () => {
		const said = [
			'設定ファイルの値が古いままでした。',
			'そのため起動に失敗しました。',
			'続けて全部の値を確認します。',
		];
		expect(texts(said.join(''))).toEqual(said);
	});

	it('are joined where they are but a word', () => {
		const said = ['はい。設定ファイルの値が古いままでした。', 'それが今回の失敗の原因です。'];
		expect(texts(said.join(''))).toEqual(said);
	});
});

describe('a sentence in Japanese', () => {
	it('that announces the next step is worth less than one that says what was done', () => {
		expect(cueScore('テストファイルを確認します。')).toBeLessThan(cueScore('テストファイルを確認しました。'));
		expect(cueScore('次のファイルを修正していきます。')).toBeLessThan(1);
	});
});
