/**
 * Finds cue words of sentences that matter for continuing the work: a cause, a finding, a decision, a state, a dead end,
 * a measured value. Each kind counts once per sentence.
 */

import { tuning } from '../../compact/tuning.ts';
import { toPlainApostrophes } from './language.ts';

const causePattern =
	/\b(?:because|since|due to|caused? by|root cause|reason|why|so that|therefore|hence|thus|which means|means that|turns out|culprit|leads? to|in order to|otherwise|the (?:real |actual |main |core )?(?:problem|issue|bug|cause|difference))\b|\b(?:weil|deshalb|daher|wegen|aufgrund|nämlich|sodass|so dass|sonst(?!\s*[?.])|andernfalls|Grund|Ursache|parce que|à cause|donc|porque|debido)\b|, (?:also|denn|damit|darum)\b|^(?:Denn|Darum)\b/i;
const findingPattern =
	/\b(?:found|finds?|discover\w*|confirm\w*|reali[sz]e\w*|notice[ds]?|shows?|showed|reveals?|indeed|actually|apparently|it (?:seems|looks|appears)|interesting\w*|exists?|missing|no longer|there (?:is|are) (?:no|only|already)|only|correct|incorrect|verified|determined|identified|clear(?:ly)?|key insight)\b|\b(?:(?:heraus)?gefunden|entdeckt|gemerkt|zeigt|festgestellt|stellt sich heraus|bestätigt|existiert|fehlt|fehlen|scheint|tatsächlich|offenbar|offensichtlich|anscheinend|nur|nicht mehr|es gibt (?:keine?|nur)|trouvé|encontr\w+)\b/i;
const decisionPattern =
	/\b(?:decid\w+|chose|chosen|choose|opt(?:ed|ing)? for|instead|rather than|prefer\w*|recommend\w*|approach|option|going with|go with|stick with|conclusion|conclude\w*|agreed?|settled|should (?:use|be|not)|won't|will not|keep(?:ing)? (?:the|it|both)|I(?:'m| am) (?:keeping|taking|leaving|dropping|preserving)|trade-?off|plan is|design)\b|\b(?:entschieden|entscheide|Entscheidung|beschlossen|festgelegt|vereinbart|stattdessen|anstatt|lieber|empfehle|rate \w+|gewählt|ich (?:behalte|belasse|nehme|verzichte)|bleiben? (?:ich |wir )?bei|Vorschlag|sollten?|décid\w+|decidi\w+)\b/i;
const statePattern =
	/\b(?:fixed|fixes|pass(?:es|ed|ing)?|fail(?:s|ed|ing|ures?)?|works?|working|done|complet\w+|implement\w+|resolv\w+|still|remain\w*|not yet|already|now|green|broken|merged|pushed|committed|deployed|created|added|removed|renamed|updated|all tests)\b|\b(?:behoben|fertig|erledigt|noch|bereits|schon|jetzt|bleibt|scheiter\w+|fehlgeschlagen|bestanden|funktioniert|läuft|laufen|kaputte?[nrs]?|gelöscht|hinzugefügt|entfernt|erstellt|aktualisiert|umbenannt|implementiert|corrigé|terminé)\b/i;
const deadEndPattern =
	/\b(?:tried|trying|didn'?t (?:work|help|change|fix)|does(?:n'?t| not) (?:work|help|fix|exist|support)|not (?:enough|possible|supported|solved)|revert\w*|rolled back|abandon\w*|no effect|wrong|mistake\w*|reject\w*|discard\w*|can(?:not|'t)|unable|impossible|won't work|gave up|undo|undid|unfortunately)\b|\b(?:versucht|probiert|verworfen|zurückgenommen|zurückgesetzt|rückgängig|aufgegeben|abgelehnt|(?:geht|klappt|hilft|half|reicht) nicht|nicht (?:möglich|unterstützt)|(?:kann|können|konnte)\b[^.,;]{0,30}\bnicht|nicht\b[^.,;]{0,30}\b(?:kann|können)|unmöglich|falsch|leider|essayé)\b/i;
const figurePattern =
	/\d[.,]*\s?(?:ms|s|secs?|seconds?|min(?:utes?)?|hours?|days?|%|[kKMG]i?B|bytes|tokens?|lines?|tests?|files?|x|times|percent|€|\$|USD|euros?|dollars?|Stunden|Sekunden|Minuten|Tage|Wochen|Zeilen|Dateien|Uhr|Euro)(?![\p{L}\d])|[$€£¥]\s?\d|\b\d+\s?(?:\/|of|von|out of)\s?\d+\b/u;
