import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Command } from '@amodal/sdk'
import { didYouMean } from '@amodal/sdk/files'

/** Pages of which each has a part of the product; they are listed by their folder alone. */
const FOLDERS: readonly string[] = ['plugins', 'decisions']

/**
 * `amodal docs [PAGE[#SECTION]]`: the documentation of this version, without a network.
 *
 * @param folder of the pages; `undefined` where there is none
 */
export const docsCommand = (folder: string | undefined): Command => ({
  summary: 'Print a page of the documentation, or a section of it',
  usage: 'amodal docs [PAGE[#SECTION]]',
  about: [
    'The pages come with the package and are those of its version. Without a page it lists them; a page is Markdown. What is no page is',
    'looked for in the headings of all.',
  ],
  examples: [
    ['amodal docs', 'lists the pages'],
    ['amodal docs write-an-agent', 'prints a page'],
    ['amodal docs write-an-agent#stores', 'prints a section of it'],
    ['amodal docs "who can connect"', 'finds sections by words of their headings'],
  ],
  options: {},
  async run({ arguments: [page, ...more], fail, print, program = 'amodal' }) {
    if (more.length > 0) {
      fail('amodal docs: name one page; put several words into quotes')
      return 2
    }
    const pages = folder === undefined ? [] : await pagesIn(folder)
    if (pages.length === 0) {
      fail('amodal docs: the pages are not installed; install the package `amodal` anew')
      return 1
    }
    const output = page === undefined ? listOf(pages, program) : textOf(pages, page, program)
    if (output !== undefined) {
      print(output)
      return 0
    }
    const names = pages.map(({ name }) => name)
    const meant = didYouMean(page ?? '', names)
    fail(
      `amodal docs: there is no page "${page ?? ''}"${meant === undefined ? '' : `; did you mean \`${meant}\`?`} \`${program} docs\` lists them`,
    )
    return 1
  },
})

interface DocsPage {
  /** Its path in the folder, without `.md`. */
  readonly name: string
  readonly title: string
  readonly text: string
}

async function pagesIn(folder: string): Promise<readonly DocsPage[]> {
  const paths = await readdir(folder, { recursive: true }).catch(() => [])
  const names = paths
    .filter((path) => path.endsWith('.md') && !path.includes('node_modules'))
    .map((path) => path.replaceAll('\\', '/').replace(/\.md$/, ''))
  return Promise.all(
    names.toSorted().map(async (name) => {
      const text = await readFile(join(folder, `${name}.md`), 'utf8')
      return { name, title: /^# (.+)$/m.exec(text)?.[1] ?? name, text }
    }),
  )
}

function listOf(pages: readonly DocsPage[], program: string): string {
  const listed = pages.filter(({ name }) => !FOLDERS.includes(name.split('/')[0] ?? ''))
  const width = Math.max(...listed.map(({ name }) => name.length))
  return [
    ...listed.map(({ name, title }) => `  ${name.padEnd(width)}  ${title}`),
    ...FOLDERS.map((name) => `  ${`${name}/…`.padEnd(width)}  ${namesIn(pages, name)} pages`),
    '',
    `\`${program} docs PAGE\` prints one of them.`,
  ].join('\n')
}

const namesIn = (pages: readonly DocsPage[], folder: string): number =>
  pages.filter(({ name }) => name.startsWith(`${folder}/`)).length

/** A page, a section of one, or where a word stands in headings. */
function textOf(pages: readonly DocsPage[], wanted: string, program: string): string | undefined {
  const [path = '', anchor] = wanted.split('#')
  // A link as it stands in a page will do.
  const name = path.replace(/^(?:\.\.?\/|docs\/)+/, '').replace(/\.md$/, '')
  const page = pages.find((one) => one.name === name)
  if (page) return anchor === undefined ? page.text.trimEnd() : sectionOf(page.text, anchor)
  const word = wanted.toLowerCase()
  const found = pages.flatMap((one) =>
    headingsIn(one.text)
      .filter(({ title }) => title.toLowerCase().includes(word))
      .map(({ anchor: at, title }) => `  ${program} docs ${one.name}#${at}  ${title}`),
  )
  return anchor !== undefined || found.length === 0 ? undefined : found.join('\n')
}

interface Heading {
  readonly title: string
  readonly anchor: string
  readonly level: number
  /** From 0. */
  readonly line: number
}

/** The headings of a page with their anchors, as GitHub makes them. */
function headingsIn(text: string): readonly Heading[] {
  const counts = new Map<string, number>()
  let isCode = false
  return text.split('\n').flatMap((line, index): readonly Heading[] => {
    if (line.startsWith('```')) isCode = !isCode
    const [, marks = '', written = ''] =
      (isCode ? null : /^(#{1,6})\s+(.*?)\s*#*$/.exec(line)) ?? []
    if (marks === '') return []
    const title = written.replaceAll(/[`*]|\[([^\]]*)\]\([^)]*\)/g, '$1')
    const slug = title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-')
    const count = counts.get(slug) ?? 0
    counts.set(slug, count + 1)
    const anchor = count === 0 ? slug : `${slug}-${count}`
    return [{ title, anchor, level: marks.length, line: index }]
  })
}

/** From a heading up to the next one that is no part of it. */
function sectionOf(text: string, anchor: string): string | undefined {
  const headings = headingsIn(text)
  const begin = headings.find((heading) => heading.anchor === anchor)
  if (!begin) return undefined
  const end = headings.find(({ line, level }) => line > begin.line && level <= begin.level)
  return text.split('\n').slice(begin.line, end?.line).join('\n').trimEnd()
}
