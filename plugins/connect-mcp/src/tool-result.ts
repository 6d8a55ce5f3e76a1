import type { CallToolResult } from '@modelcontextprotocol/client'
import {
  truncate,
  hashOf,
  imageTypeOf,
  isList,
  isObject,
  quoting,
  trySync,
  type Json,
  type ToolContent,
  type ToolResult,
} from '@amodal/sdk'
import { parseExact } from '@amodal/sdk/data'
import { binaryIn, described, sizeOf } from './binary.ts'

export interface ResultLimits {
  /** Characters of text. */
  readonly chars: number
  /** Characters of base64 of all images together. */
  readonly imageChars: number
}

type Block = CallToolResult['content'][number]
type Audience = NonNullable<ToolContent['audience']>

/** A block as it is passed on: what is read of it, and the image that it is. */
interface Part {
  readonly text: string
  readonly image?: { readonly mimeType: string; readonly data: string }
  readonly audience?: Audience
  /** 1: needed, 0: may be left out. */
  readonly priority: number
}

const FOR_PEOPLE = '[the result is for the person alone, who sees it]'

/**
 * What a server answered, for the model and for whoever watches. If a response has the same content
 * as text and as data, the data counts. Images go as images, other binary data as what it is.
 * Blocks that are for one of the two go to that one.
 */
export function toolResult(
  { content, structuredContent, isError }: CallToolResult,
  { chars, imageChars }: ResultLimits,
  mask: (text: string) => string,
): ToolResult {
  const images = new Images(imageChars)
  const parts = content
    .map((block) => partOf(block, images))
    .map((part): Part => ({ ...part, text: mask(part.text) }))
  const data =
    structuredContent === undefined ? undefined : dataOf(structuredContent, images, chars, mask)
  const forModel = parts.filter(({ audience }) => audience !== 'user')
  if (isError === true) {
    const text = fitted(forModel.length > 0 ? forModel : parts, chars)
    if (text !== '') return { status: 'error', code: 'TOOL_FAILED', ...quoting('', text) }
    return {
      status: 'error',
      code: 'TOOL_FAILED',
      ...(data === undefined
        ? { message: 'the server says that it failed, and not why' }
        : quoting('', truncate(JSON.stringify(data), chars), '', data)),
    }
  }
  const text = fitted(
    data === undefined
      ? forModel
      : forModel.filter((part) => part.image !== undefined || !repeats(part.text, data)),
    chars,
  )
  const isForPeople = text === '' && parts.length > 0 && forModel.length === 0
  const plainText = isForPeople ? FOR_PEOPLE : text
  const dataAndText = (value: Json): Json => (text === '' ? value : { text, data: value })
  const output = data === undefined ? plainText : dataAndText(data)
  const shown = contentOf(parts, data, images, chars)
  return { status: 'success', output, ...(shown.length > 0 ? { content: shown } : {}) }
}

/** The images of one result: each once, and no more than fit. */
class Images {
  readonly found: { readonly mimeType: string; readonly data: string }[] = []
  #left: number

  constructor(chars: number) {
    this.#left = chars
  }