/** Dates, times and reference numbers: a day, a time of day, `KX7-2209`. */
const appointmentPattern =
	/\b\d{1,2}(?:st|nd|rd|th|\.)? (?:January|February|March|April|May|June|July|August|September|October|November|December|Januar|Februar|März|Mai|Juni|Juli|Oktober|Dezember)\b|\b(?:January|February|March|April|May|June|July|August|September|October|November|December) \d{1,2}\b|(?<![\w:.,/-])(?:[01]?\d|2[0-3]):[0-5]\d(?![\w:])|(?<![\w-])[A-Z]{2,3}\d?[ -]\d{3,5}(?![\w-])|\d{1,2}月\d{1,2}[日号]/;
/** A change from one number to another. */
const changePattern =
	/\bfrom \d[\d.,]*.{0,12} to \d|\bvon \d[\d.,]*.{0,12} auf \d|从 ?\d[\d.,]*.{0,12}[到至] ?\d|\d.{0,6}から ?\d|\d ?\w{0,3} ?(?:→|->|=>) ?\d/;
const valuePattern =
	/\b(?:default|defaults|limit|timeout|version|must|never|always|required?|depends|equals?|set to|returns?|calls?|stored|lives? in|located|defined in|configured)\b|\b(?:Standard\w*|muss|musst|müssen|immer|nie|niemals|erforderlich|nötig|höchstens|mindestens|definiert|eingestellt)\b/i;

// Cues in Chinese and Japanese, which put no spaces between words.
const cjkCausePattern =
	/原因|理由|ため|ので|から(?=、|です|だ|である|でした|[。！])|なぜ|因为|由于|所以|因此|因而|从而|导致|造成|根因|为了|以便|否则|这样才/;
const cjkFindingPattern =
	/判明|分か|わか|発見|確認|見つか|存在|明らか|実際|だけ|しか|のみ|不足|确认|发现|显示|表明|缺少|实际上|其实|似乎|清楚|只(?!要)|仅/;
const cjkDecisionPattern =
	/採用|方針|決め|決定|確定|敲定|定下来|商定|判断|べき|代わり|勧め|推奨|提案|選び|選択|[ほ方]うがよ|方が良|やめ(?!てくだ|て下)|ままにし|ことにし|选择|选用|决定|方案|建议|推荐|改用|改为|采用|而不是|同意|结论|应该|保持/;
const cjkStatePattern =
	/修正|完了|成功|失敗|実装|追加|削除|更新|通[りっ](?:まし|た|て)|まだ|すでに|既に|残[りっ]|壊れ|動作|通过|完成|失败|修复|已|还没|仍|剩下|现在|目前|实现|添加|删除|出错/;
const cjkDeadEndPattern =
	/試し|試み|戻し|だめ|ダメ|できな|できませ|無理|不可能|うまくいか|諦め|却下|尝试|试过|试了|试着|回滚|撤回|撤销|还原|不行|行不通|无法|不能|不可能|不支持|放弃|没用|拒绝/;
const cjkFigurePattern =
	/[\d０-９]\s?(?:件|行|秒|ミリ秒|毫秒|分|時間|小时|日|天|週|周|年|個|个|回|次|人|名|倍|円|元|欧元|美元|ユーロ|ドル|キロ|公里|％|トークン|テスト|测试|ファイル|文件)|[\d０-９][.,]*\s?(?:ms|s|%|[kKMG]i?B)(?![A-Za-z\d])/;
const cjkValuePattern =
	/既定|初期値|デフォルト|必須|必要|必ず|常に|決して|上限|下限|依存|定義|保存|默认|必须|必要|始终|总是|绝不|最多|至少|取决于|定义|配置|返回/;

