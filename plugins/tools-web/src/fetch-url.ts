import {
  type Action, cut, defineTool, err, fenced, ok, type Outbound, type OutboundResponse, type Result,
  type ToolDefinition, type ToolResult,
} from '@amodal/sdk'
import { z } from 'zod'
import { decode } from './charset.ts'
import type { HostLimit } from './host-limit.ts'

export interface FetchOptions {
  readonly timeoutMs: number
  readonly maxBytes: number
  readonly maxChars: number
}

const MOST_CHARS = 100_000
const HTML = /^(text\/html|application\/xhtml\+xml)\b/i
const TEXT = /^(text\/|application\/(json|ld\+json|xml|yaml|x-yaml|javascript|toml|x-ndjson|[\w.-]+\+(json|xml|yaml))\b)/i

/** The tool that reads a page of the web. */
export function fetchUrl(outbound: Outbound, limit: HostLimit, options: FetchOptions): ToolDefinition {
  const tool = defineTool({
    name: 'fetch_url',
    description: 'Reads a page or text of the web by its address, as Markdown. Pass an address as it was given to you or as it stands in what you read; do not put one together.',
    readOnly: true,
    timeoutMs: options.timeoutMs + 5_000,
    runningLabel: 'Reading a page',
    completedLabel: 'Read a page',
    input: z.object({
      url: z.string().max(4_000).describe('The whole address, with https://'),
      max_chars: z.int().min(100).max(MOST_CHARS).optional().describe(`Characters to give at most; ${options.maxChars} where it is left out`),
    }),
    async execute({ max_chars: maxChars = options.maxChars }, { action, lease, signal }) {
      const url = URL.parse(action?.path ?? '')
      if (!url) return { status: 'error', code: 'TOOL_ARGUMENTS', message: 'there is no address to read' }
      const wait = limit.take(url.hostname)
      if (wait > 0) return { status: 'error', code: 'RATE_LIMITED', message: `${url.hostname} was asked often enough; ask it again in ${Math.ceil(wait / 1_000)} seconds` }
      const answer = await outbound.request({
        url: url.href, method: 'GET', lease, signal, timeoutMs: options.timeoutMs, maxBytes: options.maxBytes,
        headers: { accept: 'text/html, application/xhtml+xml, text/*;q=0.9, application/json;q=0.8, */*;q=0.1', 'user-agent': 'amodal (fetch_url)' },
      })
      return answer.ok ? read(answer.value, url, maxChars) : { status: 'error', code: answer.error.code, message: answer.error.message }
    },
  })
  return { ...tool, action: ({ url }) => webRead(typeof url === 'string' ? url : '') }
}

/** What a call does outside: a read of one address. */
function webRead(address: string): Result<Action, string> {
  const url = URL.parse(address)
  if (!url || !/^https?:$/.test(url.protocol)) return err('`url` is a whole address that begins with https:// or http://')
  url.hash = ''
  return ok({ connection: 'web', protocol: 'web', method: 'GET', path: url.href, query: {}, headers: {}, effect: 'read' })
}

async function read({ status, headers, body, url = '' }: OutboundResponse, asked: URL, maxChars: number): Promise<ToolResult> {
  const type = headers['content-type'] ?? ''
  const name = `${asked.origin}${asked.pathname}`
  if (status >= 400) return { status: 'error', code: 'TOOL_FAILED', message: `${name} answered ${status}` }
  if (status >= 300) return { status: 'error', code: 'TOOL_FAILED', message: `${name} answered ${status}, and led nowhere` }
  if (type !== '' && !HTML.test(type) && !TEXT.test(type)) {
    return { status: 'error', code: 'TOOL_FAILED', message: `${name} is no text, but ${type.split(';', 1)[0]?.slice(0, 80)} (${body.byteLength} bytes)` }
  }
  const raw = decode(body, type)
  if (type === '' && raw.includes('\0')) return { status: 'error', code: 'TOOL_FAILED', message: `${name} is no text` }
  const isPage = HTML.test(type) || (type === '' && /^\s*<(!doctype html|html)\b/i.test(raw))
  const page = isPage ? (await import('./markdown.ts')).markdownOf(raw, url || asked.href) : { title: '', text: raw }
  const text = page.title === '' ? page.text : `# ${page.title}\n\n${page.text}`
  return { status: 'success', output: fenced(cut(text, maxChars), url || asked.href) }
}
