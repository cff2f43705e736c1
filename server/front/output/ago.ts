const minute = 60_000;

/** `just now`, `5 min ago`, `3 h ago`, `12 d ago` */
export function agoText(at: number, now: number): string {
	const minutes = Math.floor((now - at) / minute);
	if (minutes < 1) return 'just now';
	if (minutes < 60) return `${minutes} min ago`;
	const hours = Math.floor(minutes / 60);
	return hours < 48 ? `${hours} h ago` : `${Math.floor(hours / 24)} d ago`;
}
