import { where, type Block } from './pages.ts'
import type { Workbench } from './workbench.ts'

export const slug = (page: string): string =>
  page.replaceAll(/\.md$|[^\w]+/g, (part) => (part === '.md' ? '' : '_'))

/**
 * The name under which other blocks of the page import this one: `// file: name.ts` in its first
 * line, or its place.
 */
export const fileOf = ({ lang, text, line }: Block): string =>
  /^\/\/ file: ([\w./-]+\.ts)$/m.exec(text.split('\n', 1)[0] ?? '')?.[1] ??
  `block-${line}.${lang === 'tsx' ? 'tsx' : 'ts'}`

/**
 * The code of a block, moved down to the line on which it stands in its page: an error then names
 * that line.
 */
export const inPlace = ({ line, text }: Block): string => `${'\n'.repeat(line - 1)}${text}`

/** One that gives a reason instead is part of something else. */
export const isComponent = ({ lang, info }: Pick<Block, 'lang' | 'info'>): boolean =>
  lang === 'tsx' && info === ''

/** What types say of the code and the events in pages, as `page:line: message`. */
export async function typeProblems(
  blocks: readonly Block[],
  bench: Workbench,
): Promise<readonly string[]> {
  const pages = new Map<string, string>()
  const put = (block: Block, name: string, text: string): void => {
    const file = `${slug(block.page)}/${name}`
    if (pages.has(file)) throw new Error(`${where(block)}: ${name} stands on this page twice`)
    pages.set(file, block.page)
    bench.write(file, `${text}\nexport {}\n`)
  }
  for (const block of blocks) {
    if (block.lang === 'ts' || isComponent(block)) put(block, fileOf(block), inPlace(block))
    if (block.lang === 'sse') put(block, `events-${block.line}.ts`, eventsAsCode(block))
  }
  return (await bench.typeCheck()).map(
    ({ file, line, code, message }) => `${pages.get(file) ?? file}:${line}: ${code} ${message}`,
  )
}

/**
 * Each event of a stream as a value that has to fit the type of all events. `"…"` alone stands for
 * any value, and `"…": "…"` for fields that are left out.
 */
function eventsAsCode(block: Block): string {
  const lines = block.text.split('\n').map((line, at) => {
    const data = /^data: (.*)$/.exec(line)?.[1]
    if (data === undefined) return ''
    const name = `line${block.line + at}`
    const told = data.replaceAll(LEFT_OUT, '')
    return `const ${name} = ${told.replaceAll('"…"', 'anything')} as const; export const ${name}Event: ${told === data ? 'WireEvent' : 'Part<WireEvent>'} = ${name}`
  })
  return `${'\n'.repeat(block.line - 1)}${lines.join('\n')}\n${EVENT_TYPES}`
}

const LEFT_OUT = /,?\s*"…":\s*"…"/g
const EVENT_TYPES = `import type { WireEvent } from '@amodal/sdk'
declare const anything: never
type Part<E> = E extends { readonly type: unknown } ? Pick<E, 'type'> & Partial<E> : never`
