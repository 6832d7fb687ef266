interface Kept<K, V> {
  readonly get: (key: K) => V | undefined
  readonly set: (key: K, value: V) => unknown
}

/** Made once for each key, for as long as `kept` has it: a `WeakMap` as long as the key is in use. */
export const memo =
  <K, V extends {}>(kept: Kept<K, V>, make: (key: K) => V): ((key: K) => V) =>
  (key) => {
    const known = kept.get(key)
    if (known !== undefined) return known
    const made = make(key)
    kept.set(key, made)
    return made
  }
