import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { inlineCode, parsePage, ROOT, withoutCode, type Page } from './pages.ts'

const LINK = /!?\[[^\]]*\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)|^\s*\[[^\]]+\]:\s*(\S+)/g
const ELSEWHERE = /^(?:https?:|mailto:)/
/** A path of ours in inline code, such as `kernel/src/plan.ts` or `plugins/http/`. */
const OURS = /^(?:kernel|sdk|plugins|presets|examples|tests|docs|scripts)\/[\w.@/-]*$/

/** Links and paths of a page that lead nowhere in this repository. */
export function deadLinks(page: Page): readonly string[] {
  // links of the site alone: docs/site/check-links.mjs follows them when it is built
  if (page.path.startsWith('docs/site/')) return []
  const source = [...page.prose, ...page.blocks].map(({ text }) => text).join('\n')
  // What the page has the generator make is not there yet.
  const plannedPlugins = new Set(
    [...source.matchAll(/npm run new-plugin -- ([\w-]+)/g)].map(([, name]) => `plugins/${name}`),
  )
  return page.prose.flatMap(({ line, text }) => {
    const links = [...withoutCode(text).matchAll(LINK)].flatMap(
      ([, inline, reference]) => inline ?? reference ?? [],
    )
    const dead = links
      .filter((target) => !ELSEWHERE.test(target))
      .flatMap((target) => problemOf(page.path, target) ?? [])
    const lost = inlineCode(text)
      .filter(
        (code) => OURS.test(code) && !existsSync(join(ROOT, code)) && !plannedPlugins.has(code),
      )
      .map((code) => `there is no ${code}`)
    return [...dead, ...lost].map((problem) => `${page.path}:${line}: ${problem}`)
  })
}

function problemOf(from: string, target: string): string | undefined {
  const [path = '', anchor] = target.split('#')
  const to = path === '' ? from : normalize(join(dirname(from), decodeURIComponent(path)))
  if (to.startsWith('..')) return `${target} leads out of the repository`
  if (!existsSync(join(ROOT, to))) return `${target} does not exist`
  if (anchor === undefined) return undefined
  if (statSync(join(ROOT, to)).isDirectory() || !to.endsWith('.md'))
    return `${target}: only a page has headings`
  return headings(to).includes(anchor) ? undefined : `${target}: ${to} has no such heading`
}

/**
 * The anchors of a page's headings, as they are made where Markdown is shown; a repeated one is
 * numbered.
 */
export function headings(path: string): readonly string[] {
  const seen = new Map<string, number>()
  return parsePage(path, readFileSync(join(ROOT, path), 'utf8')).prose.flatMap(({ text }) => {
    const title = /^#{1,6}\s+(.*?)\s*#*$/.exec(text)?.[1]
    if (title === undefined) return []
    const slug = title
      .replaceAll(/[`*]|\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-')
    const times = seen.get(slug) ?? 0
    seen.set(slug, times + 1)
    return [times === 0 ? slug : `${slug}-${times}`]
  })
}
