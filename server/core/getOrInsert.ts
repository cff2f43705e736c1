/** Returns a map's value for a key; if there is none, stores and returns the result of `create`. */
export function getOrInsert<Key, Value extends NonNullable<unknown>>(
	map: { get(key: Key): Value | undefined; set(key: Key, value: NoInfer<Value>): unknown },
	key: Key,
	create: (key: Key) => NoInfer<Value>,
): Value {
	const known = map.get(key);
	if (known !== undefined) return known;
	const created = create(key);
	map.set(key, created);
	return created;
}