/** Sentences that only announce the next step. */
const announcementPattern =
	/^[^\p{L}\p{N}]*(?:(?:ok(?:ay)?|now|good|great|perfect|excellent|right|alright|first|next|then|so|and|also|sure|yes)\b[,.!:]?\s*)*(?:let me|let's|let us|i'll|i will|(?:i'm|i am) (?:(?:now|also|currently|just|next) )?(?:going to|(?:add|apply|check|collect|examin|explor|fetch|fix|gather|inspect|load|look|open|patch|prepar|pull|read|rebuild|rerunn|review|runn|scann|search|trac|updat|validat|verify)ing\b)|i need to|i should|we need to|next,? i|now i)\b|^(?:まず|次に|それでは|続いて|これから)|^(?:好的?[，,])?(?:让我|接下来|现在(?=我|来|开始)|我来|我看看|我去|我会|下一步)|^(?:lass mich|jetzt|als nächstes|ich werde)\b/iu;
/** Announcements of the next step in Japanese. Only the verb's ending distinguishes them from reports. */
const japaneseAnnouncementPattern =
	/(?:確認|修正|追加|作成|実行|更新|取得|実施|実装|対応|開始|検索|調査|検証|変更|書き|続け|進め|読み|見|探し|調べ|進んで|見て|始め|行い)(?:して|て)?(?:いき|し|み|おき)?ます[。！.]?$/;

/** Words for looking at something. */
const lookPattern =
	/\b(?:look|check|read|search|find|examine|explore|(?:to|me|us|also) (?:see|understand)|review|verify|trace|inspect|view|confirm|investigate|locate|analy[sz]e|ansehen|anschauen|lesen|prüfen|suchen)\b|確認|読み|読んで|調べ|調査|検索|見て|查看|检查|看看|看一下|阅读|搜索|了解/i;

/** Sentences that only guess. A later sentence reports the result. One that takes something back states the result itself. */
const guessPattern =
	/^[^\p{L}\p{N}]*(?:(?:or|but|so|and|also|then)\b,?\s+)*(?:maybe|perhaps|possibly|probably|i(?:['’]m| am) (?:wondering|guessing|not sure)|i (?:wonder|guess|suspect)|what if|it(?:['’]s| is) possible|(?:it|this|that|there) (?:might|may|could) (?:be|also|have)|might (?:it )?be|could it be)|^[^\p{L}\p{N}]*(?:hmm+(?!,? scratch\b)|wait\b(?!,? (?:no\b|let me re)))|^(?:もしかして|おそらく|たぶん)|^(?:也许|可能|或许)|^(?:vielleicht|möglicherweise|vermutlich|peut-être|quizás)\b/iu;

/** A sentence that names a cause which the agent does not know yet. */
const hedgePattern =
	/\b(?:is|are|was|were|has|have|must|that['’]s|it['’]s) (?:very |most )?(?:likely|probably|possibly|presumably)\b|\b(?:likely|probably|possibly|presumably) (?:a|an|because|by|caused|comes|due|from|in|needs|related|relates|stems|the|to)\b|\b(?:arises|stems) likely\b/i;

/** A sentence in which the agent repeats for itself what the user wrote. */
const retellingPattern =
	/^(?:(?:ok(?:ay)?|so|now|good|alright)\b[,.]? ){0,2}the user(?:['’]s| is| was| has| just| now| also)? ?(?:asking|asks|asked|wants|wanted|would like|saying|says|said|told|telling|confirmed|confirms|approved|requesting|requests|requested|provided|pointing|points|pointed|wondering|having)\b/i;

const cues = [
	{ spaced: causePattern, cjk: cjkCausePattern, name: 'cause' },
	{ spaced: findingPattern, cjk: cjkFindingPattern, name: 'finding' },
	{ spaced: decisionPattern, cjk: cjkDecisionPattern, name: 'decision' },
	{ spaced: statePattern, cjk: cjkStatePattern, name: 'state' },
	{ spaced: deadEndPattern, cjk: cjkDeadEndPattern, name: 'deadEnd' },
	{ spaced: figurePattern, cjk: cjkFigurePattern, name: 'figure' },
	{ spaced: valuePattern, cjk: cjkValuePattern, name: 'value' },
] as const;

const cjkPattern = /[\u3040-\u30ff\u3400-\u9fff]/;

/** Whether a sentence only guesses. */
export function isGuess(sentence: string): boolean {
	return guessPattern.test(sentence);
}

const questionEndPattern = /(?:[?？][*_"'”’)\]]{0,4}|か。?)\s*$/;

/** Whether a text asks something. */
export function isQuestion(text: string): boolean {
	return questionEndPattern.test(text);
}

/** Offers and requests for approval that are no questions: "If you want, I can …". */
const offerPattern =
	/^[^\p{L}]*(?:if you(?:['’]d| would)? (?:want|like|prefer|agree|approve)\b[^\n]{0,240}\b(?:(?:i|we)(?:['’]ll| can| could| will| would)|let me know)\b|(?:please )?let me know (?:if|whether|when) (?:you(?:['’]d| would)? (?:want|like|prefer) (?:me|us) to|(?:i|we) should)\b|(?:please )?confirm (?:if|whether|that|this|these|you)\b|(?:please )?(?:reply|answer) (?:with )?["'“”‘’`*]*yes\b|(?:wenn|falls) (?:du|sie) (?:möchtest|willst|magst|möchten|wollen)\b)|^(?:必要(?:であれば|なら)|ご希望(?:であれば|でしたら|なら)|よろしければ|如果(?:你|您)?(?:需要|想|愿意|希望|同意))[^\n]{0,120}(?:ます|ください|我(?:可以|会|来|再)|告诉我)/iu;

/** Whether a sentence offers a next step or asks for an approval, without being a question. */
export function isOffer(sentence: string): boolean {
	return offerPattern.test(sentence);
}

/** Whether a sentence only announces the next step. */
export function isAnnouncement(sentence: string): boolean {
	const text = toPlainApostrophes(sentence);
	return announcementPattern.test(text) || japaneseAnnouncementPattern.test(text);
}

/** Whether a sentence only announces that the agent looks at something next. */
export function isLookAnnouncement(sentence: string): boolean {
	return isAnnouncement(sentence) && lookPattern.test(sentence);
}

/** Whether a sentence reports a decision. */
export function isDecision(sentence: string): boolean {
	const text = toPlainApostrophes(sentence);
	return decisionPattern.test(text) || cjkDecisionPattern.test(text);
}

/** Words for making a choice. */
const choicePattern =
	/\b(?:I|we)(?:['’](?:d|ll|ve)| would| will| have)? (?:decided?|chose|opt(?:ed)? for|go with|stick with)\b|\bich habe mich\b.{0,60}entschieden|採用します|方針とし|ことにし|我(?:决定|选择)/i;
/** Words for proposing a choice. */
const proposalPattern =
	/\b(?:I|we)(?:['’]d| would)? (?:recommend|suggest|prefer|propose|lean towards?)\b|\bmy (?:recommendation|proposal|suggestion|preference)\b|\bich (?:empfehle|schlage)\b|我(?:建议|倾向于?|的建议)|(?:提案|お勧め|おすすめ)します/i;

/** Whether a text only proposes a choice. */
export function isProposal(text: string): boolean {
	return proposalPattern.test(text) && !choicePattern.test(text);
}

/** Whether a text makes or proposes a choice and gives the reason. */
export function isReasonedDecision(text: string): boolean {
	const isChoice = choicePattern.test(text) || proposalPattern.test(text);
	return isChoice && (causePattern.test(text) || cjkCausePattern.test(text));
}

/** The start of a sentence that records what was decided: "Decided: …", "OK, settled: …", "So we agreed on …". */
const recordedDecisionPattern =
	/^[^\p{L}\p{N}]{0,6}(?:(?:ok(?:ay)?|good|great|right|alright|fine|understood|yes|gut|also|so|then|dann|好的?|はい|では)(?![\p{L}\p{N}])[,，.、:! ]{0,3})?(?:(?:(?:we|that|it|this)(?:['’]ve|['’]s| have| is| are)? )?(?:decided|agreed|settled)\b(?! (?:to disagree|by|in #))|(?:final )?decision[:：]|(?:wir haben |das ist )?(?:beschlossen|entschieden|festgelegt|vereinbart)\b|(?:问题 ?\d{1,3} ?)?(?:敲定|定下来|商定|最终决定)|(?:決定|確定)(?:しました|です|事項)?[:：、。])/iu;

/** Whether a sentence begins by recording a decision. */
export function recordsDecision(sentence: string): boolean {
	return recordedDecisionPattern.test(sentence);
}

/** Returns how much a sentence matters for continuing: 1 if plain, up to about 4; less than 1 for a mere guess or plan. */
export function scoreCues(sentence: string): number {
	const text = toPlainApostrophes(sentence);
	let score = 1;
	const hasCjk = cjkPattern.test(text);
	const hasFigure = figurePattern.test(text) || (hasCjk && cjkFigurePattern.test(text));
	if (!hasFigure && appointmentPattern.test(text)) score += tuning.cues.figure;
	if (changePattern.test(text)) score += tuning.cues.change;
	// It replaces all proposals before it.
	if (recordsDecision(text)) score += tuning.cues.decision;
	for (const { spaced, cjk, name } of cues)
		if (spaced.test(text) || (hasCjk && cjk.test(text))) score += tuning.cues[name];
	if ([guessPattern, hedgePattern, retellingPattern].some((pattern) => pattern.test(text)))
		score *= tuning.cues.emptyShare;
	return isAnnouncement(text) ? score * tuning.cues.emptyShare : score;
}
