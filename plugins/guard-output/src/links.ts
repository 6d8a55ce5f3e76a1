import type { Span } from './finding.ts'

/** An image or a link in a text, with what may stand there instead. */
export interface Link extends Span { readonly url: URL; readonly image: boolean; readonly instead: string }

const MARKDOWN = /(!?)\[([^\]\n]{0,300})\]\(\s*<?(https?:\/\/[^\s)>]{1,4000})>?(?:\s+["'(][^\n]{0,300}?["')])?\s*\)/gi
const DEFINITION = /^[ \t]*\[[^\]\n]{1,300}\]:\s*<?(https?:\/\/[^\s>]{1,4000})>?[^\n]*/gim
const HTML = /<(img|a|iframe|source|video|audio)\b[^>]{0,500}?\b(?:src|href|srcset)\s*=\s*["']?(https?:\/\/[^\s"'>]{1,4000})[^>]{0,500}>/gi
const BARE = /(?<![("'=<\w/])<?(https?:\/\/[^\s<>"'`)\]]{1,4000})>?/gi

/** Every address of a text that somebody may follow, or a viewer may load by itself. */
export function linksIn(text: string): readonly Link[] {
  if (!/https?:\/\//i.test(text)) return []
  const found: Link[] = []
  const add = (start: number, whole: string, address: string, image: boolean, words: string): void => {
    const url = URL.parse(address)
    const end = start + whole.length
    if (!url || found.some((one) => start < one.end && one.start < end)) return
    found.push({ start, end, url, image, instead: words === '' ? `[${image ? 'image' : 'link'} to ${url.host} removed]` : `${words} [link to ${url.host} removed]` })
  }
  for (const { 0: whole, 1: mark, 2: words = '', 3: address = '', index } of text.matchAll(MARKDOWN)) add(index, whole, address, mark === '!', mark === '!' ? '' : words)
  for (const { 0: whole, 1: address = '', index } of text.matchAll(DEFINITION)) add(index, whole, address, true, '')
  for (const { 0: whole, 1: tag = '', 2: address = '', index } of text.matchAll(HTML)) add(index, whole, address, tag.toLowerCase() !== 'a', '')
  for (const { 0: whole, 1: address = '', index } of text.matchAll(BARE)) add(index, whole, address, false, '')
  return found
}

/** Of what a viewer loads by itself little is enough; a link has to be followed first, and long ones are common. */
const IN_IMAGE = { value: 8, segment: 24 }
const IN_LINK = { value: 40, segment: 80 }

/** Whether an address says more than where something is. */
export function carriesData({ url, image }: Link): boolean {
  const most = image ? IN_IMAGE : IN_LINK
  const values = [...url.searchParams].flatMap(([name, value]) => [name, value])
  if (values.some((value) => value.length >= most.value) || url.hash.length > most.value) return true
  if (url.username !== '' || url.password !== '' || url.hostname.split('.').some((label) => label.length >= 32)) return true
  return url.pathname.split('/').some((segment) => segment.length >= most.segment) || /%[\da-f]{2}.*%[\da-f]{2}.*%[\da-f]{2}/i.test(image ? url.pathname : '')
}

const HOSTS = /\bhttps?:\/\/([\w.-]+)/gi

/** Hosts that a text names. */
export const hostsIn = (text: string): readonly string[] => [...text.matchAll(HOSTS)].flatMap(([, host = '']) => (host === '' ? [] : [host.toLowerCase()]))

/** A host, or one that stands below it. */
export const isBelow = (host: string, known: string): boolean => host === known || host.endsWith(`.${known}`)
