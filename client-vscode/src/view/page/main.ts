/** The script of the Context Usage view. */

import { setBundle, t } from '../../text/language.ts';
import type { EmptyView } from '../emptyView.ts';
import { chooseFocusedKey, createAnnouncementKey } from '../focus.ts';
import type { ViewInput } from '../messages.ts';
import type { ViewAction, ViewModel } from '../model.ts';
import { createCategoryBar, createLegend } from './bar.ts';
import { createUsageChart } from './chart.ts';
import { createButton, createHtml, createSection, formatTime } from './elements.ts';
import { host, type PageState, post } from './host.ts';
import { createCompactionList, createMessageList, createSourceList } from './lists.ts';

let state: PageState = { scroll: 0, opened: [], ...host.getState() };
const restoredScroll = state.scroll;
// A tab without a state is not restored when the window is reloaded.
host.setState(state);

function updateState(change: Partial<PageState>): void {
	state = { ...state, ...change };
	host.setState(state);
}

function createActionButtons(actions: readonly ViewAction[]): HTMLElement {
	const buttons = actions.map(({ command, text }) =>
		createButton({ text, label: text, key: `command ${command}` }, () => post({ type: 'command', command })),
	);
	buttons[0]?.classList.add('primary');
	return createHtml('p', { class: 'actions' }, ...buttons);
}

function createPage(model: ViewModel): Node[] {
	const chart = createUsageChart(model.chart);
	const { files, commands } = model.sources;
	const sourceText = t('{0} at {1}', model.sourceText, formatTime(model.at));
	const figures = [model.usedText, sourceText, model.headroomText].join(' · ');
	const [filesTitle, commandsTitle] = [t('Files by cost'), t('Commands that ran again')];
	const [largestTitle, pinnedTitle] = [t('Largest messages'), t('Pinned messages')];
	return [
		createHtml('h1', { class: model.level }, model.title),
		createCategoryBar(model.categories),
		createHtml('p', {}, figures),
		createHtml('p', { class: 'quiet' }, model.about),
		createActionButtons(model.actions),
		createSection('category', t('By category'), createLegend(model.categories)),
		createSection('files', filesTitle, createSourceList(filesTitle, files, model)),
		...(commands.length > 0
			? [createSection('commands', commandsTitle, createSourceList(commandsTitle, commands, model))]
			: []),
		...(chart ? [createSection('turns', t('By turn'), chart)] : []),
		createSection('largest', largestTitle, createMessageList('largest', largestTitle, model)),
		...(model.pinned.length > 0
			? [createSection('pinned', pinnedTitle, createMessageList('pinned', pinnedTitle, model))]
			: []),
		createSection('compactions', t('Compactions'), createCompactionList(model)),
	];
}

function createEmptyPage({ reason, advice, actions }: EmptyView): Node[] {
	return [
		createHtml('p', { class: 'why' }, reason),
		...advice.map((sentence) => createHtml('p', {}, sentence)),
		...(actions.length > 0 ? [createActionButtons(actions)] : []),
	];
}

function findKeyedElements(view: Element): HTMLElement[] {
	return [...view.querySelectorAll<HTMLElement>('[data-key]')];
}

function getDataKey(element: Element | null): string | null {
	return element?.getAttribute('data-key') ?? null;
}

function findOpenedKeys(view: Element): string[] {
	return [...view.querySelectorAll('details[open][data-open]')].flatMap(
		(details) => details.getAttribute('data-open') ?? [],
	);
}

/** Draws the page again; keeps the focus and the opened lists. `className` names the kind of content for styles. */
function show(className: 'model' | 'empty', nodes: readonly Node[]): void {
	const view = document.getElementById('view');
	if (!view) return;
	view.className = className;
	const keysBefore = findKeyedElements(view).flatMap((element) => getDataKey(element) ?? []);
	const focusedKey = view.contains(document.activeElement)
		? getDataKey(document.activeElement)
		: waitingFocusKey;
	const { opened } = state;
	view.replaceChildren(...nodes);
	for (const details of view.querySelectorAll('details[data-open]'))
		details.toggleAttribute('open', opened.includes(details.getAttribute('data-open') ?? ''));
	const keysNow = findKeyedElements(view).flatMap((element) => getDataKey(element) ?? []);
	waitingFocusKey = chooseFocusedKey(keysBefore, focusedKey, keysNow);
	if (document.hasFocus()) giveFocus();
}

let isRestored = false;

/** Scrolls to the position at which the page was last hidden. Only the first call has an effect. */
function restorePosition(): void {
	if (!isRestored) window.scrollTo({ top: restoredScroll });
	isRestored = true;
}

/**
 * Key of the element that gets the focus when the user focuses the view. The view never takes the focus from other parts
 * of the window.
 */
let waitingFocusKey: string | null = null;

function giveFocus(): void {
	const keyedElements = waitingFocusKey === null ? [] : findKeyedElements(document.body);
	const target = keyedElements.find((element) => getDataKey(element) === waitingFocusKey);
	waitingFocusKey = null;
	target?.focus({ preventScroll: true });
}

window.addEventListener('focus', giveFocus);
window.addEventListener('scroll', () => updateState({ scroll: window.scrollY }), { passive: true });
// Toggle events do not bubble. They are also fired for lists that the page itself opens.
document.addEventListener('toggle', () => updateState({ opened: findOpenedKeys(document.body) }), {
	capture: true,
});

let lastAnnouncedKind = '';

/** Announces a text to screen readers, unless the previous announcement had the same `kind`. */
function announce(kind: string, text: string): void {
	const status = document.getElementById('status');
	if (!status || lastAnnouncedKind === kind) return;
	lastAnnouncedKind = kind;
	status.textContent = text;
}

window.addEventListener('message', ({ data }: MessageEvent<ViewInput>) => {
	if (data.type === 'translations') setBundle(data.translations);
	else if (data.type === 'show') {
		show('model', createPage(data.model));
		restorePosition();
		announce(
			createAnnouncementKey(data.model.percent, data.model.level),
			t('Context {0} full', data.model.percent),
		);
	} else {
		show('empty', createEmptyPage(data));
		announce(data.reason, data.reason);
	}
});

post({ type: 'ready' });
