import type { CallToolResult } from '@modelcontextprotocol/client'
import { cut, type Json, type ToolContent, type ToolResult } from '@amodal/sdk'

export interface ResultLimits {
  /** Characters of text. */
  readonly chars: number
  /** Characters of base64 of all images together. */
  readonly imageChars: number
}

type Block = CallToolResult['content'][number]

/**
 * What a server answered, for the model and for whoever watches. Pictures go to the client as they are; the model is
 * told that there are some. Of an answer that is told twice, as text and as data, the data counts.
 */
export function toolResult({ content, structuredContent, isError }: CallToolResult, limits: ResultLimits, mask: (text: string) => string): ToolResult {
  const blocks: readonly Block[] = content
  const text = cut(mask(blocks.map(textOf).filter((part) => part !== '').join('\n')), limits.chars)
  const data = structuredContent === undefined ? undefined : dataOf(structuredContent, limits.chars, mask)
  if (isError === true) return { status: 'error', code: 'TOOL_FAILED', message: text === '' ? 'the server says that it failed, and not why' : text }
  const output = data === undefined ? text : text === '' || isSame(text, data) ? data : { text, data }
  const shown = contentOf(blocks, limits, mask)
  return { status: 'success', output, ...(shown.length > 0 ? { content: shown } : {}) }
}

/** A part in words. */
function textOf(block: Block): string {
  switch (block.type) {
    case 'text': return block.text
    case 'image': return `[image: ${block.mimeType}]`
    case 'audio': return `[audio, left out: ${block.mimeType}]`
    case 'resource_link': return `[resource: ${block.name} ${block.uri}${block.mimeType === undefined ? '' : ` (${block.mimeType})`}]`
    case 'resource': {
      const { resource } = block
      return 'text' in resource ? `[resource: ${resource.uri}]\n${resource.text}` : `[resource: ${resource.uri}${resource.mimeType === undefined ? '' : ` (${resource.mimeType})`}]`
    }
  }
}

/** For the client: only where there is more to see than text. */
function contentOf(blocks: readonly Block[], { chars, imageChars }: ResultLimits, mask: (text: string) => string): readonly ToolContent[] {
  let left = imageChars
  const parts = blocks.map((block): ToolContent => {
    const image = imageOf(block)
    if (!image) return { type: 'text', text: cut(mask(textOf(block)), chars) }
    left -= image.data.length
    return left < 0 ? { type: 'text', text: `[image left out: ${image.mimeType}, it is too large]` } : { type: 'image', ...image }
  })
  return parts.some(({ type }) => type === 'image') ? parts : []
}

const PICTURE = /^image\/(png|jpe?g|gif|webp|avif|bmp)$/

function imageOf(block: Block): { readonly mimeType: string; readonly data: string } | undefined {
  const { mimeType = '', data } = block.type === 'image' ? block : block.type === 'resource' && 'blob' in block.resource ? { mimeType: block.resource.mimeType, data: block.resource.blob } : { data: '' }
  return PICTURE.test(mimeType) ? { mimeType, data } : undefined
}

function dataOf(value: unknown, limit: number, mask: (text: string) => string): Json {
  const text = mask(JSON.stringify(value))
  return text.length > limit ? cut(text, limit) : JSON.parse(text) as Json // it was JSON on the wire; what is masked stands inside of its texts
}

function isSame(text: string, data: Json): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(data)
  } catch {
    return false
  }
}
