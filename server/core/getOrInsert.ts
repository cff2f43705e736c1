/** What a map holds for a key; where it holds nothing, what `find` gives, which stands there from then on. */
export function getOrInsert<Key, Value extends NonNullable<unknown>>(
	map: { get(key: Key): Value | undefined; set(key: Key, value: NoInfer<Value>): unknown },
	key: Key,
	find: (key: Key) => NoInfer<Value>,
): Value {
	const known = map.get(key);
	if (known !== undefined) return known;
	const found = find(key);
	map.set(key, found);
	return found;
}
