import { describe, expect, it } from 'vitest';
import { collectRules } from '../../../server/core/analysis/user/rules.ts';
import { user } from './facts-sources.ts';

const binds = (text: string): boolean => collectRules([user(1, text)]).some(({ isBinding }) => isBinding);

describe('rules in other languages', () => {
	it.each([
		'Lösche nie Dateien, ohne zu fragen.',
		'Committe nichts auf den Hauptzweig.',
		'Du darfst die Tests nicht ändern.',
		'请勿直接提交到主分支。',
		'别动数据库里的旧数据。',
		'只能使用标准库。',
		'这个别动，其他的随便改。',
		'那两个别删，还有用。',
		'テストを書き換えてはいけません。',
		'勝手に公開しないでください。',
		'ファイルを消す前に確認してください。',
		'Ne touche pas aux migrations.',
		'N’ajoutez rien au fichier de verrouillage.',
		'No toques la carpeta de facturas.',
		'Ejecuta siempre las pruebas antes de terminar.',
		'Não mexa na pasta de migrações.',
		'Você não pode, sem minha autorização, editar os arquivos.',
		'Não implemente nada antes de eu confirmar.',
		'No puedes publicar nada sin mi permiso.',
		'Rode sempre os testes antes de terminar.',
		'NO QUIERO QUE LO ARREGLES, explícame el problema.',
		'Je ne veux pas que tu modifies les horaires.',
		'Non modificare i file generati.',
		'Per favore, non toccate il database.',
		'Не трогай старые миграции.',
		'Всегда запускай тесты перед коммитом.',
		'В главную ветку пушить нельзя.',
		'생성된 파일은 수정하지 마세요.',
		'커밋하기 전에 반드시 테스트를 돌려 주세요.',
		'운영 데이터베이스를 지우면 안 됩니다.',
	])('a rule is found in %s', (text) => expect(binds(text)).toBe(true));
});

describe('statements in other languages', () => {
	it.each([
		'Los clientes no pueden pagar sin registrarse: es el error 12.',
		'A conta não pode ser criada sem e-mail.',
		'Das geht nicht.',
		'Der Import schlägt immer noch fehl.',
		'Der Export hat noch nie funktioniert.',
		'Es werden immer mehr Zeilen doppelt.',
		'Der zukünftige Name der Tabelle ist orders.',
		'Le test ne passe toujours pas.',
		'测试全部通过。',
		'类别改成下拉菜单。',
		'个别用户无法登录。',
		'这次的个别改动比较大。',
		'请分别提交两个改动。',
		'我不得不重启服务器。',
		'テストはすべて通りました。',
		'関数は絶対パスを返します。',
		'値は必ずしも一意ではありません。',
		'今後の予定を表にしました。',
		'There are no uses of this function.',
		'This part is about non software costs.',
		'Ça ne marche pas en production.',
		'No funciona en producción.',
		'O total está sempre errado.',
		'Não funciona no servidor.',
		'Il test non passa più.',
		'La schermata serve per non perdere i dati.',
		'Это не мой код.',
		'Сервер не отвечает, хотя порт открыт.',
		'Писать это не обязательно.',
		'В нашем списке не крайний случай.',
		'마지막 테스트가 실패했습니다.',
		'원인이 무엇인지 마침내 찾았습니다.',
		'값이 항상 0으로 나옵니다.',
	])('no rule is found in a statement in %s', (text) => expect(binds(text)).toBe(false));
});

describe('lines of a pasted traceback', () => {
	it.each([
		'     93     # Fail here loudly instead of in cython after reading',
		'---> 94     never_return(path)',
	])('%s states no rule', (line) => {
		expect(collectRules([user(1, `It fails:\n\n${line}\n`)])).toEqual([]);
	});
});

describe('rules with numbers', () => {
	it.each([
		'1\tNever push to main.',
		'2  Always run the tests first.',
		'3 | Do not edit the generated files.',
	])('%j is a rule, not a line of code', (line) => expect(binds(`My rules:\n\n${line}\n`)).toBe(true));
});
