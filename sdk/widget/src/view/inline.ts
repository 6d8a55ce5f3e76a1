import { decodeEntities, safeLink } from '@amodal/sdk/client'
import { h, type Child } from './dom.ts'

/** Letters of a paragraph that is read as Markdown; a longer one is shown as it is. */
const LONGEST = 20_000
const DEEPEST = 6

/** An escape, code, a picture or a link, an address, strong, emphasis, struck out, a line break. */
const SPAN =
  /\\([!-/:-@[-`{-~])|(?<!`)(`{1,3})(?!`)(.+?)(?<!`)\2(?!`)|!?\[((?:[^[\]]|\[[^[\]]*\])*)\]\(\s*<?([^\s()<>]+(?:\([^\s()<>]*\)[^\s()<>]*)*)>?(?:\s+["'][^"']*["'])?\s*\)|(https?:\/\/[^\s<>"'`|]+[^\s<>"'`|.,:;!?)\]*_])|(\*\*|__)(?=\S)(.+?)\7|([*_])(?=[^\s*_])(.+?)\9|~~(?=\S)(.+?)~~|((?<! ) {2,}|\\)\n/gs

/** A text without blocks as nodes. */
export function inline(text: string, depth = 0): readonly Child[] {
  if (text.length > LONGEST || depth > DEEPEST) return [text]
  const nodes: Child[] = []
  let end = 0
  for (const match of text.matchAll(SPAN)) {
    const node = span(match, depth + 1)
    if (node === undefined || isInsideWord(match, text)) continue
    nodes.push(decodeEntities(text.slice(end, match.index)), ...node)
    end = match.index + match[0].length
  }
  return [...nodes, decodeEntities(text.slice(end))]
}

/** `snake_case_names` have no emphasis. */
const isInsideWord = ({ 0: all, index, 9: mark, 7: marks }: RegExpExecArray, text: string) =>
  (mark === '_' || marks === '__') &&
  (/\w/.test(text[index - 1] ?? '') || /\w/.test(text[index + all.length] ?? ''))

function span(match: RegExpExecArray, depth: number): readonly Child[] | undefined {
  const [, escape, , code, label, target, address, , strong, , em, struck, br] = match
  if (escape !== undefined) return [escape]
  if (code !== undefined) return [h('code', {}, code.replace(/^ (.+) $/s, '$1'))]
  if (target !== undefined) return link(target, inline(label || target, depth))
  if (address !== undefined) return link(address, [address])
  if (strong !== undefined) return [h('strong', {}, ...inline(strong, depth))]
  if (em !== undefined) return [h('em', {}, ...inline(em, depth))]
  if (struck !== undefined) return [h('del', {}, ...inline(struck, depth))]
  return br === undefined ? undefined : [h('br')]
}

/** Pictures are links, too: a text of the model requests nothing. */
function link(target: string, content: readonly Child[]): readonly Child[] {
  const href = safeLink(target)
  return href === undefined
    ? content
    : [h('a', { href, target: '_blank', rel: 'noopener noreferrer nofollow' }, ...content)]
}
