/**
 * Words by which a sentence says that it holds what somebody who goes on must know: a cause, a finding, a decision,
 * a state, a dead end, a measured figure. Each kind counts once, however many of its words stand there.
 */

import { applauseWorth, cueWorths, guessShare, narrationShare } from './tuning.ts';

const cause =
	/\b(?:because|since|due to|caused? by|root cause|reason|why|so that|therefore|hence|thus|which means|means that|turns out|culprit|leads? to|in order to|otherwise|the (?:real |actual |main |core )?(?:problem|issue|bug|cause|difference))\b|原因|ため|ので|から、|なぜ|因为|由于|所以|因此|导致|根因|\b(?:weil|denn|deshalb|daher|damit|wegen|Grund|Ursache|parce que|à cause|donc|porque|debido)\b/i;
const finding =
	/\b(?:found|finds?|discover\w*|confirm\w*|reali[sz]e\w*|notice[ds]?|shows?|showed|reveals?|indeed|actually|apparently|it (?:seems|looks|appears)|interesting\w*|exists?|missing|no longer|there (?:is|are) (?:no|only|already)|only|correct|incorrect|verified|determined|identified|clear(?:ly)?|key insight)\b|判明|分か|わか|発見|確認|見つか|存在|确认|发现|显示|缺少|\b(?:gefunden|zeigt|festgestellt|bestätigt|fehlt|trouvé|encontr\w+)\b/i;
const decision =
	/\b(?:decid\w+|chose|chosen|choose|opt(?:ed|ing)? for|instead|rather than|prefer\w*|recommend\w*|approach|option|going with|go with|stick with|conclusion|conclude\w*|agreed?|should (?:use|be|not)|won't|will not|keep(?:ing)? (?:the|it|both)|trade-?off|plan is|design)\b|採用|方針|決め|決定|判断|べき|选择|决定|方案|建议|改用|\b(?:entschieden|Entscheidung|stattdessen|lieber|empfehle|décid\w+|decidi\w+)\b/i;
const state =
	/\b(?:fixed|fixes|pass(?:es|ed|ing)?|fail(?:s|ed|ing|ures?)?|works?|working|done|complet\w+|implement\w+|resolv\w+|still|remain\w*|not yet|already|now|green|broken|merged|pushed|committed|deployed|created|added|removed|renamed|updated|all tests)\b|修正|完了|成功|失敗|実装|追加|削除|通过|完成|失败|修复|已|\b(?:behoben|fertig|erledigt|noch|bereits|fehlgeschlagen|corrigé|terminé)\b/i;
const deadEnd =
	/\b(?:tried|trying|didn'?t (?:work|help|change|fix)|does(?:n'?t| not) (?:work|help|fix|exist|support)|not (?:enough|possible|supported|solved)|revert\w*|rolled back|abandon\w*|no effect|wrong|mistake\w*|reject\w*|discard\w*|can(?:not|'t)|unable|impossible|won't work|gave up|undo|undid|unfortunately)\b|試し|戻し|だめ|できな|無理|尝试|回滚|不行|无法|不能|放弃|\b(?:versucht|verworfen|geht nicht|klappt nicht|unmöglich|essayé)\b/i;
const figure =
	/\d(?:[\d.,]*)\s?(?:ms|s|secs?|seconds?|min(?:utes?)?|hours?|days?|%|[kKMG]i?B|bytes|tokens?|lines?|tests?|files?|x|times|percent|€|\$|USD|件|行|秒|分|个|倍|円|元|Stunden|Sekunden|Minuten|Zeilen|Dateien|Uhr|Euro)(?![\p{L}\d])|[$€£¥]\s?\d|\b\d+\s?(?:\/|of|von|out of)\s?\d+\b/u;
const value =
	/\b(?:default|defaults|limit|timeout|version|must|never|always|required?|depends|equals?|set to|returns?|calls?|stored|lives? in|located|defined in|configured)\b|既定|初期値|默认|必须|必要|\b(?:Standard|muss|immer|nie)\b/i;

/** What narrates the next move and nothing else. */
const narration =
	/^(?:\W*)(?:(?:ok(?:ay)?|now|good|great|perfect|excellent|right|alright|first|next|then|so|and|also|sure|yes)\b[,.!:]?\s*)*(?:let me|let's|let us|i'll|i will|i'm going to|i am going to|i need to|i should|we need to|next,? i|now i)\b|^(?:まず|次に|では|それでは)|^(?:让我|接下来|现在)|^(?:lass mich|jetzt|als nächstes|ich werde)\b/iu;
/** In Japanese the verb at the end tells what comes next from what was done. */
const announcement =
	/(?:確認|修正|追加|作成|実行|更新|取得|実施|実装|対応|開始|検索|調査|検証|変更|書き|続け|進め|読み|見|探し|調べ|進んで|見て|始め|行い)(?:して|て)?(?:いき|し|み|おき)?ます[。！.]?$/;
const applause =
	/^(?:\W*)(?:great|perfect|excellent|good|awesome|you're (?:absolutely )?right|sure|certainly|of course|done)[!.]?$/i;

/** What the speaker only supposes; what comes of it is said later. */
const guess =
	/^\W*(?:maybe|perhaps|possibly|probably|i(?:'m| am) (?:wondering|guessing|not sure)|i (?:wonder|guess|suspect)|might (?:it )?be|could it be|hmm+|wait\b)|^(?:もしかして|おそらく|たぶん)|^(?:也许|可能|或许)|^(?:vielleicht|möglicherweise|vermutlich|peut-être|quizás)\b/iu;

const cues = [
	[cause, cueWorths.cause],
	[finding, cueWorths.finding],
	[decision, cueWorths.decision],
	[state, cueWorths.state],
	[deadEnd, cueWorths.deadEnd],
	[figure, cueWorths.figure],
	[value, cueWorths.value],
] as const;

/** Whether a sentence tells of a choice. */
export function isDecision(text: string): boolean {
	return decision.test(text);
}

/** How much a sentence says to somebody who goes on: 1 plain, up to about 4; below 1 what narrates. */
export function cueWorth(text: string): number {
	if (applause.test(text)) return applauseWorth;
	let worth = 1;
	for (const [cue, gain] of cues) if (cue.test(text)) worth += gain;
	if (guess.test(text)) worth *= guessShare;
	return narration.test(text) || announcement.test(text) ? worth * narrationShare : worth;
}
