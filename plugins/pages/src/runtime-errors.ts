import { SourceMap } from 'node:module'
import { NAMESPACE } from './build-problems.ts'
import type { BuiltPage } from './bundler.ts'
import type { PageProblem } from './protocol.ts'

/** `pages-bundle/ops-<hash>.js:12:5`, as a stack of the browser has it. */
const PLACE = /([\w-]+)-([0-9a-f]{32})\.js:(\d+):(\d+)/g
/** Places of a stack that are looked at. */
const MOST_PLACES = 50

/**
 * The first place of a stack that is in a file of the agent.
 *
 * @param scriptOf finds a script by its hash
 */
export async function placeOf(
  stack: string,
  scriptOf: (hash: string) => Promise<BuiltPage | undefined>,
): Promise<Omit<PageProblem, 'message'>> {
  for (const [, , hash = '', line, column] of [...stack.matchAll(PLACE)].slice(0, MOST_PLACES)) {
    const script = await scriptOf(hash)
    const place = script && sourceOf(script, Number(line), Number(column))
    if (place) return place
  }
  return {}
}

function sourceOf(
  { map }: BuiltPage,
  line: number,
  column: number,
): Omit<PageProblem, 'message'> | undefined {
  // Our own build has written it.
  const parsed = JSON.parse(map) as ConstructorParameters<typeof SourceMap>[0] & {
    readonly sources: readonly string[]
    readonly sourcesContent?: readonly string[]
  }
  const entry = new SourceMap(parsed).findEntry(line - 1, column - 1)
  if (!('originalSource' in entry) || !entry.originalSource.startsWith(`${NAMESPACE}:`))
    return undefined
  const text = parsed.sourcesContent?.[parsed.sources.indexOf(entry.originalSource)]
  const source = text?.split('\n')[entry.originalLine]
  return {
    file: entry.originalSource.slice(NAMESPACE.length + 1),
    line: entry.originalLine + 1,
    column: entry.originalColumn + 1,
    ...(source !== undefined && { source }),
  }
}
