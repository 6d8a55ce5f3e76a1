import type { Readable } from 'node:stream'
import { trySync } from '@amodal/sdk'
import { parseExact } from '@amodal/sdk/data'

/**
 * Reads lines of JSON. Nothing longer than `most` bytes is ever held, and no name in it can reach a
 * prototype.
 *
 * @param refused called once with the reason why reading stopped
 */
export function readLines(
  stream: Readable,
  most: number,
  read: (value: unknown, bytes: number) => void,
  refused: (why: string) => void,
): void {
  let parts: Buffer[] = []
  let held = 0
  let over = false
  const refuse = (why: string): void => {
    over = true
    parts = []
    refused(why)
  }
  stream.on('data', (chunk: Buffer) => {
    for (let at = 0; at < chunk.length && !over;) {
      const end = chunk.indexOf(10, at)
      const part = chunk.subarray(at, end === -1 ? chunk.length : end)
      held += part.length
      if (held > most) return refuse(`sent a message of more than ${most} bytes`)
      parts.push(part)
      if (end === -1) return
      at = end + 1
      const line = Buffer.concat(parts, held)
      const bytes = held
      parts = []
      held = 0
      const parsed = trySync(
        () => parse(line.toString()),
        () => 'wrote something else than messages to its channel',
      )
      if (parsed.ok) read(parsed.value, bytes)
      else refuse(parsed.error)
    }
  })
}

function parse(text: string): unknown {
  const value = parseExact(text)
  if (text.includes('__proto__') || text.includes('\\u')) dropPrototypes(value)
  return value
}

function dropPrototypes(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  if (Object.hasOwn(value, '__proto__')) Reflect.deleteProperty(value, '__proto__')
  for (const inner of Object.values(value)) dropPrototypes(inner)
}
