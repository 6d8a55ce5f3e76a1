/** A message by what it calls, or what it answers. */
export type Turn = { readonly calls: readonly string[] } | { readonly results: readonly string[] }

/** A call without its result right behind it, a result without its call, an id used twice. */
export function pairing(turns: readonly Turn[]): string | undefined {
  let open = new Set<string>()
  const seen = new Set<string>()
  for (const [at, turn] of turns.entries()) {
    if ('results' in turn) {
      for (const id of turn.results)
        if (!open.delete(id))
          return `message ${at} answers "${id}", and there is no such call right before it`
      continue
    }
    if (open.size > 0) return `message ${at} comes before the results of ${[...open].join(', ')}`
    for (const id of turn.calls) {
      if (seen.has(id)) return `message ${at} uses the call id "${id}" again`
      seen.add(id)
    }
    open = new Set(turn.calls)
  }
  return open.size > 0 ? `it ends before the results of ${[...open].join(', ')}` : undefined
}
