/** Renders the HTML of a webview page. */

export interface PageContent {
	/** The webview's own origin, for styles. */
	cspSource: string;
	script: string;
	style: string;
	/** A random text for each page; only scripts with this nonce run. */
	nonce: string;
	/** Language of the texts, such as `en` or `de`. */
	language: string;
	title: string;
	/** Text that is shown until the page has received its data. */
	waitingText: string;
}

function escapeHtml(text: string): string {
	return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Returns the HTML of a page that may load only its own script and style. */
export function renderWebviewPage({
	cspSource,
	script,
	style,
	nonce,
	language,
	title,
	waitingText,
}: PageContent): string {
	const policy = [`default-src 'none'`, `style-src ${cspSource}`, `script-src 'nonce-${nonce}'`].join('; ');
	return `<!DOCTYPE html>
<html lang="${escapeHtml(language)}">
<head>
<meta charset="UTF-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="stylesheet" href="${style}">
</head>
<body>
<main id="view"><p>${escapeHtml(waitingText)}</p></main>
<div id="status" role="status" aria-live="polite" class="unseen"></div>
<script nonce="${nonce}" src="${script}"></script>
</body>
</html>`;
}
