const NAMED = /\b(GET|HEAD|OPTIONS|POST|PUT|PATCH|DELETE|QUERY|MUTATION|CALL)\s+`?(\/?[^\s`*|)]+)/g

/** Endpoints that a line of `surface.md` names, such as `### GET /deals – lists deals`. */
export function endpointsIn(
  line: string,
): readonly { readonly method: string; readonly path: string; readonly rest: string }[] {
  return [...line.matchAll(NAMED)].map(({ 1: method = '', 2: path = '', index, 0: match }) => ({
    method,
    path,
    rest: line.slice(index + match.length),
  }))
}

/**
 * A `surface.md` without the text about endpoints that the agent does not have: the section under a
 * heading that names one, and any other line that names one.
 *
 * @param isGone whether an endpoint is one of them
 * @example
 * surfaceWithout('### GET /a\nText.\n### GET /b\nMore.', (_, path) => path === '/a')
 * // → '### GET /b\nMore.'
 */
export function surfaceWithout(
  surface: string,
  isGone: (method: string, path: string) => boolean,
): string {
  const lines: string[] = []
  let below = Infinity
  for (const line of surface.split('\n')) {
    const level = /^(#{1,6})\s/.exec(line)?.[1]?.length
    if (level !== undefined && level <= below) below = Infinity
    const named = endpointsIn(line)
    const isHidden = named.length > 0 && named.every(({ method, path }) => isGone(method, path))
    if (isHidden && level !== undefined) below = Math.min(below, level)
    if (below === Infinity && !isHidden) lines.push(line)
  }
  return lines.join('\n').trim()
}