  /** In words; the image itself where there is room for it. */
  take(data: string, mimeType: string): Pick<Part, 'text' | 'image'> {
    if (data.length > this.#left) return { text: `[image left out: ${mimeType}, it is too large]` }
    const image = { mimeType, data }
    if (!this.found.some((one) => one.data === data)) {
      this.#left -= data.length
      this.found.push(image)
    }
    return { text: `[image: ${mimeType}]`, image }
  }
}

/** Images that browsers show, and models do not read. */
const SHOWN_ONLY = /^image\/(avif|bmp)$/

function partOf(block: Block, images: Images): Part {
  const { audience = [], priority = 0.5 } = ('annotations' in block && block.annotations) || {}
  const [one, ...others] = new Set(audience)
  return {
    ...bodyOf(block, images),
    priority,
    ...(one !== undefined &&
      others.length === 0 && { audience: one === 'user' ? 'user' : 'model' }),
  }
}

function bodyOf(block: Block, images: Images): Pick<Part, 'text' | 'image'> {
  switch (block.type) {
    case 'text':
      return textOf(block.text, images)
    case 'image':
      return imageOf(block.data, block.mimeType, images)
    case 'audio':
      return { text: `[audio left out: ${block.mimeType}, ${sizeOf(bytesOf(block.data))}]` }
    case 'resource_link': {
      const { name, title = name, uri, mimeType, description, size } = block
      const facts = [mimeType, size === undefined ? undefined : sizeOf(size)]
        .filter((fact) => fact !== undefined)
        .join(', ')
      return {
        text: `[resource: ${title} ${uri}${facts === '' ? '' : ` (${facts})`}]${description === undefined ? '' : ` ${description}`}`,
      }
    }
    case 'resource': {
      const { resource } = block
      const { uri, mimeType = '' } = resource
      if (!('blob' in resource)) return prefixed(uri, textOf(resource.text, images))
      if (/^image\//.test(mimeType) || imageTypeOf(resource.blob))
        return prefixed(uri, imageOf(resource.blob, mimeType, images))
      const words = TEXTUAL.test(mimeType) ? utf8Of(resource.blob) : undefined
      if (words !== undefined) return prefixed(uri, textOf(words, images))
      return {
        text: `[resource: ${uri}${mimeType === '' ? '' : ` (${mimeType})`}, left out: ${sizeOf(bytesOf(resource.blob))}]`,
      }
    }
  }
}

/** A resource that is text may come as bytes. */
const TEXTUAL = /^(text\/|application\/(?:[\w.-]+\+)?(?:json|xml|yaml)\b)/i

function utf8Of(base64: string): string | undefined {
  const read = trySync(
    () => new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(base64, 'base64')),
    () => undefined,
  )
  return read.ok ? read.value : undefined
}

const prefixed = (
  uri: string,
  { text, ...rest }: Pick<Part, 'text' | 'image'>,
): Pick<Part, 'text' | 'image'> => ({ ...rest, text: `[resource: ${uri}]\n${text}` })
const bytesOf = (base64: string): number => Math.floor((base64.length * 3) / 4)

function textOf(text: string, images: Images): Pick<Part, 'text' | 'image'> {
  const binary = binaryIn(text)
  if (!binary) return { text }
  return binary.image
    ? images.take(binary.data, binary.image)
    : { text: `[left out: ${described(binary)}]` }
}

function imageOf(data: string, mimeType: string, images: Images): Pick<Part, 'text' | 'image'> {
  const binary = binaryIn(data)
  if (binary?.image) return images.take(binary.data, binary.image)
  if (!SHOWN_ONLY.test(mimeType))
    return { text: `[image left out: ${mimeType}, it is none that can be shown]` }
  const { text, image } = images.take(data, mimeType)
  return {
    text: image ? `[image: ${mimeType}, which the person sees and you cannot]` : text,
    ...(image && { image }),
  }
}

/** The data without binary texts: images become image parts. */
function dataOf(
  value: unknown,
  images: Images,
  limit: number,
  mask: (text: string) => string,
): Json {
  const clean = (one: Json): Json => {
    if (typeof one === 'string') return textOf(one, images).text
    if (isList(one)) return one.map(clean)
    return isObject(one)
      ? Object.fromEntries(Object.entries(one).map(([key, item]) => [key, clean(item)]))
      : one
  }
  const text = mask(JSON.stringify(clean(value as Json))) // it was JSON on the wire
  // what is masked stands inside of its texts
  return text.length > limit ? truncate(text, limit) : (parseExact(text) as Json)
}

/**
 * Whether a text says nothing that the data does not say: the same as JSON, one of its texts, or
 * what a library has wrapped.
 */
function repeats(text: string, data: Json): boolean {
  const [, fenced] = /^```(?:json)?\s*\n([\s\S]*?)\n```$/.exec(text.trim()) ?? []
  const plain = (fenced ?? text).trim()
  if (plain === '') return true
  const parsed = trySync(
    () => parseExact(plain) as Json,
    () => undefined,
  )
  const hash = parsed.ok ? hashOf(parsed.value) : undefined
  const inside = (value: Json, levels: number): boolean => {
    if (typeof value === 'string' && value.trim() === plain) return true
    if (hash !== undefined && hashOf(value) === hash) return true
    // A list is told one block for each of its items, and what is no object is wrapped in one.
    return (
      levels > 0 &&
      (isList(value)
        ? value.some((item) => inside(item, levels - 1))
        : isObject(value) && Object.values(value).some((item) => inside(item, levels - 1)))
    )
  }
  return inside(data, 2)
}

/** The texts in their order. Where they are too long, those that matter least are cut first. */
function fitted(parts: readonly Part[], limit: number): string {
  const texts = parts.map(({ text }) => text)
  let over = texts.reduce((sum, text) => sum + text.length + 1, -1) - limit
  if (over <= 0) return texts.filter((text) => text !== '').join('\n')
  const least = parts
    .map((part, at) => ({ ...part, at }))
    .sort((a, b) => a.priority - b.priority || b.at - a.at)
  for (const { text, at } of least) {
    if (over <= 0) break
    texts[at] = truncate(text, Math.max(0, text.length - over))
    over -= text.length
  }
  return texts.filter((text) => text !== '').join('\n')
}

/** For the client: where there is more to see than the output, or not all of that. */
function contentOf(
  parts: readonly Part[],
  data: Json | undefined,
  images: Images,
  chars: number,
): readonly ToolContent[] {
  if (images.found.length === 0 && !parts.some(({ audience }) => audience !== undefined)) return []
  const content = parts.map(({ text, image, audience }): ToolContent => ({
    ...(image ? { type: 'image', ...image } : { type: 'text', text: truncate(text, chars) }),
    ...(audience && { audience }),
  }))
  const known = new Set(parts.flatMap(({ image }) => (image ? [image.data] : [])))
  const further = images.found
    .filter((image) => !known.has(image.data))
    .map((image): ToolContent => ({ type: 'image', ...image }))
  const isTold = data === undefined || parts.some(({ text }) => repeats(text, data))
  return [
    ...content,
    ...(isTold
      ? []
      : [
          {
            type: 'text' as const,
            text: truncate(typeof data === 'string' ? data : JSON.stringify(data), chars),
          },
        ]),
    ...further,
  ]
}
