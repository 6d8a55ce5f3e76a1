import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '..', '..')

/** A fenced block of a page. */
export interface Block {
  /** Path of the page, from the root of the repository. */
  readonly page: string
  /** Line of the page on which its text begins, from 1. */
  readonly line: number
  readonly lang: string
  /**
   * What stands behind the language: `run`, `serve`, `output`, a file name, or the reason why
   * nothing checks it.
   */
  readonly info: string
  readonly text: string
}

/** A page of Markdown, taken apart. */
export interface Page {
  readonly path: string
  readonly blocks: readonly Block[]
  /** Everything outside of fenced blocks, with its line. */
  readonly prose: readonly { readonly line: number; readonly text: string }[]
}

export const where = ({ page, line }: Pick<Block, 'page' | 'line'>): string => `${page}:${line}`
/** Whether one of the words behind the language is this one. */
export const says = (block: Block, word: string): boolean => block.info.split(/\s+/).includes(word)

/** Every page that readers are sent to: what is written there has to be true. */
export function allPages(): readonly Page[] {
  const folders = (folder: string): readonly string[] =>
    readdirSync(join(ROOT, folder), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => `${folder}/${entry.name}`)
  const markdown = (folder: string): readonly string[] =>
    readdirSync(join(ROOT, folder), { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
      .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1))
  const readmes = [
    ...folders('plugins'),
    ...folders('examples'),
    ...folders('tests'),
    ...folders('tests/security'),
  ].flatMap((folder) =>
    readdirSync(join(ROOT, folder)).includes('README.md') ? [`${folder}/README.md`] : [],
  )
  return [
    'README.md',
    'CONTRIBUTING.md',
    'CHANGELOG.md',
    ...markdown('docs').toSorted(),
    ...readmes,
  ].map((path) => parsePage(path, readFileSync(join(ROOT, path), 'utf8')))
}

/** Every source file of the named folders that ships: path from the root, and text. */
export function sourceFiles(
  ...folders: readonly string[]
): readonly { readonly path: string; readonly text: string }[] {
  const packages = folders.flatMap((folder) =>
    folder === 'plugins'
      ? readdirSync(join(ROOT, folder)).map((name) => join(folder, name, 'src'))
      : [join(folder, 'src')],
  )
  return packages
    .filter((folder) => existsSync(join(ROOT, folder)))
    .flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
        .toSorted()
        .map((name) => join(folder, name)),
    )
    .filter((path) => path.endsWith('.ts'))
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }))
}

const FENCE = /^(\s*)(`{3,}|~{3,})\s*(\S*)\s*(.*?)\s*$/

/**
 * Takes a page apart into blocks and prose. A fence that is never closed runs to the end, as it
 * does for readers.
 */
export function parsePage(path: string, text: string): Page {
  const blocks: Block[] = []
  const prose: { readonly line: number; readonly text: string }[] = []
  const lines = text.split('\n')
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    const [, indent = '', fence, lang = '', info = ''] = FENCE.exec(line) ?? []
    if (fence === undefined) {
      prose.push({ line: at + 1, text: line })
      continue
    }
    const begin = at + 1
    const isEnd = (other: string): boolean => {
      const [, , closing = '', word] = FENCE.exec(other) ?? []
      return closing.startsWith(fence) && word === ''
    }
    do at++
    while (at < lines.length && !isEnd(lines[at] ?? ''))
    const inner = lines
      .slice(begin, at)
      .map((one) => (one.startsWith(indent) ? one.slice(indent.length) : one.trimStart()))
    blocks.push({ page: path, line: begin + 1, lang, info, text: `${inner.join('\n')}\n` })
  }
  return { path, blocks, prose }
}

/** Text without inline code, so that what only looks like Markdown is not taken for it. */
export const withoutCode = (text: string): string =>
  text.replaceAll(/(`+)(?!`).*?[^`]\1(?!`)/g, (code) => ' '.repeat(code.length))
/** What stands in inline code. */
export const inlineCode = (text: string): readonly string[] =>
  [...text.matchAll(/(`+)(?!`)(.*?[^`])\1(?!`)/g)].map(([, , code = '']) => code)
