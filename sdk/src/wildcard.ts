/**
 * Whether a name fits a pattern in which `*` is any run of characters. Takes time proportional to
 * both.
 *
 * @example matchesWildcard('github__*', 'github__create_issue') // true
 */
export function matchesWildcard(pattern: string, name: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.pop()
  if (last === undefined) return name === first
  if (!name.startsWith(first)) return false
  let at = first.length
  for (const part of rest) {
    const found = name.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
  }
  return name.length >= at + last.length && name.endsWith(last)
}
